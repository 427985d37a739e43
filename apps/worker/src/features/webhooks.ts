import { hostname } from 'node:os';
import { contextoDeWebhook, datosDeSolicitud, type Sellado } from '@acuse/core';
import { createSolicitudes, type Solicitudes } from '@acuse/db';
import type { Metrics } from '@acuse/metrics';
import type { Logger } from '@acuse/runtime';
import type { Tracing } from '@acuse/tracing';
import { createSellado, openKeyring } from '@acuse/vault';
import {
  createSender,
  type Envio,
  encabezadosDe,
  type FalloDeEntrega,
  nextIntento,
  type Sender,
  SIN_RECEPTOR,
} from '@acuse/webhooks';
import { createAvisos, createEntregas, type Entregas, type EntregaTomada } from '@acuse/webhooks/db';
import { startLoop } from '../loop.ts';
import type { OpenRole } from '../roles/role.ts';
import { startAvisos } from './avisos.ts';
import { LEASE_SLACK_SECONDS, startSending } from './sending.ts';

/** Share of the slots that receivers which fail may have. */
const PARTE_DUDOSAS = 0.5;

/** Milliseconds between two signs of life. */
export const BEAT_MS = 10_000;

interface Deps {
  readonly entregas: Pick<Entregas, 'claim' | 'keepCuerpo' | 'delivered' | 'failed' | 'listen'>;
  readonly solicitudes: Pick<Solicitudes, 'find'>;
  readonly sender: Sender;
  readonly sellado: Pick<Sellado, 'open'>;
  readonly log: Logger;
  readonly metrics: Metrics<'worker'>;
  readonly tracing: Tracing;
}

interface AjustesWebhooks {
  /** Messages under way at the same time, to one receiver, and to all of an account. */
  readonly concurrency: number;
  readonly porDestino: number;
  readonly porCuenta: number;
  readonly everyMs: number;
  readonly timeoutMs: number;
  /** Seconds between two tries. */
  readonly intervalos: readonly number[];
  /** Days in which nothing arrived, after which a receiver is switched off. */
  readonly diasFallando: number;
  /** Messages that may wait for a receiver that fails, after which it is switched off too. */
  readonly maxPendientes: number;
}

/** Role `webhooks`: sends due deliveries and notices of states. It opens no credential and never asks the SAT. */
export const openWebhooks: OpenRole = async ({ config, database, heartbeats, log, metrics, tracing, shutdown }) => {
  const timeoutMs = config.WEBHOOK_TIMEOUT_MS;
  const sender = createSender({
    timeoutMs,
    http: config.WEBHOOK_PERMITIR_HTTP,
    redes: config.WEBHOOK_REDES_PERMITIDAS,
  });
  shutdown.phase('webhooks-sender', () => sender.close());
  const entregas = createEntregas(database);
  const sellado = createSellado(openKeyring('WEBHOOK_KEYS', config.WEBHOOK_KEYS));
  const deps = { entregas, solicitudes: createSolicitudes(database), sender, sellado, log, metrics, tracing };
  const sending = await startWebhooks(deps, {
    concurrency: config.WEBHOOKS_CONCURRENCY,
    porDestino: config.WEBHOOKS_POR_DESTINO,
    porCuenta: config.WEBHOOKS_POR_CUENTA,
    everyMs: config.WEBHOOKS_INTERVAL_MS,
    timeoutMs,
    intervalos: config.WEBHOOK_REINTENTOS_SECONDS,
    diasFallando: config.WEBHOOK_DIAS_FALLANDO,
    maxPendientes: config.WEBHOOK_MAX_PENDIENTES,
  });
  const closeMs = config.SHUTDOWN_SECONDS * 1_000;
  shutdown.phase('webhooks', () => sending.close(closeMs), { timeoutMs: closeMs + timeoutMs });
  const { AVISOS_INTERVAL_MS: everyMs, SALDO_AVISO: saldoAviso } = config;
  const avisos = createAvisos(database);
  const looking = startAvisos({
    ...{ name: 'avisos', log, everyMs },
    look: (ajustes) => avisos.look({ ...ajustes, saldoAviso }),
  });
  const proceso = `${hostname()}:${process.pid}:webhooks`;
  const beat = async () => {
    await heartbeats.beat({ proceso, rol: 'webhooks', consumed: true });
    return false;
  };
  const latido = startLoop({ name: 'webhooks-latido', everyMs: BEAT_MS, log, turn: beat });
  shutdown.phase('avisos', () => Promise.all([looking.close(), latido.close()]));
};

/** Sends due deliveries; a slow or dead receiver holds its own few slots only. */
function startWebhooks(deps: Deps, ajustes: AjustesWebhooks) {
  const { entregas, log } = deps;
  const { concurrency, porDestino, porCuenta, everyMs, timeoutMs } = ajustes;
  const leaseSeconds = timeoutMs / 1_000 + LEASE_SLACK_SECONDS;
  return startSending<EntregaTomada>({
    name: 'webhooks',
    ...{ concurrency, everyMs, log },
    take(limite, enCamino) {
      const { length } = enCamino.filter(({ isDudosa }) => isDudosa);
      const dudosas = Math.max(0, Math.ceil(concurrency * PARTE_DUDOSAS) - length);
      return entregas.claim({ limite, porDestino, porCuenta, dudosas, leaseSeconds });
    },
    send: (tomada, signal) => deliver(deps, ajustes, tomada, signal),
    onFailed: ({ id: entrega }, err) => log.error({ entrega, err }, 'webhook_not_noted'),
    listen: entregas.listen,
  });
}

/** Outcome of a message without a receiver. */
const SIN_ENVIO = { ms: 0, status: null, error: null, respuesta: null, retryAfter: null };
/** Days: what fails on our side switches no receiver off. */
const NUNCA = 36_500;

async function deliver(
  deps: Deps,
  ajustes: AjustesWebhooks,
  tomada: EntregaTomada,
  signal: AbortSignal,
): Promise<void> {
  const { entregas, sender, log, metrics, tracing } = deps;
  const cuerpo = tomada.cuerpo ?? (await keptCuerpo(deps, tomada));
  if (cuerpo === null) return;
  const { eventoId, secuencia, webhookId: webhook, id: entrega } = tomada;
  if (tomada.url === SIN_RECEPTOR) {
    await entregas.delivered(tomada, SIN_ENVIO);
    return;
  }
  const claves = openClaves(deps, tomada);
  if (claves.length === 0) {
    log.error({ webhook, entrega }, 'webhook_secret_not_opened');
    await noteFailure(deps, { ...ajustes, diasFallando: NUNCA }, tomada, { ...SIN_ENVIO, error: 'SECRETO_ILEGIBLE' });
    return;
  }
  const segundos = Math.floor(Date.now() / 1_000);
  const headers = encabezadosDe({ id: `evt_${eventoId}`, segundos, cuerpo, secuencia }, claves);
  for (const clave of claves) clave.fill(0);
  const { traceparent: parent, url } = tomada;
  const attributes = {
    'http.request.method': 'POST',
    'server.address': new URL(url).hostname,
    'acuse.entrega.id': entrega,
  };
  const envio = await tracing.span({ name: 'POST webhook', kind: 'client', parent, attributes }, async (span) => {
    // An event without a request continues no trace at the receiver.
    const current = parent === null ? null : tracing.current();
    const sent = await sender.send(
      { url, headers: { ...headers, ...(current && { traceparent: current }) }, cuerpo },
      signal,
    );
    if (sent.status !== null) span.set({ 'http.response.status_code': sent.status });
    if (sent.status === null || sent.status >= 400) span.fail(String(sent.status ?? sent.error));
    return sent;
  });
  // Given up by ourselves: nothing is known of it, and nothing held against its receiver.
  if (envio.status === null && signal.aborted) return;

  const { status } = envio;
  metrics.webhookAttempts.with({ outcome: outcomeOf(status) }).add();
  metrics.webhookDuration.with({}).observe(envio.ms / 1_000);
  if (status !== null && status >= 200 && status < 300) {
    if (!(await entregas.delivered(tomada, envio))) log.warn({ webhook, entrega }, 'webhook_lease_lost');
    return;
  }
  await noteFailure(deps, ajustes, tomada, envio);
}

/** Notes a try that failed, and when the next one is due. */
async function noteFailure(
  { entregas, log, metrics }: Deps,
  { intervalos, diasFallando, maxPendientes }: AjustesWebhooks,
  tomada: EntregaTomada,
  envio: Omit<Envio, 'error'> & { readonly error: FalloDeEntrega | null },
): Promise<void> {
  const { status, retryAfter, error } = envio;
  const isNoMore = status === 410;
  const intentos = tomada.intentos + 1;
  const estado = await entregas.failed(tomada, envio, {
    enSegundos: isNoMore ? null : nextIntento({ intentos, intervalos, retryAfter }),
    deNuevoEnSegundos: nextIntento({ intentos: 1, intervalos, retryAfter }),
    esperaSegundos: esperaOf(envio, intervalos),
    ...{ isNoMore, diasFallando, maxPendientes },
  });
  const fields = { webhook: tomada.webhookId, entrega: tomada.id, status, motivo: error, intentos };
  if (estado === null) log.warn(fields, 'webhook_lease_lost');
  else if (estado === 'APAGADO') {
    metrics.webhooksSwitchedOff.with({}).add();
    log.warn(fields, 'webhook_switched_off');
  } else log.info(fields, 'webhook_not_delivered');
}

function outcomeOf(status: number | null) {
  if (status === null || status < 200) return 'none';
  if (status < 300) return '2xx';
  if (status < 400) return '3xx';
  return status < 500 ? '4xx' : '5xx';
}

/** Only who says that he is overloaded asks for a rest for everything: another `Retry-After` is about its message. */
function esperaOf(
  { status, retryAfter }: Pick<Envio, 'status' | 'retryAfter'>,
  intervalos: readonly number[],
): number | null {
  if (retryAfter === null || (status !== 429 && status !== 503)) return null;
  return Math.min(retryAfter, Math.max(...intervalos));
}

function openClaves({ sellado }: Deps, { webhookId, secretos }: EntregaTomada): Buffer[] {
  return secretos.flatMap(({ id, sobre }) => sellado.open(sobre, contextoDeWebhook(webhookId, id)) ?? []);
}

/**
 * What is sent of an event: `{type, timestamp, data}` (Standard Webhooks 1.0). Made once, so that every try has the same
 * bytes.
 */
async function keptCuerpo(deps: Deps, tomada: EntregaTomada): Promise<string | null> {
  const { tipo, creadoEn, eventoId } = tomada;
  const data = await dataOf(deps, tomada);
  return deps.entregas.keepCuerpo(eventoId, JSON.stringify({ type: tipo, timestamp: creadoEn.toISOString(), data }));
}

async function dataOf({ solicitudes }: Deps, { rfc, datos, solicitud, creadoEn }: EntregaTomada) {
  const own = rfc === null ? {} : { rfc };
  if (solicitud === null) return { ...own, ...datos };
  const vista = await solicitudes.find(solicitud.contribuyenteId, solicitud.id);
  if (vista === null) throw new Error('the solicitud of an event is gone');
  const now = datosDeSolicitud(vista, creadoEn);
  // The request went on after the event: the message states the past.
  const open = { terminada_en: null, proxima_consulta: null, confianza: null, contrapartes_listadas: null };
  const then = now.estado === datos['estado'] ? {} : open;
  return { ...own, ...now, ...then, ...datos };
}

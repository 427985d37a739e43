import { contextoDeWebhook, datosDeSolicitud, type Sellado } from '@acuse/core';
import { createSolicitudes, type Solicitudes } from '@acuse/db';
import type { Metrics } from '@acuse/metrics';
import {
  type AvisosSettings,
  LEASE_SLACK_SECONDS,
  type OpenRole,
  startAvisos,
  startHeartbeat,
  startSending,
} from '@acuse/roles';
import { type Logger, nextIntento, type SaldoSettings } from '@acuse/runtime';
import type { Tracing } from '@acuse/tracing';
import { createSellado, openKeyring } from '@acuse/vault';
import { createAvisos } from './db/avisos.ts';
import { createEntregas, type Entregas, type EntregaTomada } from './db/entregas.ts';
import { SIN_RECEPTOR } from './destino.ts';
import { createSender, type Envio, type Sender } from './envio.ts';
import type { FalloDeEntrega } from './fallos.ts';
import { encabezadosDe } from './firma.ts';
import type { WebhooksSettings } from './settings.ts';

/** Share of the slots that receivers which fail may have. */
const PARTE_DUDOSAS = 0.5;

interface Deps {
  readonly entregas: Pick<Entregas, 'restSeconds' | 'claim' | 'keepCuerpo' | 'delivered' | 'failed' | 'listen'>;
  readonly solicitudes: Pick<Solicitudes, 'find'>;
  readonly sender: Sender;
  readonly sellado: Pick<Sellado, 'open'>;
  readonly log: Logger;
  readonly metrics: Metrics<'worker'>;
  readonly tracing: Tracing;
}

/** Role `webhooks`: sends due deliveries and notices of states. It opens no credential and never asks the SAT. */
export const openWebhooks: OpenRole<WebhooksSettings & AvisosSettings & SaldoSettings> = async (context) => {
  const { config, database, heartbeats, log, metrics, tracing, shutdown, closeLater } = context;
  const { WEBHOOK_TIMEOUT_MS: timeoutMs, WEBHOOK_PERMITIR_HTTP: http, WEBHOOK_REDES_PERMITIDAS: redes } = config;
  const sender = closeLater('webhooks-sender', createSender({ timeoutMs, http, redes }));
  const entregas = createEntregas(database);
  const sellado = createSellado(openKeyring('WEBHOOK_KEYS', config.WEBHOOK_KEYS));
  const deps = { entregas, solicitudes: createSolicitudes(database), sender, sellado, log, metrics, tracing };
  const sending = await startWebhooks(deps, config);
  const closeMs = config.SHUTDOWN_SECONDS * 1_000;
  shutdown.phase('webhooks', () => sending.close(closeMs), { timeoutMs: closeMs + timeoutMs });
  const { AVISOS_INTERVAL_MS: everyMs, SALDO_AVISO: saldoAviso } = config;
  const avisos = createAvisos(database);
  closeLater(
    'avisos',
    startAvisos({ name: 'avisos', log, everyMs, look: (ajustes) => avisos.look({ ...ajustes, saldoAviso }) }),
  );
  closeLater('webhooks-latido', startHeartbeat('webhooks', { heartbeats, log, consumed: true }));
};

/** Sends due deliveries; a slow or dead receiver holds its own few slots only. */
function startWebhooks(deps: Deps, config: WebhooksSettings) {
  const { entregas, log } = deps;
  const {
    WEBHOOKS_CONCURRENCY: concurrency,
    WEBHOOKS_POR_DESTINO: porDestino,
    WEBHOOKS_POR_CUENTA: porCuenta,
  } = config;
  const leaseSeconds = config.WEBHOOK_TIMEOUT_MS / 1_000 + LEASE_SLACK_SECONDS;
  return startSending<EntregaTomada>({
    name: 'webhooks',
    concurrency,
    everyMs: config.WEBHOOKS_INTERVAL_MS,
    log,
    restSeconds: entregas.restSeconds,
    take(limite, enCamino) {
      const { length } = enCamino.filter(({ isDudosa }) => isDudosa);
      const dudosas = Math.max(0, Math.ceil(concurrency * PARTE_DUDOSAS) - length);
      return entregas.claim({ limite, porDestino, porCuenta, dudosas, leaseSeconds });
    },
    send: (tomada, signal) => deliver(deps, config, tomada, signal),
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
  config: WebhooksSettings,
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
    await noteFailure(deps, { ...config, WEBHOOK_DIAS_FALLANDO: NUNCA }, tomada, {
      ...SIN_ENVIO,
      error: 'SECRETO_ILEGIBLE',
    });
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
  await noteFailure(deps, config, tomada, envio);
}

/** Notes a try that failed, and when the next one is due. */
async function noteFailure(
  { entregas, log, metrics }: Deps,
  config: WebhooksSettings,
  tomada: EntregaTomada,
  envio: Omit<Envio, 'error'> & { readonly error: FalloDeEntrega | null },
): Promise<void> {
  const { status, retryAfter, error } = envio;
  const { WEBHOOK_REINTENTOS_SECONDS: intervalos, WEBHOOK_DIAS_FALLANDO: diasFallando } = config;
  const isNoMore = status === 410;
  const intentos = tomada.intentos + 1;
  const estado = await entregas.failed(tomada, envio, {
    enSegundos: isNoMore ? null : nextIntento({ intentos, intervalos, retryAfter }),
    deNuevoEnSegundos: nextIntento({ intentos: 1, intervalos, retryAfter }),
    esperaSegundos: esperaOf(envio, intervalos),
    isNoMore,
    diasFallando,
    maxPendientes: config.WEBHOOK_MAX_PENDIENTES,
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

/** Body of an event: `{type, timestamp, data}` (Standard Webhooks 1.0). Made once: every attempt has the same bytes. */
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

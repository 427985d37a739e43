import { randomBytes } from 'node:crypto';
import { huellaDeEnlace } from '@acuse/db';
import type { Metrics } from '@acuse/metrics';
import {
  type AvisosSettings,
  LEASE_SLACK_SECONDS,
  type OpenRole,
  startAvisos,
  startLoop,
  startSending,
} from '@acuse/roles';
import { type Logger, nextIntento } from '@acuse/runtime';
import { createAvisosCorreo } from './db/avisos.ts';
import { CORREOS_DE_SEGURIDAD, type Correos, type CorreoTomado, createCorreos } from './db/correos.ts';
import { type CorreoSettings, readServidor } from './settings.ts';
import type { Envio, Mailer } from './smtp.ts';
import { contenidoDe } from './textos.ts';

/** Milliseconds between two looks for mails to give up. */
const TIDY_MS = 15_000;
/** Rows that one statement gives up or deletes. */
const TIDY = 500;

interface Deps {
  readonly correos: Pick<Correos, 'claim' | 'link' | 'sent' | 'failed' | 'listen'>;
  readonly mailer: Mailer;
  readonly log: Logger;
  readonly metrics: Metrics<'worker'>;
  /** Seconds between two tries. */
  readonly intervalos: readonly number[];
  /** The panel, without a slash at the end. */
  readonly panelUrl: string;
}

/**
 * The role `correo`: hands mails to the server of `SMTP_URL`, writes those about certificates near their end, and ends
 * mails that are too late. Without a server it deletes them all.
 */
export const openCorreo: OpenRole<CorreoSettings & AvisosSettings> = async ({
  config,
  database,
  log,
  metrics,
  shutdown,
}) => {
  const correos = createCorreos(database);
  const { SMTP_URL, CORREO_DE: de, PANEL_PUBLIC_URL, CORREO_TIMEOUT_MS: timeoutMs } = config;
  const servidor = SMTP_URL === undefined ? null : readServidor(SMTP_URL);
  const isSending = servidor !== null && de !== undefined && PANEL_PUBLIC_URL !== undefined;
  const tidying = startLoop({
    name: 'correo-limpieza',
    everyMs: TIDY_MS,
    log,
    async turn() {
      if (!isSending) return (await correos.discard(TIDY)) === TIDY;
      const expired = await correos.expire(TIDY);
      if (expired > 0) {
        metrics.mailsGivenUp.with({ motivo: 'VENCIDO' }).add(expired);
        log.warn({ expired }, 'mails_given_up');
      }
      return expired === TIDY;
    },
  });
  shutdown.phase('correo-limpieza', () => tidying.close());
  if (!isSending) {
    log.info({}, 'mail_not_configured');
    return;
  }

  const { createMailer } = await import('./smtp.ts');
  const { CORREO_CONCURRENCY: concurrency, AVISOS_INTERVAL_MS } = config;
  const mailer = createMailer({ servidor, de, tls: config.SMTP_TLS, timeoutMs });
  const deps: Deps = {
    correos,
    mailer,
    log,
    metrics,
    intervalos: config.CORREO_REINTENTOS_SECONDS,
    panelUrl: PANEL_PUBLIC_URL.replace(/\/+$/, ''),
  };
  const leaseSeconds = timeoutMs / 1_000 + LEASE_SLACK_SECONDS;
  const sending = await startSending<CorreoTomado>({
    name: 'correo',
    concurrency,
    everyMs: config.CORREO_INTERVAL_MS,
    log,
    take: (limite) => correos.claim({ limite, leaseSeconds }),
    send: (tomado, signal) => deliver(deps, tomado, signal),
    onFailed: ({ id: correo }, err) => log.error({ correo, err }, 'mail_not_noted'),
    listen: correos.listen,
  });
  const closeMs = config.SHUTDOWN_SECONDS * 1_000;
  shutdown.phase('correo', () => sending.close(closeMs), { timeoutMs: closeMs + timeoutMs });
  const { look } = createAvisosCorreo(database);
  const looking = startAvisos({ name: 'avisos-correo', log, everyMs: AVISOS_INTERVAL_MS, look });
  shutdown.phase('avisos-correo', () => looking.close());
};

const CON_ENLACE: readonly string[] = [
  'correo.verificar',
  'password.restablecer',
  'equipo.invitacion',
  'conexion.enlace',
];

async function deliver(deps: Deps, tomado: CorreoTomado, signal: AbortSignal): Promise<void> {
  const { correos, mailer, log, metrics, panelUrl } = deps;
  const { id, tipo, para, datos, cuantas } = tomado;
  let enlace = null;
  if (CON_ENLACE.includes(tipo)) {
    // Made here and kept nowhere: the database has its hash, the mail has the token.
    const token = randomBytes(32).toString('base64url');
    const venceEn = await correos.link(tomado, huellaDeEnlace(token));
    if (venceEn === null) return tipo === 'conexion.enlace' ? giveUp(deps, tomado) : lost(deps, tomado);
    enlace = { token, venceEn };
  }
  const contenido = contenidoDe({ tipo, datos, cuantas, enlace, panelUrl });
  const baja = CORREOS_DE_SEGURIDAD.some((each) => each === tipo) ? null : `${panelUrl}/correos/baja/${tomado.baja}`;
  const envio = await mailer.send({ id, para, contenido, baja }, signal);
  // Given up by ourselves: nothing is known of it.
  if (envio.falla !== null && signal.aborted) return;
  metrics.mailAttempts.with({ outcome: outcomeOf(envio) }).add();
  metrics.mailDuration.with({}).observe(envio.ms / 1_000);
  if (envio.falla !== null) return noteFailure(deps, tomado, { ...envio, falla: envio.falla });
  if (!(await correos.sent(tomado))) return lost(deps, tomado);
  log.info({ correo: id, tipo, intentos: tomado.intentos + 1 }, 'mail_sent');
}

/** Ends a mail whose link is no longer open, if this worker still holds the mail. */
async function giveUp(deps: Deps, tomado: CorreoTomado): Promise<void> {
  const { id: correo, tipo } = tomado;
  const motivo = 'ENLACE_TERMINADO';
  if ((await deps.correos.failed(tomado, { error: motivo, enSegundos: null, isRefused: false })) === null)
    return lost(deps, tomado);
  deps.metrics.mailsGivenUp.with({ motivo: 'VENCIDO' }).add();
  deps.log.warn({ correo, tipo, motivo }, 'mail_given_up');
}

function lost({ log }: Deps, { id: correo, tipo }: CorreoTomado): void {
  log.warn({ correo, tipo }, 'mail_lease_lost');
}

/** Notes a try that failed, and when the next one is due. Neither address nor link is in the log. */
async function noteFailure(
  deps: Deps,
  tomado: CorreoTomado,
  { falla, respuesta, isRefused }: Envio & { readonly falla: NonNullable<Envio['falla']> },
): Promise<void> {
  const { correos, log, metrics, intervalos } = deps;
  const intentos = tomado.intentos + 1;
  const error = respuesta === null ? falla : `${falla}: ${respuesta}`;
  const enSegundos = isRefused ? null : nextIntento({ intentos, intervalos });
  const estado = await correos.failed(tomado, { error, enSegundos, isRefused });
  if (estado === null) return lost(deps, tomado);
  const fields = { correo: tomado.id, tipo: tomado.tipo, motivo: falla, respuesta, intentos };
  if (estado === 'PENDIENTE') {
    log.info(fields, 'mail_not_delivered');
    return;
  }
  metrics.mailsGivenUp.with({ motivo: isRefused ? 'RECHAZADO' : 'VENCIDO' }).add();
  log.warn(fields, 'mail_given_up');
}

function outcomeOf({ falla, isRefused }: Envio) {
  if (falla === null) return 'sent';
  if (isRefused) return 'refused';
  return falla === 'APLAZADO' ? 'deferred' : 'failed';
}

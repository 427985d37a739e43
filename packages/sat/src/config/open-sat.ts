import type { BreakerState, Captchas, Sat, SatMetrics, Sellado, SesionesPortal } from '@acuse/core';
import { type CanalDesactivado, createSat } from '../canales.ts';
import { createSatHttp, type SatHttp } from '../http/sat-http.ts';
import { createLectorPdf } from '../pdf/lector-pdf.ts';
import { createPortalCanal } from '../portal/create-portal-canal.ts';
import { createPublico } from '../publico/create-publico.ts';
import { createSatSoap } from '../soap/sat-soap.ts';
import { resolvedorDe } from './resolvedor-de.ts';
import type { SatConfig } from './sat-fields.ts';

/** What the processes that speak to the SAT share. */
export interface SatCompartido {
  readonly sesiones: SesionesPortal;
  readonly estado: BreakerState;
  /** Null: this process cannot ask people. */
  readonly captchas: Captchas | null;
  readonly sellado: Sellado;
  /** Sees every request to the authority. */
  readonly metrics?: SatMetrics;
  /**
   * Whoever asks has better things to do than to wait for a log-in or for a host that has enough to do: it is sent away
   * with OCUPADO. Default: it waits.
   */
  readonly isImpatient?: boolean;
}

/** Milliseconds that an impatient one waits for a log-in all the same: one without a person is over by then. */
const MOMENTO_MS = 1_500;

export interface SatAbierto {
  readonly sat: Sat;
  readonly http: SatHttp;
  /**
   * Logs out the sessions of all processes whose life is over: unused for SAT_SESION_SECONDS, replaced, or of a
   * credential that was stored again. To be called now and then, by any number of processes. Gives their number.
   */
  logout(signal: AbortSignal): Promise<number>;
  /**
   * Ends connections and threads. Sessions live on: the other processes use them, and {@link SatAbierto.logout} ends
   * them in time.
   */
  close(): Promise<void>;
}

/** The tax authority over all its channels, as the settings say. Throws when they are not complete. */
export function openSat(config: SatConfig, compartido: SatCompartido): SatAbierto {
  const captcha = resolvedorDe(config, compartido.captchas);
  const http = createSatHttp(
    {
      ...(config.SAT_BASE_URL === undefined ? {} : { baseUrl: config.SAT_BASE_URL }),
      ...(config.SAT_TLS_CA === undefined ? {} : { tlsCa: config.SAT_TLS_CA }),
      maxConcurrentPerHost: config.SAT_MAX_CONCURRENT_PER_HOST,
      ...(compartido.isImpatient ? { rejectWhenBusy: true } : {}),
    },
    { estado: compartido.estado, ...(compartido.metrics ? { metrics: compartido.metrics } : {}) },
  );
  const lector = createLectorPdf();
  const portal = createPortalCanal({
    http,
    captcha,
    sesiones: compartido.sesiones,
    sellado: compartido.sellado,
    settings: {
      captchaIntentos: config.CAPTCHA_INTENTOS,
      accesosALaVez: config.CAPTCHA_CONCURRENCY,
      captchaEsperaMs: config.CAPTCHA_SECONDS * 1_000,
      sesionInactivaMs: config.SAT_SESION_SECONDS * 1_000,
      ...(compartido.isImpatient ? { esperaAccesoMs: MOMENTO_MS } : {}),
    },
    readPdf: lector.read,
  });
  const sat = createSat({
    soap: createSatSoap({ http }),
    portal,
    publico: createPublico({ http }),
    settings: { desactivados: config.SAT_CANALES_DESACTIVADOS as readonly CanalDesactivado[] },
  });
  return {
    sat,
    http,
    logout: (signal) => portal.logout(signal),
    async close() {
      await portal.close();
      await Promise.all([http.close(), lector.close()]);
    },
  };
}

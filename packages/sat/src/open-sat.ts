import type { AccesoMetrics, BreakerState, Captchas, Sat, SatMetrics, Sellado, SesionesPortal } from '@acuse/core';
import { createSat } from './canales.ts';
import type { SatHttpSettings } from './http/direcciones.ts';
import { createSatHttp, type SatHttp } from './http/sat-http.ts';
import { createLectorPdf } from './pdf/lector-pdf.ts';
import {
  createPeopleResolver,
  createResolvedorConsola,
  createResolvedorHttp,
  createResolvedorSimulador,
  type ResolvedorCaptcha,
} from './portal/captcha.ts';
import type { PortalCanal } from './portal/create-portal-canal.ts';
import { logoutEnded } from './portal/sesion/salidas.ts';
import { createPublico } from './publico/create-publico.ts';
import { captchaUrlOf, type SatConfig } from './settings.ts';
import { createSatSoap } from './soap/sat-soap.ts';

/** What the processes that speak to the SAT share. */
export interface SatCompartido {
  readonly sesiones: SesionesPortal;
  readonly estado: BreakerState;
  /** Null: this process cannot ask people. */
  readonly captchas: Captchas | null;
  readonly sellado: Sellado;
  /** Sees every request to the authority, log-in and captcha. */
  readonly metrics?: SatMetrics & AccesoMetrics;
  /** True: a call rejects with OCUPADO instead of waiting for a log-in or a busy host. Default: it waits. */
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

/** Where the authority is and whom its certificates are trusted by, as the settings say. */
export const httpSettingsOf = (config: Pick<SatConfig, 'SAT_BASE_URL' | 'SAT_TLS_CA'>): SatHttpSettings => ({
  ...(config.SAT_BASE_URL === undefined ? {} : { baseUrl: config.SAT_BASE_URL }),
  ...(config.SAT_TLS_CA === undefined ? {} : { tlsCa: config.SAT_TLS_CA }),
});

/** The tax authority over all its channels, as the settings say. Throws when they are not complete. */
export function openSat(config: SatConfig, compartido: SatCompartido): SatAbierto {
  const captcha = resolvedorDe(config, compartido.captchas);
  const http = createSatHttp(
    {
      ...httpSettingsOf(config),
      maxConcurrentPerHost: config.SAT_MAX_CONCURRENT_PER_HOST,
      ...(compartido.isImpatient ? { rejectWhenBusy: true } : {}),
    },
    { estado: compartido.estado, ...(compartido.metrics ? { metrics: compartido.metrics } : {}) },
  );
  const lector = createLectorPdf();
  const sesionInactivaMs = config.SAT_SESION_SECONDS * 1_000;
  const openPortal = async () => {
    const { createPortalCanal } = await import('./portal/create-portal-canal.ts');
    return createPortalCanal({
      http,
      captcha,
      sesiones: compartido.sesiones,
      sellado: compartido.sellado,
      ...(compartido.metrics ? { metrics: compartido.metrics } : {}),
      settings: {
        captchaIntentos: config.CAPTCHA_INTENTOS,
        accesosALaVez: config.CAPTCHA_CONCURRENCY,
        captchaEsperaMs: config.CAPTCHA_SECONDS * 1_000,
        sesionInactivaMs,
        ...(compartido.isImpatient ? { esperaAccesoMs: MOMENTO_MS } : {}),
      },
      readPdf: lector.read,
    });
  };
  let opened: Promise<PortalCanal> | undefined;
  /** The portals, whose code is loaded at their first use: downloads by e.firma never need it. */
  const portal = () => {
    opened ??= openPortal();
    return opened;
  };
  const sat = createSat({
    soap: createSatSoap({ http }),
    portal: { send: async (...args) => (await portal()).send(...args) },
    publico: createPublico({ http }),
    settings: { desactivados: config.SAT_CANALES_DESACTIVADOS },
  });
  return {
    sat,
    http,
    logout: (signal) =>
      logoutEnded(compartido.sesiones, sesionInactivaMs, signal, async (ended) =>
        (await portal()).leave(ended, signal),
      ),
    async close() {
      await (await opened)?.close();
      await Promise.all([http.close(), lector.close()]);
    },
  };
}

/** What stands before the names of the hosts of a simulator that is asked beside the SAT, in the breakers' memory. */
const PRUEBAS = 'pruebas:';

/**
 * The simulator at `url` (SAT_PRUEBAS_URL), for test keys where other keys call the SAT. It has its own connections and
 * breakers, answers its own captchas, and is not part of the SAT's health: only `requests` sees its calls. Its session
 * store must be a simulator's too.
 */
export function openSatDePruebas(
  config: SatConfig,
  url: string,
  { requests, ...compartido }: Omit<SatCompartido, 'metrics'> & { readonly requests?: SatMetrics },
): SatAbierto {
  const captchas = `${url.replace(/\/+$/, '')}/cfdiau/simulador/captcha`;
  const captcha = { CAPTCHA_RESOLVER: 'simulador', CAPTCHA_URL: captchas } as const;
  const estado: BreakerState = { update: (host, change) => compartido.estado.update(PRUEBAS + host, change) };
  const metrics = requests && { record: requests.record, login() {}, captcha() {} };
  return openSat({ ...config, ...captcha, SAT_BASE_URL: url }, { ...compartido, estado, ...(metrics && { metrics }) });
}

/** The reader of captchas by the settings, or null. Throws when the settings of the reader are incomplete. */
function resolvedorDe(config: SatConfig, captchas: Captchas | null): ResolvedorCaptcha | null {
  const { CAPTCHA_RESOLVER: kind, CAPTCHA_TOKEN: token } = config;
  if (kind === 'ninguno') return null;
  if (kind === 'consola') return createResolvedorConsola({ entrada: process.stdin, salida: process.stderr });
  if (kind === 'personas') {
    if (captchas === null) throw new Error('CAPTCHA_RESOLVER=personas: este proceso no tiene base de datos');
    return createPeopleResolver({ captchas, plazoMs: config.CAPTCHA_SECONDS * 1_000 });
  }
  const url = captchaUrlOf(config);
  if (kind === 'simulador') return createResolvedorSimulador({ url });
  return createResolvedorHttp({
    url,
    campoImagen: config.CAPTCHA_CAMPO_IMAGEN,
    campoRespuesta: config.CAPTCHA_CAMPO_RESPUESTA,
    ...(token === undefined ? {} : { token: { cabecera: config.CAPTCHA_CABECERA, valor: token } }),
  });
}

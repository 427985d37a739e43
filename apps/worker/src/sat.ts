import type { Sat } from '@acuse/core';
import {
  type CanalDesactivado,
  createPortalCanal,
  createResolvedorConsola,
  createResolvedorHttp,
  createResolvedorSimulador,
  createSat,
  createSatHttp,
  createSatSoap,
  createSesionesEnMemoria,
  type ResolvedorCaptcha,
} from '@acuse/sat';
import type { WorkerConfig } from './config.ts';

/** Milliseconds that logging out of the portal may take at shutdown. */
const LOGOUT_MS = 5_000;

function resolvedorDe(config: WorkerConfig): ResolvedorCaptcha | null {
  const { CAPTCHA_RESOLVER: kind, CAPTCHA_URL: url, CAPTCHA_TOKEN: token } = config;
  if (kind === 'ninguno') return null;
  if (kind === 'consola') return createResolvedorConsola({ entrada: process.stdin, salida: process.stderr });
  if (url === undefined) throw new Error(`CAPTCHA_URL: falta, y CAPTCHA_RESOLVER=${kind} la necesita`);
  if (kind === 'simulador') return createResolvedorSimulador({ url });
  return createResolvedorHttp({
    url,
    campoImagen: config.CAPTCHA_CAMPO_IMAGEN,
    campoRespuesta: config.CAPTCHA_CAMPO_RESPUESTA,
    ...(token === undefined ? {} : { token: { cabecera: config.CAPTCHA_CABECERA, valor: token } }),
  });
}

/** The tax authority with both channels, as the settings say. */
export function openSat(config: WorkerConfig): { sat: Sat; close(): Promise<void> } {
  const http = createSatHttp({
    ...(config.SAT_BASE_URL === undefined ? {} : { baseUrl: config.SAT_BASE_URL }),
    ...(config.SAT_TLS_CA === undefined ? {} : { tlsCa: config.SAT_TLS_CA }),
    maxConcurrentPerHost: config.SAT_MAX_CONCURRENT_PER_HOST,
  });
  const portal = createPortalCanal({
    http,
    captcha: resolvedorDe(config),
    sesiones: createSesionesEnMemoria(),
  });
  const sat = createSat({
    soap: createSatSoap({ http }),
    portal,
    settings: { desactivados: config.SAT_CANALES_DESACTIVADOS as readonly CanalDesactivado[] },
  });
  return {
    sat,
    async close() {
      await portal.logout(AbortSignal.timeout(LOGOUT_MS), 0).catch(() => {});
      await http.close();
    },
  };
}

import type { OpinionesPublicas, Sat, SesionesPortal } from '@acuse/core';
import { createBreakerState, createCaptchas, createSatMetrics, createSesionesPortal, type Database } from '@acuse/db';
import type { Shutdown } from '@acuse/runtime';
import { createOpinionesPublicas, openSat } from '@acuse/sat';
import { createSellado, openKeyring } from '@acuse/vault';
import type { ApiConfig } from './config.ts';
import { guardPort } from './http/database-guard.ts';

/**
 * The tax authority, with the sessions, breakers and captchas that all processes share over the database; what keeps
 * that from answering within `timeoutMs` is told as anywhere else in a call.
 */
export function openAuthority(
  database: Database,
  config: ApiConfig,
  shutdown: Shutdown,
  timeoutMs: number,
): {
  readonly sat: Sat;
  readonly sesiones: SesionesPortal;
  readonly opinionesPublicas: OpinionesPublicas | null;
} {
  const sesiones = createSesionesPortal(database);
  const metrics = createSatMetrics(database);
  shutdown.phase('medidor-sat', () => metrics.close());
  const { sat, close } = openSat(config, {
    sesiones: guardPort(sesiones, timeoutMs),
    estado: createBreakerState(database),
    captchas: guardPort(createCaptchas(database), timeoutMs),
    metrics,
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  });
  shutdown.phase('sat', close);
  return { sat, sesiones, opinionesPublicas: openOpiniones(config, shutdown) };
}

function openOpiniones({ OPINION_PUBLICA_URL: url }: ApiConfig, shutdown: Shutdown): OpinionesPublicas | null {
  if (url === undefined) return null;
  const fuente = createOpinionesPublicas({ url });
  shutdown.phase('opiniones-publicas', () => fuente.close());
  return fuente;
}

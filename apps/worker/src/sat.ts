import type { SatMetrics } from '@acuse/core';
import { createBreakerState, createCaptchas, createSesionesPortal, type Database } from '@acuse/db';
import { openSat, type SatAbierto } from '@acuse/sat';
import { createSellado, openKeyring } from '@acuse/vault';
import type { WorkerConfig } from './config.ts';

/** The tax authority, with the sessions, breakers and captchas that all processes share over the database. */
export function openSatOver(database: Database, config: WorkerConfig, metrics: SatMetrics): SatAbierto {
  return openSat(config, {
    sesiones: createSesionesPortal(database),
    estado: createBreakerState(database),
    captchas: createCaptchas(database),
    metrics,
    // A step that would wait gives its claim back: its slot is for others meanwhile.
    isImpatient: true,
    sellado: createSellado(openKeyring('SESSION_KEYS', config.SESSION_KEYS)),
  });
}

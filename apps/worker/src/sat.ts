import type { MedidorSat } from '@acuse/core';
import { createCaptchas, createEstadoCortacircuitos, createSesionesPortal, type Database } from '@acuse/db';
import { firstKey, parseKeys } from '@acuse/runtime';
import { openSat, type SatAbierto } from '@acuse/sat';
import { createKeyring, createSellado, decodeClave32 } from '@acuse/vault';
import type { WorkerConfig } from './config.ts';

/** The tax authority, with the sessions, breakers and captchas that all processes share over the database. */
export function openSatOver(database: Database, config: WorkerConfig, medidor: MedidorSat): SatAbierto {
  const keys = parseKeys('SESSION_KEYS', config.SESSION_KEYS, decodeClave32);
  return openSat(config, {
    sesiones: createSesionesPortal(database),
    estado: createEstadoCortacircuitos(database),
    captchas: createCaptchas(database),
    medidor,
    sellado: createSellado(createKeyring({ keys, current: firstKey(keys).id })),
  });
}

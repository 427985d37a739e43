import { assembleSolicitud } from '@acuse/core';
import { createRfcsListados } from '@acuse/db';
import { holdRfcsListados } from '../descargas/rfcs-listados.ts';
import type { OpenRole } from './role.ts';

/** Milliseconds between two looks at which versions of the lists packages are crossed with. */
const LISTS_EVERY_MS = 60_000;

/** Assembles the packages of a solicitud into one ZIP. */
export const openEnsambles: OpenRole = (context) => {
  const { config, database, log, metrics, claims, paquetes, checkpoint, closeLater } = context;
  const lector = createRfcsListados(database);
  const listados = closeLater('listados', holdRfcsListados({ lector, log, metrics, everyMs: LISTS_EVERY_MS }));
  context.wakes.on('lists', listados.wake);
  const deps = { claims, paquetes, checkpoint, listados: listados.current };
  context.consume(
    { queue: 'ensambles', run: (claimed, signal) => assembleSolicitud(deps, claimed, signal) },
    config.ENSAMBLES_CONCURRENCY,
  );
};

import { assembleSolicitud } from '@acuse/core';
import type { OpenWorkerRole } from './role.ts';

/** Assembles the packages of a solicitud into one ZIP. */
export const openEnsambles: OpenWorkerRole = (context) => {
  const { config, claims, paquetes, checkpoint } = context;
  const deps = { claims, paquetes, checkpoint, observe: context.openObservers() };
  context.consume(
    { queue: 'ensambles', run: (claimed, signal) => assembleSolicitud(deps, claimed, signal) },
    config.ENSAMBLES_CONCURRENCY,
  );
};

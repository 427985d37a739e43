import { type AssembleDeps, assembleSolicitud } from '@acuse/core';
import type { Trabajo } from '../trabajo.ts';

/** The ZIP of a solicitud: few at the same time, each a processor's worth of compression. */
export function createEnsambles(deps: AssembleDeps): Trabajo {
  return { cola: 'ensambles', run: (tomada, signal) => assembleSolicitud(deps, tomada, signal) };
}

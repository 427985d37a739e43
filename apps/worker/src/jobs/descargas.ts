import { type AdvanceDeps, advanceSolicitud } from '@acuse/core';
import type { Trabajo } from '../trabajo.ts';

/** One step of a solicitud through the SAT. Many of them wait on the network at the same time. */
export function createDescargas(deps: AdvanceDeps): Trabajo {
  return { cola: 'descargas', run: (tomada, signal) => advanceSolicitud(deps, tomada, signal) };
}

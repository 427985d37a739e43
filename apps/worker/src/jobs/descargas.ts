import { type AdvanceDeps, advanceSolicitud } from '@acuse/core';
import type { StepJob } from '../step-job.ts';

/** One step of a solicitud through the SAT. Many of them wait on the network at the same time. */
export function createDescargas(deps: AdvanceDeps): StepJob {
  return { queue: 'descargas', run: (claimed, signal) => advanceSolicitud(deps, claimed, signal) };
}

import { type AssembleDeps, assembleSolicitud } from '@acuse/core';
import type { StepJob } from '../step-job.ts';

/** The ZIP of a solicitud: few at the same time, each a processor's worth of compression. */
export function createEnsambles(deps: AssembleDeps): StepJob {
  return { queue: 'ensambles', run: (claimed, signal) => assembleSolicitud(deps, claimed, signal) };
}

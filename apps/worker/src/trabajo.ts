import type { NombreCola, SolicitudTomada } from '@acuse/core';

/** What a queue's rings lead to: work on a claimed solicitud, which gives the claim back or ends the solicitud. */
export interface Trabajo {
  readonly cola: NombreCola;
  run(tomada: SolicitudTomada, signal: AbortSignal): Promise<void>;
}

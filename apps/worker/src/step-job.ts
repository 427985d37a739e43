import type { ClaimedSolicitud, QueueName } from '@acuse/core';

/** What a queue's rings lead to: work on a claimed solicitud, which gives the claim back or ends the solicitud. */
export interface StepJob {
  readonly queue: QueueName;
  run(claimed: ClaimedSolicitud, signal: AbortSignal): Promise<void>;
}

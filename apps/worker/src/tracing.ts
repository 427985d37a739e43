import type { ClaimedSolicitud, Paquetes, QueueName } from '@acuse/core';
import { around } from '@acuse/runtime';
import type { Tracing } from '@acuse/tracing';

/**
 * Runs a step as a span of the trace that its solicitud was accepted in, behind those of what its wake-up waited: in the
 * outbox, then in the queue. The waits come from the database, which has another clock: spans carry their lengths.
 */
export function traceStep<Outcome extends string>(
  tracing: Tracing,
  { queue, claimed }: { readonly queue: QueueName; readonly claimed: ClaimedSolicitud },
  step: () => Promise<Outcome>,
): Promise<Outcome> {
  const { id, epoch, canal, traceparent: parent, now, dueAt, wokenAt } = claimed;
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'acuse.solicitud.id': id,
    'acuse.solicitud.epoch': epoch,
    'acuse.canal': canal,
  };
  const spanOf = <Kind extends 'producer' | 'client' | 'consumer'>(operation: string, kind: Kind) => ({
    name: `${operation} ${queue}`,
    attributes: { ...attributes, 'messaging.operation.type': operation },
    kind,
    parent,
  });
  const claimedAt = Date.now();
  const ago = (at: Date) => claimedAt - Math.max(0, now.getTime() - at.getTime());
  if (parent !== null && wokenAt !== null) {
    tracing.note(spanOf('send', 'producer'), ago(dueAt), ago(wokenAt));
    tracing.note(spanOf('receive', 'client'), ago(wokenAt), claimedAt);
  }
  return tracing.span(spanOf('process', 'consumer'), async (span) => {
    const outcome = await step();
    span.set({ 'acuse.step.outcome': outcome });
    if (outcome === 'failed' || outcome === 'lost') span.fail(`step_${outcome}`);
    return outcome;
  });
}

/** The same storage as steps use it, what takes long of it as spans. */
export const tracePaquetes = (paquetes: Paquetes, tracing: Tracing): Paquetes =>
  around(paquetes, {
    saveSat: (run) =>
      tracing.span({ name: 'save package', kind: 'internal' }, async (span) => {
        const saved = await run();
        span.set({ 'acuse.package.bytes': saved.bytes });
        return saved;
      }),
    assemble: (run) =>
      tracing.span({ name: 'assemble package', kind: 'internal' }, async (span) => {
        const made = await run();
        span.set({ 'acuse.package.bytes': made.bytes, 'acuse.package.registros': made.registros });
        return made;
      }),
  });

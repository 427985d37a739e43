import { randomBytes } from 'node:crypto';
import { noCheckpoint } from '@acuse/core';
import { CANAL_OUTBOX, createClaims, createHeartbeats, createOutbox, listenTo } from '@acuse/db';
import { createMetrics } from '@acuse/metrics';
import { createConsumer, createQueue } from '@acuse/queue';
import { silentLogger as log } from '@acuse/runtime';
import { it } from 'vitest';
import { startRelay } from '../../../apps/worker/src/roles/relay.ts';
import { createRunner } from '../../../apps/worker/src/steps.ts';
import { schedule, seedOpen } from '../fixtures/abiertas.ts';
import { useDatabase } from '../fixtures/database.ts';
import { onEachDriver } from '../fixtures/drivers.ts';
import { waitFor } from '../fixtures/wait-for.ts';

/** Milliseconds between two looks of the relay: it looks because it is woken, or not at all. */
const NEVER = 3_600_000;

onEachDriver('the relay of a worker', (redisUrl) => {
  const t = useDatabase();

  it.each([
    ['gives out the slot of a step that is over, and wakes what is due at once', true, 3],
    ['gives out the slots of another process while wake-ups wait', false, 1],
  ])('%s, before its next look', async (_, isHeard, stepsOfEach) => {
    const settings = { url: redisUrl ?? t.url, namespace: `t-${randomBytes(6).toString('hex')}` };
    await createHeartbeats(t.db).beat({ proceso: 'uno', rol: 'descargas', consumed: false, slots: 2 });
    const claims = createClaims(t.db);
    const queue = createQueue(settings);
    const relay = startRelay({
      outbox: createOutbox(t.db),
      queue,
      log,
      everyMs: NEVER,
      queueTimeoutMs: 20_000,
      graceSeconds: 600,
    });
    const listening = await listenTo(t.db.settings, CANAL_OUTBOX, relay.wake);
    const steps = new Map<string, number>();
    const runner = createRunner(
      {
        claims,
        log,
        metrics: createMetrics('worker').metrics,
        checkpoint: noCheckpoint,
        leaseSeconds: 60,
        retrySeconds: 60,
        freed: isHeard ? relay.freed : () => {},
      },
      {
        queue: 'descargas',
        async run(claimed) {
          const step = (steps.get(claimed.id) ?? 0) + 1;
          await claims.release(claimed, {}, { queue: 'descargas', inSeconds: step < stepsOfEach ? 0 : 3_600 });
          steps.set(claimed.id, step);
        },
      },
    );
    const consumer = createConsumer(settings, {
      queue: 'descargas',
      concurrency: 2,
      handle: runner.answer,
      onError: (error) => log.warn({ err: error }, 'queue_failed'),
    });
    try {
      // More than the slots and what may wait beyond them.
      const ids = await seedOpen(t.db.pool, { open: 12, cuentas: 3 });
      await schedule(t.db.pool, ids);
      relay.wake();
      await waitFor(async () => ids.every((id) => steps.get(id) === stepsOfEach) || null);
    } finally {
      await listening.close();
      await relay.close();
      await consumer.close(1_000);
      await queue.close();
    }
  });
});

import { once } from 'node:events';
import { schedule, seedOpen } from '../integration/fixtures/abiertas.ts';
import { queueOf } from './backlog.ts';
import { type Servers, startMeasure } from './cpu.ts';
import { openFilled } from './growth/axes.ts';
import { startWorker, stepsOf } from './growth/workers.ts';
import { peakBytes } from './stack.ts';

/** Seconds between two looks at one solicitud. */
const EVERY = 300;

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000));

/**
 * One worker that looks at 100,000 open solicitudes every five minutes: whether it keeps up, how much of one processor
 * that takes with PostgreSQL and Redis, and its memory, that of the compiler of TypeScript included.
 */
export async function benchLooks(servers: Servers, share: number): Promise<void> {
  const [open, seconds] = [share * 100_000, share * 60];
  const { db, url } = await openFilled(servers, async (_, { pool }) => {
    await schedule(pool, await seedOpen(pool, { open, cuentas: 20 }));
    await pool.query('UPDATE outbox SET due_at = now() + make_interval(secs => random() * $1)', [EVERY]);
    return {};
  });
  const worker = startWorker('w0', url, queueOf(servers.redis?.url ?? url), EVERY);
  try {
    await once(worker, 'message');
    // What came due before it began.
    await pause(seconds / 4);
    const [from = 0] = await stepsOf([worker]);
    const measured = await startMeasure(servers, [worker.pid ?? 0]);
    await pause(seconds);
    const [to = 0] = await stepsOf([worker]);
    const { perSecond, cpuMs } = await measured(to - from);
    const { rows } = await db.pool.query<{ late: number | null }>(
      'SELECT extract(epoch FROM now() - min(due_at))::float AS late FROM outbox WHERE rung_at IS NULL AND due_at <= now()',
    );
    const ms = cpuMs.reduce((all, one) => all + one, 0);
    console.log(
      `looks: ${open} open, each every ${EVERY} s: ${perSecond.toFixed(0)}/s of ${(open / EVERY).toFixed(0)} due, the oldest ${(rows[0]?.late ?? 0).toFixed(1)} s late | ${ms.toFixed(2)} ms of processor each (${cpuMs.map((one) => one.toFixed(2)).join(' + ')}), ${((ms * perSecond) / 10).toFixed(0)} % of a core | ${((await peakBytes(worker.pid ?? 0)) / 1e6).toFixed(0)} MB at most in the worker (aim 300)`,
    );
  } finally {
    worker.kill('SIGKILL');
    await db.close();
  }
}

import { randomBytes, randomUUID } from 'node:crypto';
import {
  createConsumer,
  createDashboard,
  createQueue,
  createScheduledConsumer,
  createScheduler,
  inspectQueue,
  QueueUnavailable,
  searchQueue,
} from '@acuse/queue';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openWakeUps, untilTaken } from '../fixtures/queue.ts';
import { clusterGroup, type RedisGroup, sentinelGroup } from '../fixtures/redis-groups.ts';
import { waitFor } from '../fixtures/wait-for.ts';

const GROUPS = { sentinels: sentinelGroup, 'a cluster': clusterGroup };

describe.skipIf(inject('redisUrl') === null).each(Object.entries(GROUPS))('the wake-up queue on %s', (name, start) => {
  let group: RedisGroup;
  beforeAll(async () => {
    group = await start();
    await group.isWhole();
  });
  afterAll(() => group?.close());
  const settings = () => ({ url: group.url, namespace: `q-${randomBytes(4).toString('hex')}` });

  it('wakes, schedules, is counted, searched and inspected', async () => {
    const at = settings();
    const { isHeard, close } = openWakeUps(at);
    await isHeard();
    await close();
    const [queue, dashboard] = [createQueue(at), createDashboard(at)];
    const solicitudId = randomUUID();
    const wakeUps = (['descargas', 'ensambles'] as const).map((each) => ({ solicitudId, gen: 1, queue: each }));
    await untilTaken(() => queue.wake(wakeUps, AbortSignal.timeout(5_000)));
    await expect
      .poll(() => dashboard.cuentas(AbortSignal.timeout(5_000)))
      .toEqual([
        { queue: 'descargas', trabajos: { esperan: 1, activos: 0, aplazados: 0 } },
        { queue: 'ensambles', trabajos: { esperan: 1, activos: 0, aplazados: 0 } },
        { queue: 'listas', trabajos: { esperan: 0, activos: 0, aplazados: 0 } },
      ]);
    const found = await searchQueue(group.url, solicitudId);
    const prefixOf = (each: string) => (name === 'a cluster' ? `{${at.namespace}-${each}}` : 'bull');
    expect(found?.hallazgos).toEqual(
      expect.arrayContaining(
        wakeUps.map((each) => `${prefixOf(each.queue)}:${at.namespace}-${each.queue}:${solicitudId}-1`),
      ),
    );
    expect(await inspectQueue(group.url, 10_000)).toEqual({
      driver: 'redis',
      version: expect.stringMatching(/^\d/),
      policy: 'noeviction',
      keepsOnDisk: true,
      isReplica: false,
      isCluster: false,
      isAlone: false,
    });
    const [, login = '', hosts = ''] = /:\/\/(.*@)([^/]*)/.exec(group.url) ?? [];
    const refused = {
      sentinels: [
        [`redis+sentinel://${login}${hosts}/principal`, /NOAUTH/],
        [group.url.replace('/principal', '/otro'), /No such master/],
        [`redis+cluster://${login}127.0.0.1:${await group.master('')}`, /cluster support disabled/],
        ['redis+sentinel://127.0.0.1:9/principal', { code: 'ECONNREFUSED' }],
      ],
      'a cluster': [
        [`redis+cluster://:otra@${hosts}`, /WRONGPASS/],
        ['redis+cluster://127.0.0.1:9', { code: 'ECONNREFUSED' }],
      ],
    }[name] as [string, RegExp | object][];
    for (const [url, reason] of refused)
      await expect(inspectQueue(url, 10_000)).rejects.toMatchObject(
        reason instanceof RegExp ? { message: expect.stringMatching(reason) } : reason,
      );
    if (name === 'a cluster')
      expect(await inspectQueue(`redis://${login}${hosts.split(',')[0]}`, 10_000)).toMatchObject({ isCluster: true });
    let done = 0;
    const tarea = { nombre: 'listas', cron: '* * * * * *', tz: 'UTC' };
    const scheduler = createScheduler(at, tarea);
    const consumer = createScheduledConsumer(at, { ...tarea, handle: async () => void done++, onError: () => {} });
    await untilTaken(() => scheduler.ensure(AbortSignal.timeout(5_000)));
    await expect.poll(() => done).toBeGreaterThan(1);
    await Promise.all([scheduler.close(), consumer.close(0), dashboard.close(), queue.close()]);
  });

  it('loses nothing when its master is killed or falls silent under load', { tags: ['slow'] }, async () => {
    const at = settings();
    const [queue, pending] = [createQueue(at), new Map<string, number>()];
    const heard: { readonly by: number; readonly at: number }[] = [];
    const consumers = [0, 1].map((by) =>
      createConsumer(at, {
        queue: 'descargas',
        concurrency: 5,
        handle: async ({ solicitudId }) => {
          heard.push({ by, at: Date.now() });
          pending.delete(solicitudId);
        },
        onError: () => {},
      }),
    );
    let [taken, isOver] = [0, false];
    /** As the relay: sends what is new, and after a second again what was not heard. */
    const send = async () => {
      for (let n = 0; n < 20 && !isOver; n += 1) pending.set(randomUUID(), 0);
      const due = [...pending].filter(([, sentAt]) => sentAt < Date.now() - 1_000).map(([id]) => id);
      const wakeUps = due.map((solicitudId) => ({ solicitudId, gen: 1, queue: 'descargas' }) as const);
      await queue.wake(wakeUps, AbortSignal.timeout(2_000)).then(
        () => {
          taken += due.length;
          for (const id of due) if (pending.has(id)) pending.set(id, Date.now());
        },
        (error) => expect(error).toBeInstanceOf(QueueUnavailable),
      );
      return (isOver && pending.size === 0) || null;
    };
    const relay = waitFor(send, 500);
    /** Both consumers go on: their next hundred jobs after a moment. */
    const flows = (since: number) =>
      expect
        .poll(() => [0, 1].filter((by) => heard.filter((job) => job.by === by && job.at > since).length >= 100))
        .toEqual([0, 1]);
    await flows(0);
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const victim = await group.master(`${at.namespace}-descargas`);
      const killedAt = Date.now();
      group.kill(victim, signal);
      const isReplaced = async () => {
        const port = await group.master(`${at.namespace}-descargas`);
        return (port !== 0 && port !== victim) || null;
      };
      await waitFor(isReplaced);
      const promotedAt = Date.now();
      await flows(promotedAt);
      const firstAt = heard.find((job) => job.at > promotedAt)?.at ?? 0;
      console.log(`${name}, ${signal}: new master after ${promotedAt - killedAt} ms, jobs ${firstAt - killedAt} ms`);
      if (signal === 'SIGKILL') await group.restart(victim);
      else group.kill(victim, 'SIGCONT');
      await group.isWhole();
    }
    isOver = true;
    await relay;
    console.log(`${name}: ${heard.length} heard of ${taken} taken, ${pending.size} lost`);
    expect(pending.size).toBe(0);
    await Promise.all([...consumers.map((consumer) => consumer.close(0)), queue.close()]);
  });
});

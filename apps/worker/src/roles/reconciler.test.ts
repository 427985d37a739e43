import { silentLogger } from '@acuse/runtime';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startReaper } from './reaper.ts';
import { startCleanup, startReconciler } from './reconciler.ts';

const never = () => new Promise<never>(() => {});
const base = { log: silentLogger, everyMs: 1 };
const cleanup = { ...base, retentionDays: 30, purgeSeconds: 1 };
const retire = async () => 0;

test('storage that hangs delays neither wake-ups and refunds nor the end of a key', async () => {
  const counts = { woken: 0, refunded: 0, reaped: 0, asked: 0 };
  const limpieza = startCleanup({
    ...cleanup,
    sweeper: { retire, purgeable: async () => ['s1'], purged: async () => {} },
    documentos: { old: async () => [], deleted: async () => {} },
    paquetes: {
      remove: () => {
        counts.asked += 1;
        return never();
      },
      removeDocumento: never,
      sweepUploads: never,
    },
  });
  const reconciler = startReconciler({
    ...base,
    sweeper: {
      wakeOverdue: async () => {
        counts.woken += 1;
        return { woken: 0, isLate: true, isAbandoned: true };
      },
      expire: async () => [],
    },
    saldos: {
      refundAbandoned: async () => {
        counts.refunded += 1;
        return 0;
      },
    },
  });
  const reaper = startReaper({
    ...base,
    boveda: {
      reap: async () => {
        counts.reaped += 1;
        return 0;
      },
    },
  });
  await expect.poll(() => Math.min(counts.woken, counts.refunded, counts.reaped)).toBeGreaterThan(3);
  expect(counts.asked).toBe(1);
  await Promise.all([reconciler.close(), reaper.close()]);
  void limpieza.close();
});

test('the reconciler sends one statement for each turn until something is late or abandoned; its first one searches', async () => {
  const done: string[] = [];
  const found = [{}, { isLate: true }, { isAbandoned: true }, {}];
  let turns = 0;
  const reconciler = startReconciler({
    ...base,
    sweeper: {
      async wakeOverdue({ findLost }) {
        done.push(findLost ? 'search' : 'look');
        return { woken: 0, isLate: false, isAbandoned: false, ...found[turns++] };
      },
      async expire() {
        done.push('expire');
        return [];
      },
    },
    saldos: {
      async refundAbandoned() {
        done.push('refund');
        return 0;
      },
    },
  });
  await expect.poll(() => turns).toBeGreaterThan(found.length);
  await reconciler.close();
  expect(done.slice(0, 6)).toEqual(['search', 'look', 'expire', 'look', 'refund', 'look']);
});

test('the reconciler searches for lost wake-ups again after a full batch, else after ten minutes', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => void vi.restoreAllMocks());
  const searches: boolean[] = [];
  const reconciler = startReconciler({
    ...base,
    sweeper: {
      async wakeOverdue({ limit, findLost }) {
        searches.push(findLost);
        if (searches.length === 3) now = 599_999;
        if (searches.length === 4) now = 600_000;
        return { woken: searches.length === 1 ? limit : 0, isLate: false, isAbandoned: false };
      },
      expire: async () => [],
    },
    saldos: { refundAbandoned: async () => 0 },
  });
  await vi.waitUntil(() => searches.length >= 6);
  await reconciler.close();
  expect(searches.slice(0, 6)).toEqual([true, true, false, false, true, false]);
});

test('deletes the object before it notes that, asks for abandoned uploads once an hour, and stops between two objects', async () => {
  const done: string[] = [];
  let close = async () => {};
  const stopped = new Promise<void>((resolve) => {
    const limpieza = startCleanup({
      ...cleanup,
      sweeper: {
        retire,
        purgeable: async () => (done.length < 8 ? ['a'] : ['b', 'c']),
        purged: async (id) => void done.push(`noted ${id}`),
      },
      documentos: {
        old: async () => [{ id: 'd', objectKey: 'opiniones/d.pdf' }],
        deleted: async (id) => void done.push(`noted ${id}`),
      },
      paquetes: {
        async remove(id) {
          done.push(`removed ${id}`);
          if (id === 'b') void close().then(resolve);
        },
        removeDocumento: async (key) => void done.push(`removed ${key}`),
        async sweepUploads() {
          done.push('swept');
          return 0;
        },
      },
    });
    close = () => limpieza.close();
  });
  await stopped;
  const round = ['removed a', 'noted a', 'removed opiniones/d.pdf', 'noted d'];
  expect(done).toEqual([...round, 'swept', ...round, 'removed b', 'noted b']);
});

test('an object that storage does not let go of keeps no other; storage that lets go of none is left alone for a turn', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `s${n}`);
  const asked: string[] = [];
  const noted = new Set<string>();
  let turns = 0;
  const limpieza = startCleanup({
    ...cleanup,
    sweeper: {
      retire,
      async purgeable() {
        turns += 1;
        return ids.filter((id) => !noted.has(id));
      },
      purged: async (id) => void noted.add(id),
    },
    documentos: { old: async () => [], deleted: async () => {} },
    paquetes: {
      async remove(id) {
        asked.push(`${turns} ${id}`);
        if (turns === 1 || Number(id.slice(1)) < 9 || id === 's20') throw new Error('AccessDenied');
      },
      removeDocumento: async () => {},
      sweepUploads: async () => 0,
    },
  });
  await expect.poll(() => turns).toBeGreaterThan(2);
  await limpieza.close();
  expect([...noted]).toEqual(ids.filter((_, n) => n >= 9 && n !== 20));
  expect(asked.filter((each) => each.startsWith('1 '))).toHaveLength(10);
});

import { holdRoles, listenTo, notifyOutbox } from '@acuse/db';
import { afterEach, expect, it, vi } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
const ROLES = ['relay', 'reaper'] as const;
afterEach(() => void vi.useRealTimers());

/** A process with roles; `held` lists those that it was told it holds, each time. */
async function holder(roles: readonly ('relay' | 'reaper' | 'listas')[] = ROLES) {
  const held: (readonly string[])[] = [];
  let woken = 0;
  const { close } = await holdRoles(t.db.settings, roles, {
    canal: 'acuse_outbox',
    wake: () => {
      woken += 1;
    },
    onChange: (now) => held.push(now),
  });
  return { held, woken: () => woken, now: () => held.at(-1), close };
}

const sessions = (name: 'roles' | 'listen') =>
  t.sql<{
    pid: number;
  }>`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = ${`acuse-test-${name}`}`;
const cut = (name: 'roles' | 'listen') =>
  t.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = ${`acuse-test-${name}`}`;

it('gives each role to one process at once, and to the next when that one leaves', async () => {
  const [first, other] = [await holder(), await holder(['listas', 'relay'])];
  expect([first.held, other.held]).toEqual([[['relay', 'reaper']], [['listas']]]);
  await first.close();
  await expect.poll(other.now).toEqual(['listas', 'relay']);
  const last = await holder();
  expect(last.held).toEqual([['reaper']]);
  await Promise.all([other.close(), last.close()]);
  expect(
    await t.sql`SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE l.locktype = 'advisory' AND d.datname = current_database()`,
  ).toEqual([]);
});

it('takes the roles of a process whose connection the server ended, and holds them on one connection again', async () => {
  const only = await holder();
  await cut('roles');
  await expect.poll(() => only.held).toEqual([ROLES, [], ROLES]);
  await notifyOutbox(t.db);
  await expect.poll(only.woken).toBe(1);
  expect(await sessions('roles')).toHaveLength(1);
  await only.close();
});

it('sends a statement each two seconds while it waits for a role, and each five while it holds all of its roles', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const [first, waiting] = [await holder(), await holder(['relay'])];
  const sentAt = async () => {
    const rows = await t.sql<{ at: string }>`SELECT query_start::text AS at FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'acuse-test-roles' ORDER BY backend_start`;
    return rows.map(({ at }) => at);
  };
  const before = await sentAt();
  expect(before).toHaveLength(2);
  vi.advanceTimersByTime(2_000);
  await expect.poll(async () => (await sentAt())[1]).not.toBe(before[1]);
  expect((await sentAt())[0]).toBe(before[0]);
  vi.advanceTimersByTime(3_000);
  await expect.poll(async () => (await sentAt())[0]).not.toBe(before[0]);
  await Promise.all([first.close(), waiting.close()]);
});

it('holds no role on a server that takes no writes', async () => {
  const name = new URL(t.url).pathname.slice(1);
  await t.db.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  const only = await holder();
  expect(only.held).toEqual([[]]);
  await expect.poll(() => sessions('roles')).toHaveLength(0);
  const client = await t.db.pool.connect();
  await client.query('SET default_transaction_read_only = off');
  await client.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  client.release();
  await expect.poll(only.now).toEqual(ROLES);
  await only.close();
});

it('listens on one connection after the server ended the last', async () => {
  let woken = 0;
  const listening = await listenTo(t.db.settings, 'acuse_outbox', () => {
    woken += 1;
  });
  for (const { pid } of await sessions('listen')) {
    await cut('listen');
    await expect.poll(async () => (await sessions('listen')).map((each) => each.pid)).not.toContain(pid);
  }
  await expect.poll(() => sessions('listen')).toHaveLength(1);
  // Once for each connection: notifications between the two are lost.
  await expect.poll(() => woken).toBe(2);
  await expect
    .poll(async () => {
      await notifyOutbox(t.db);
      return woken;
    })
    .toBeGreaterThan(2);
  await listening.close();
  expect(await sessions('listen')).toEqual([]);
});

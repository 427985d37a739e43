import { CANAL_OUTBOX, holdRoles } from '@acuse/db';
import { OUTBOX, relayed } from '@acuse/roles';
import { createShutdown, type Shutdown } from '@acuse/runtime';
import type { Role } from '@acuse/settings/worker';
import type { WorkerContext, WorkerRole } from './roles/role.ts';

/** Milliseconds that a part of a role may take to close, and all parts of all roles. */
const PART_MS = 10_000;
const CLOSE_MS = 30_000;

/**
 * Opens `roles` while this process holds their locks, and closes them when it loses the locks: one process is active,
 * the others stand by and show `standby` at `/healthz`. The locks save work and are not needed for correctness: the loops
 * are safe when several processes run them, as an active process and its successor may for a moment. A process ends when
 * a role fails to open.
 */
export async function coordinate(context: WorkerContext, roles: readonly WorkerRole[]): Promise<void> {
  const { database, log, shutdown, wakes } = context;
  const names = [...new Set(roles.map(({ role }) => role))];
  if (names.length === 0) return;
  const opened = new Map<Role, Shutdown>();
  let isLeaving = false;

  async function openRole(role: Role): Promise<void> {
    const own = createShutdown({ log: { ...log, info: log.debug }, timeoutMs: PART_MS });
    opened.set(role, own);
    const closeLater: WorkerContext['closeLater'] = (name, part) => {
      own.phase(name, () => part.close());
      return part;
    };
    for (const each of roles) if (each.role === role) await each.open({ ...context, shutdown: own, closeLater });
  }

  async function closeBut(held: readonly Role[]): Promise<boolean> {
    const lost = [...opened].filter(([role]) => !held.includes(role));
    const closed = lost.map(async ([role, own]) => {
      const isClean = await own.close('the lock is lost');
      opened.delete(role);
      return isClean;
    });
    return !(await Promise.all(closed)).includes(false);
  }

  async function follow(held: readonly Role[]): Promise<void> {
    await closeBut(held);
    for (const role of names) if (held.includes(role) && !opened.has(role) && !isLeaving) await openRole(role);
    log.info({ active: held, standby: names.filter((role) => !held.includes(role)) }, 'roles_changed');
  }

  let following = Promise.resolve();
  const locks = await holdRoles(database.settings, names, {
    canal: CANAL_OUTBOX,
    wake: (topic) => wakes.wake(topic === '' ? OUTBOX : relayed(topic)),
    onChange(held) {
      following = following.then(() => follow(held));
    },
  });
  const leave = async () => {
    isLeaving = true;
    await following;
    const isClean = await closeBut([]);
    await locks.close();
    if (!isClean) throw new Error('a role has not closed');
  };
  shutdown.phase('roles', leave, { timeoutMs: CLOSE_MS });
  context.note(() => Object.fromEntries(names.filter((role) => !opened.has(role)).map((role) => [role, 'standby'])));
  await following;
}

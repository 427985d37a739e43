import type { Boveda, Captchas } from '@acuse/core';
import { createBoveda, createCaptchas, createRetention, type Retention } from '@acuse/db';
import { startLoop } from '@acuse/roles';
import { type Logger, linkSignals } from '@acuse/runtime';
import type { SatAbierto } from '@acuse/sat';
import type { OpenWorkerRole } from './role.ts';

/**
 * Deletes what has expired in the database: e.firma keys and sealed copies within a minute of their end. Its first
 * turn is at start-up. It asks nothing of storage or of the SAT, which may take longer than that minute to fail.
 */
export function startReaper(deps: { boveda: Pick<Boveda, 'reap'>; log: Logger; everyMs: number }) {
  const { boveda, log, everyMs } = deps;
  return startLoop({
    name: 'reaper',
    everyMs,
    log,
    turn: async () => {
      const reaped = await boveda.reap();
      if (reaped > 0) log.info({ reaped }, 'expired_credentials_deleted');
      return false;
    },
  });
}

/** Rows of each kind that one statement deletes: a fraction of a second, whatever has gathered. */
const BATCH = 100;

/** Deletes expired rows from the database in batches, beside all other work. */
export function startRetention(deps: {
  retention: Retention;
  log: Logger;
  everyMs: number;
  traceDays: number;
  auditDays: number;
}) {
  const { retention, log, everyMs, traceDays, auditDays } = deps;
  return startLoop({
    name: 'retention',
    everyMs,
    log,
    turn: () => retention.prune({ traceDays, auditDays, limit: BATCH }),
  });
}

/** Longest time of one turn, milliseconds: a portal that does not answer must not keep the process from closing. */
const TURN_MS = 30_000;

/**
 * Logs out expired portal sessions of any process, and removes expired captchas. Separate from the reaper: its
 * deletions must not wait for the SAT.
 */
export function startSesiones(deps: {
  sat: Pick<SatAbierto, 'logout'>;
  captchas: Pick<Captchas, 'tidy'>;
  log: Logger;
  everyMs: number;
}) {
  const { sat, captchas, log, everyMs } = deps;
  return startLoop({
    name: 'sesiones',
    everyMs,
    log,
    turn: async (signal) => {
      const limit = linkSignals([signal], TURN_MS);
      const ended = await sat.logout(limit.signal).finally(limit.release);
      if (ended > 0) log.info({ ended }, 'portal_sessions_ended');
      await captchas.tidy();
      return false;
    },
  });
}

/** Milliseconds between two looks for rows past their retention; a full batch is followed by the next at once. */
const RETENTION_EVERY_MS = 300_000;

/** Deletes expired credentials, old traces and audit lines, and unused portal sessions. */
export const openReaper: OpenWorkerRole = ({ config, database, log, closeLater, openSats }) => {
  const sat = openSats();
  const common = { log, everyMs: config.REAPER_INTERVAL_MS };
  closeLater('reaper', startReaper({ ...common, boveda: createBoveda(database) }));
  const retention = startRetention({
    retention: createRetention(database),
    log,
    everyMs: RETENTION_EVERY_MS,
    traceDays: config.TRACE_RETENTION_DAYS,
    auditDays: config.AUDIT_RETENTION_DAYS,
  });
  closeLater('retention', retention);
  closeLater('sesiones', startSesiones({ ...common, sat, captchas: createCaptchas(database) }));
};

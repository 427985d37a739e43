import { type Checkpoint, noCheckpoint, PUNTOS } from '@acuse/core';

/**
 * Makes the process fail at a named place, once: `tras-bajar:kill` ends it as `kill -9` would, `freeze` stops it until
 * SIGCONT, `throw` raises. For the fault tests; refused in production.
 */
export function createFailpoint(setting: string | undefined, nodeEnv: string | undefined): Checkpoint {
  if (setting === undefined) return noCheckpoint;
  if (nodeEnv === 'production') throw new Error('FAILPOINT no se permite en producción');
  const [punto, action] = setting.split(':');
  if (!PUNTOS.some((known) => known === punto)) throw new Error(`FAILPOINT: los puntos son ${PUNTOS.join(', ')}`);
  let isSpent = false;
  return async (reached) => {
    if (reached !== punto || isSpent) return;
    isSpent = true;
    if (action === 'kill') process.kill(process.pid, 'SIGKILL');
    else if (action === 'freeze') process.kill(process.pid, 'SIGSTOP');
    else throw new Error(`failpoint ${punto}`);
    // The signal lands asynchronously; nothing after this place may run before it does.
    await new Promise((resolve) => setTimeout(resolve, action === 'freeze' ? 200 : 10_000));
  };
}

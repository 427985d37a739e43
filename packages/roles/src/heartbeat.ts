import { hostname } from 'node:os';
import type { Heartbeats } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import { startLoop } from './loop.ts';

/** Milliseconds between two heartbeats. */
const BEAT_MS = 10_000;

/** Sends the heartbeats of a role without a queue of its own. `consumed`: a beat alone counts as work done. */
export function startHeartbeat(
  rol: 'listas' | 'webhooks',
  {
    heartbeats,
    log,
    consumed,
  }: { readonly heartbeats: Pick<Heartbeats, 'beat'>; readonly log: Logger; readonly consumed: boolean },
) {
  const proceso = `${hostname()}:${process.pid}:${rol}`;
  const beat = (hasWorked: boolean) => heartbeats.beat({ proceso, rol, consumed: hasWorked });
  const loop = startLoop({
    name: `${rol}-latido`,
    everyMs: BEAT_MS,
    log,
    async turn() {
      await beat(consumed);
      return false;
    },
  });
  return { close: loop.close, /** Notes work done now. */ worked: () => beat(true) };
}

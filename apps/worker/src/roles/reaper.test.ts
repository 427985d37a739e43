import { silentLogger } from '@acuse/runtime';
import { expect, test } from 'vitest';
import { startSesiones } from './reaper.ts';

test('a portal that fails to answer a log-out stops neither the next round nor the shutdown', async () => {
  const turns: AbortSignal[] = [];
  let tidied = 0;
  const reached = new Promise<void>((resolve) => {
    const loop = startSesiones({
      sat: {
        async logout(signal) {
          turns.push(signal);
          if (turns.length === 1) throw new Error('database away');
          if (turns.length === 2) return 3;
          await new Promise<void>((ended) => {
            signal.addEventListener('abort', () => ended(), { once: true });
            void loop.close().then(resolve);
          });
          return 0;
        },
      },
      captchas: {
        async tidy() {
          tidied += 1;
          return 0;
        },
      },
      log: silentLogger,
      everyMs: 1,
    });
  });
  await reached;
  expect([turns.length, tidied, turns.at(-1)?.aborted]).toEqual([3, 2, true]);
});

import { silentLogger as log } from '@acuse/runtime';
import { afterEach, expect, test, vi } from 'vitest';
import { startSending } from './sending.ts';

afterEach(() => void vi.useRealTimers());

test('claims nothing until a piece is due or announced, and looks each five seconds meanwhile', async () => {
  vi.useFakeTimers();
  const done = { looks: 0, claims: 0, sent: 0 };
  let dueAt = Number.POSITIVE_INFINITY;
  let wake = () => {};
  const sending = await startSending<{ id: string }>({
    name: 'prueba',
    concurrency: 4,
    everyMs: 1_000,
    log,
    async restSeconds() {
      done.looks += 1;
      return (dueAt - Date.now()) / 1_000;
    },
    async take() {
      done.claims += 1;
      dueAt = Number.POSITIVE_INFINITY;
      return [{ id: String(done.claims) }];
    },
    async send() {
      done.sent += 1;
    },
    onFailed: (_, error) => expect.fail(String(error)),
    async listen(call) {
      wake = call;
      return { close: async () => {} };
    },
  });
  await vi.advanceTimersByTimeAsync(50_000);
  expect(done).toEqual({ looks: 11, claims: 0, sent: 0 });

  dueAt = Date.now();
  wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(done).toMatchObject({ claims: 1, sent: 1 });

  // Due before the next look: found at its time.
  dueAt = Date.now() + 3_000;
  wake();
  await vi.advanceTimersByTimeAsync(2_999);
  expect(done.claims).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(done).toMatchObject({ claims: 2, sent: 2 });
  await sending.close(0);
});

import { expect, it } from 'vitest';
import { useDatabase } from '../integration/fixtures/database.ts';
import { sendToHalf } from '../integration/webhooks/fixtures/mitad.ts';
import { sizeOf } from './sizes.ts';

const database = useDatabase();

it('10,000 webhooks all arrive, signed, at a receiver that fails half of the time while workers are killed, and no private address is asked', async () => {
  const total = sizeOf('webhooks to a receiver that fails');
  const started = performance.now();
  const { kills, requests, refused } = await sendToHalf(database, { total, killEvery: total / 10, seconds: 3_600 });
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(`${total} webhooks in ${seconds} s: ${requests} requests, ${refused} refused, ${kills} workers killed`);
  expect(refused / requests).toBeGreaterThan(0.4);
}, 3_700_000);

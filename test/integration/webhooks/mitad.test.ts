import { expect, it } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';
import { sendToHalf } from './fixtures/mitad.ts';

const database = useDatabase();

it('all of 300 webhooks arrive, signed, at a receiver that fails half of the time while workers are killed', async () => {
  const { kills, refused } = await sendToHalf(database, { total: 300, killEvery: 150, seconds: 110 });
  expect(kills).toBeGreaterThanOrEqual(2);
  expect(refused).toBeGreaterThan(200);
});

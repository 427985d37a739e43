import { expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import { keyOf } from '../world/taxpayers/mix.ts';
import { generateRfc } from '../world/taxpayers/persona.ts';

const simulador = await startForTests();

async function ask(rfc: string) {
  const response = await fetch(`${simulador.url}/opinion-publica?${new URLSearchParams({ rfc })}`);
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : text };
}

it('is published for about seven in eight, positive then', async () => {
  const key = keyOf('opiniones');
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => ask(generateRfc(key, n, n % 2 === 0))));
  const published = answers.filter(({ status }) => status === 200);
  expect(published.length).toBeGreaterThan(160);
  expect(published.length).toBeLessThan(195);
  expect(published.every(({ json }) => json.opinion === 'POSITIVO')).toBe(true);
  const hidden = answers.filter(({ status }) => status !== 200);
  expect(hidden.map(({ status, json }) => [status, json.publicada])).toEqual(hidden.map(() => [404, false]));
});

it('refuses an invalid RFC and obeys magic faults', async () => {
  expect((await ask('abc')).status).toBe(400);
  expect((await ask('CAI900215SIA')).status).toBe(503);
});

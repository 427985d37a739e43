import { expect, it } from 'vitest';
import { startForTests } from '../testing/start-for-tests.ts';
import { keyOf } from '../world/taxpayers/mix.ts';
import { generateRfc } from '../world/taxpayers/persona.ts';

const RFC = 'EKU9003173C9';

const simulador = await startForTests();

async function ask(rfc: string) {
  const response = await fetch(`${simulador.url}/opinion-publica?${new URLSearchParams({ rfc })}`);
  const text = await response.text();
  return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : text };
}

it.each([
  ['NEG900215SI8', 'NEGATIVO'],
  ['SUSP900215SI4', 'EN_SUSPENSION'],
  ['SIN900215SI9', 'INSCRITO_SIN_OBLIGACIONES'],
  ['NOI900215SIA', 'NO_INSCRITO'],
])('%s has the opinion of its magic', async (rfc, opinion) => {
  simulador.world.clock.set(new Date('2026-11-21T03:00:00Z'));
  expect(await ask(rfc)).toEqual({
    status: 200,
    json: { rfc, opinion, fecha_publicacion: '2026-11-20T00:00:00-06:00' },
  });
});

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

it('follows the profile that the control API sets', async () => {
  const put = (opinion: Record<string, unknown>) =>
    fetch(`${simulador.url}/control/contribuyentes/${RFC}`, {
      method: 'PUT',
      body: JSON.stringify({ perfil: { opinion } }),
    });
  expect((await put({ sentido: 'NEGATIVO', autorizaPublicacion: true })).status).toBe(200);
  expect((await ask(RFC)).json).toMatchObject({ opinion: 'NEGATIVO' });
  await put({ autorizaPublicacion: false });
  expect(await ask(RFC)).toEqual({ status: 404, json: { rfc: RFC, publicada: false } });
  expect((await put({ sentido: 'REGULAR' })).status).toBe(400);
});

it('refuses what is no RFC and obeys magic faults', async () => {
  expect((await ask('abc')).status).toBe(400);
  expect((await ask('CAI900215SIA')).status).toBe(503);
});

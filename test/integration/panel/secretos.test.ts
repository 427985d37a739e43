import { createLlaves } from '@acuse/db';
import { load } from 'cheerio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newLlave, seedCuenta } from '../fixtures/database.ts';
import { type Panel, startPanel } from './fixtures/panel.ts';

let panel: Panel;
beforeAll(async () => {
  panel = await startPanel();
});
afterAll(() => panel.close());

it('shows the operator, and nobody else, what hangs on each id of a secret that is being rotated', async () => {
  const operador = await panel.registrar({ rol: 'OPERADOR' });
  for (const pepperVersion of [1, 1, 2]) {
    const { contribuyenteId } = await seedCuenta(panel.db);
    const llave = { ...newLlave(), pepperVersion };
    await createLlaves(panel.db).activate({ contribuyenteId, llave, actor: 'prueba', ip: null });
  }
  const { text } = await operador.get('/operador/secretos');
  const rows = load(text)('tbody tr')
    .map((_, row) => load(row).text().replace(/\s+/g, ' ').trim())
    .get();
  expect(rows.filter((row) => row.startsWith('API_KEY_PEPPERS'))).toEqual([
    expect.stringMatching(/En rotación *1 *API keys activas *2$/),
    expect.stringMatching(/En rotación *2 *API keys activas *1$/),
  ]);
  expect(rows).toContainEqual(expect.stringMatching(/^PANEL_SECRETS *p1 *contraseñas del panel *1$/));
  const cliente = await panel.registrar();
  expect((await cliente.get('/operador/secretos')).status).not.toBe(200);
});

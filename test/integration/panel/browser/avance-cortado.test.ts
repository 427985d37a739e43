import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { ciecOf, expectOk, waitFor } from '../../fixtures/servicio.ts';
import { startTubo, type Tubo } from '../../fixtures/tubo.ts';
import { addRfc } from '../fixtures/panel.ts';
import { CHROMIUM, expectSinQuejas } from './fixtures/browser.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';
import { entrar } from './fixtures/persona.ts';

/** More looks than a test waits for: the request at the authority ends when the test says so. */
const NUNCA = 1_000_000;

describe.runIf(CHROMIUM !== null)('the progress of a solicitud, when the connection drops', () => {
  let instalacion: Instalacion;
  let tubo: Tubo;

  beforeAll(async () => {
    // The panel is told where it is reached before it has a port.
    tubo = await startTubo(() => instalacion.panel.escucha);
    instalacion = await startInstalacion({}, { PANEL_PUBLIC_URL: tubo.url });
  });
  afterAll(async () => {
    await instalacion?.close();
    await tubo?.close();
  });

  it('says so, connects again by itself, and shows what happened meanwhile', async () => {
    const { servicio, panel, browser } = instalacion;
    const persona = await panel.registrar({ saldo: 5 });
    const rfc = newRfc();
    const { id: contribuyenteId } = await addRfc(panel.db, persona, rfc);
    const caller = await servicio.newKey({ rfc, cuentaId: persona.cuentaId, contribuyenteId });
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    const pedido = { rfc, tipo: 'recibidos', desde: '2025-01-01', hasta: '2025-01-28' };
    servicio.simulador.world.settings.verificaciones_hasta_terminar = NUNCA;
    const { solicitud_id: id } = await expectOk(caller.call('tax/descarga-metadata', pedido));

    const pestana = await browser.abrir();
    const { page } = pestana;
    await entrar(page, tubo.url, persona);
    await page.goto(`${tubo.url}/solicitudes/${id}`);
    const conexion = page.locator('[data-conexion]');
    const intentos = page.locator('[data-dato="intentos"]');
    await conexion.getByText('Se actualiza sola.').waitFor();
    // Gone with the first reload: what changes while it is there came by the stream.
    await page.evaluate('document.body.dataset.sinRecargar = "si"');

    tubo.shut();
    await conexion.getByText('Se perdió la conexión; se está intentando de nuevo.').waitFor();
    await servicio.startWorker();
    await waitFor(async () => {
      const { rows } = await panel.db.pool.query('SELECT intentos FROM solicitud WHERE id = $1', [id]);
      return Number(rows[0]?.intentos) >= 2 ? true : null;
    });
    expect(await intentos.textContent()).toBe('0');

    tubo.open();
    await conexion.getByText('Se actualiza sola.').waitFor();
    await waitFor(async () => (Number(await intentos.textContent()) >= 2 ? true : null));
    // The timeline grows as well, by the same stream: each look at the authority is told in the sentence of its kind.
    const linea = page.locator('#linea > ol');
    const veces = async () =>
      Number(/Se preguntó al SAT (\d+) veces/.exec((await linea.textContent()) ?? '')?.[1] ?? 0);
    await expect.poll(veces, { timeout: 60_000 }).toBeGreaterThan(1);
    const told = await veces();
    await expect.poll(veces, { timeout: 60_000 }).toBeGreaterThan(told);
    expect(await page.locator('body[data-sin-recargar="si"]').count()).toBe(1);

    servicio.simulador.world.settings.verificaciones_hasta_terminar = 2;
    await page.getByRole('button', { name: 'Descargar ZIP' }).waitFor();
    expect({ ...pestana.quejas, scripts: [] }).toEqual({
      politica: [],
      scripts: [],
      respuestas: [],
      ejecutados: [],
    });
    await pestana.close();
  });

  it('is not followed any more by a page that is left, so that the panel keeps no stream for nobody', async () => {
    const { panel, servicio, browser } = instalacion;
    const persona = await panel.registrar({ saldo: 5 });
    const rfc = newRfc();
    const { id: contribuyenteId } = await addRfc(panel.db, persona, rfc);
    const caller = await servicio.newKey({ rfc, cuentaId: persona.cuentaId, contribuyenteId });
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    servicio.simulador.world.settings.verificaciones_hasta_terminar = NUNCA;
    const pedido = { rfc, tipo: 'recibidos', desde: '2025-02-01', hasta: '2025-02-28' };
    const { solicitud_id: id } = await expectOk(caller.call('tax/descarga-metadata', pedido));
    const pestana = await browser.abrir();
    await entrar(pestana.page, tubo.url, persona);
    await pestana.page.goto(`${tubo.url}/solicitudes/${id}`);
    await expect.poll(() => panel.deps.seguimiento.abiertos).toBe(1);
    await pestana.page.goto(`${tubo.url}/inicio`);
    await expect.poll(() => panel.deps.seguimiento.abiertos, { timeout: 30_000 }).toBe(0);
    expectSinQuejas(pestana);
    await pestana.close();
  });
});

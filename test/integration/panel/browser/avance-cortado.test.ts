import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { darNueve } from '../../fixtures/mala-hora.ts';
import { askFor } from '../../fixtures/pedidos.ts';
import { type Pipe, startPipe } from '../../fixtures/pipe.ts';
import { waitFor } from '../../fixtures/servicio.ts';
import { addCaller } from '../fixtures/panel.ts';
import { CHROMIUM, expectNoComplaints } from './fixtures/browser.ts';
import { type Instalacion, NUNCA, startInstallation } from './fixtures/instalacion.ts';
import { signIn } from './fixtures/persona.ts';

describe.runIf(CHROMIUM !== null)('the progress of a solicitud, when the connection drops', () => {
  let instalacion: Instalacion;
  let pipe: Pipe;

  beforeAll(async () => {
    // The panel gets its public address before it has a port.
    pipe = await startPipe(() => instalacion.panel.escucha);
    instalacion = await startInstallation({}, { PANEL_PUBLIC_URL: pipe.url });
  });
  afterAll(async () => {
    await instalacion?.close();
    await pipe?.close();
  });

  /** A user requests a download that does not end, and opens its page through the proxy. */
  async function follow() {
    const { servicio, panel, browser } = instalacion;
    const persona = await panel.registrar({ saldo: 5 });
    servicio.simulador.world.settings.verificaciones_hasta_terminar = NUNCA;
    const id = await askFor(darNueve(servicio, await addCaller(servicio, persona)));
    const tab = await browser.abrir();
    await signIn(tab.page, pipe.url, persona);
    await tab.page.goto(`${pipe.url}/solicitudes/${id}`);
    return { tab, id };
  }

  it('says so, connects again by itself, and shows what happened meanwhile', async () => {
    const { servicio, panel } = instalacion;
    const { tab, id } = await follow();
    const { page } = tab;
    const conexion = page.locator('[data-conexion]');
    const intentos = page.locator('[data-dato="intentos"]');
    await conexion.getByText('Se actualiza sola.').waitFor();
    // Gone with the first reload: what changes while it is there came by the stream.
    await page.evaluate('document.body.dataset.sinRecargar = "si"');

    pipe.shut();
    await conexion.getByText('Se perdió la conexión; se está intentando de nuevo.').waitFor();
    await servicio.startWorker();
    await waitFor(async () => {
      const rows = await panel.sql`SELECT intentos FROM solicitud WHERE id = ${id}`;
      return Number(rows[0]?.intentos) >= 2 ? true : null;
    });
    expect(await intentos.textContent()).toBe('0');

    pipe.open();
    await conexion.getByText('Se actualiza sola.').waitFor();
    await waitFor(async () => (Number(await intentos.textContent()) >= 2 ? true : null));
    // The same stream extends the timeline: each poll shows the sentence of its kind.
    const linea = page.locator('#linea > ol');
    const veces = async () =>
      Number(/Se preguntó al SAT (\d+) veces/.exec((await linea.textContent()) ?? '')?.[1] ?? 0);
    await expect.poll(veces, { timeout: 60_000 }).toBeGreaterThan(1);
    const told = await veces();
    await expect.poll(veces, { timeout: 60_000 }).toBeGreaterThan(told);
    expect(await page.locator('body[data-sin-recargar="si"]').count()).toBe(1);

    servicio.simulador.world.settings.verificaciones_hasta_terminar = 2;
    await page.getByRole('button', { name: 'Descargar ZIP' }).waitFor();
    // Scripts complain of the connection, which is what this is about.
    expectNoComplaints({ ...tab, complaints: { ...tab.complaints, scripts: [] } });
    await tab.close();
  });

  it('ends its stream when the page is left', async () => {
    const { panel } = instalacion;
    const { tab } = await follow();
    await expect.poll(() => panel.deps.seguimiento.abiertos).toBe(1);
    await tab.page.goto(`${pipe.url}/inicio`);
    await expect.poll(() => panel.deps.seguimiento.abiertos, { timeout: 30_000 }).toBe(0);
    expectNoComplaints(tab);
    await tab.close();
  });
});

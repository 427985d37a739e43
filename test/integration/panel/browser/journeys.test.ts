import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { digitoVerificador } from '../../../../apps/panel/src/pages/rfcs/reglas/read-rfc.ts';
import { ciecOf } from '../../fixtures/caller.ts';
import { newRfc } from '../../fixtures/database.ts';
import { readZip } from '../../fixtures/zip.ts';
import { addCaller, newMiembro, type Persona } from '../fixtures/panel.ts';
import { CHROMIUM, expectNoComplaints, lookAt, type Tab } from './fixtures/browser.ts';
import { useInstallation } from './fixtures/instalacion.ts';
import { descargarZip, follow, irA, pressButton, readLlave, signIn, typeText } from './fixtures/persona.ts';

/** An RFC that the panel does not ask about. */
function rfcOfRule(): string {
  const rfc = newRfc();
  return rfc.slice(0, -1) + digitoVerificador(rfc);
}

/** Counts the forms that a person sends, and keeps what they type. */
function watch(page: Page) {
  const typed: string[] = [];
  let steps = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.frame() === page.mainFrame()) steps += 1;
  });
  return {
    type: async (etiqueta: string, texto: string) => {
      typed.push(texto);
      await typeText(page, etiqueta, texto);
    },
    /** Steps and characters so far; nothing was typed twice. */
    done() {
      expect(new Set(typed).size).toBe(typed.length);
      return { steps, characters: typed.join('').length };
    },
  };
}

describe.runIf(CHROMIUM !== null)('the way of', { shuffle: false }, () => {
  let owner: Persona;
  const instalacion = useInstallation({}, async ({ servicio, panel }) => {
    await servicio.startWorker();
    owner = await panel.registrar({ nombre: 'Despacho', saldo: 9 });
  });
  const enter = async (persona: Persona): Promise<Tab> => {
    const tab = await instalacion.browser.abrir();
    await signIn(tab.page, instalacion.panel.url, persona);
    return tab;
  };

  it('a newcomer to the first ZIP: four forms, an RFC and a CIEC', async () => {
    const tab = await enter(owner);
    const { page } = tab;
    const way = watch(page);
    const rfc = rfcOfRule();
    await follow(page, 'Agregar RFC');
    await way.type('RFC', rfc);
    await pressButton(page, 'Agregar RFC');
    await way.type('Contraseña del SAT (CIEC)', ciecOf(rfc));
    await pressButton(page, 'Guardar la CIEC');
    await readLlave(page);
    await lookAt(tab, 'primer-pedido');
    await pressButton(page, 'Pedir');
    await page.getByRole('button', { name: 'Descargar ZIP' }).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain(`${rfc}: CFDI recibidos del`);
    await page.getByText(/Los primeros 20 CFDI|Todos los CFDI/).click();
    for (const table of ['CFDI por tipo de comprobante', 'Proveedores por importe vigente', 'Primeros CFDI del ZIP'])
      await page.getByRole('table', { name: table }).waitFor();
    await lookAt(tab, 'solicitudes-id');
    const { manifest } = await readZip(await descargarZip(page));
    expect(manifest).toMatchObject({ rfc });
    expect(way.done()).toEqual({ steps: 4, characters: rfc.length + 16 });
    expectNoComplaints(tab);
  });

  describe('an accountant', () => {
    let accountant: Persona;
    let llave: string;
    let rfc: string;
    beforeAll(async () => {
      const { servicio, panel } = instalacion;
      ({ apiKey: llave, rfc } = await addCaller(servicio, owner, rfcOfRule()));
      accountant = await newMiembro(panel, owner, 'CONTADOR');
    });

    it('to two months of one RFC: its key is typed once', async () => {
      const tab = await enter(accountant);
      const { page } = tab;
      const way = watch(page);
      const ask = async (periodo: string) => {
        await irA(page, 'Solicitudes');
        await follow(page, 'Pedir CFDI al SAT');
        await page.getByLabel('RFC', { exact: true }).selectOption(rfc);
        await page.getByRole('link', { name: periodo, exact: true }).click();
      };
      await ask('Mes pasado');
      await way.type('API key del RFC', llave);
      await pressButton(page, 'Pedir');
      await page.getByRole('heading', { level: 1, name: /CFDI recibidos/ }).waitFor();
      await ask('Este mes');
      await pressButton(page, 'Pedir');
      await page.getByRole('heading', { level: 1, name: /CFDI recibidos/ }).waitFor();
      expect(way.done()).toEqual({ steps: 2, characters: 73 });
      expectNoComplaints(tab);
    });
  });

  it('the operator to the credits of an account: one form', async () => {
    const { panel } = instalacion;
    const tab = await enter(await panel.registrar({ rol: 'OPERADOR' }));
    const { page } = tab;
    const way = watch(page);
    await irA(page, 'Operación');
    await page.getByRole('navigation', { name: 'Operación' }).getByRole('link', { name: 'Cuentas' }).click();
    await way.type('Correo, nombre o RFC (opcional)', owner.email);
    await pressButton(page, 'Buscar');
    await follow(page, owner.email);
    await page.getByText('Abonar créditos').click();
    await way.type('Créditos', '5');
    await way.type('Referencia del pago', 'SPEI 1');
    await pressButton(page, 'Abonar');
    await page.getByText('El saldo es de').waitFor();
    expect(way.done()).toEqual({ steps: 1, characters: owner.email.length + 7 });
    expectNoComplaints(tab);
  });

  it('an integrator in English from the panel to a call to paste: nothing typed', async () => {
    const { page } = await instalacion.browser.abrir();
    const way = watch(page);
    await page.goto(instalacion.panel.url);
    await page.getByRole('contentinfo').getByRole('link', { name: 'Documentación' }).click();
    await page.getByRole('link', { name: 'English' }).first().click();
    const menu = page.getByRole('navigation', { name: 'Documentation', exact: true });
    await menu.getByRole('link', { name: 'First download' }).click();
    await page.locator('pre', { hasText: 'tax/descarga-metadata' }).first().waitFor();
    expect(way.done()).toEqual({ steps: 0, characters: 0 });
  });
});

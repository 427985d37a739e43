import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { issueEfirma } from '../../fixtures/efirma.ts';
import { uuidsDelSat } from '../../fixtures/pedidos.ts';
import { waitFor } from '../../fixtures/servicio.ts';
import { readZip } from '../../fixtures/zip.ts';
import { addCaller, callApi, type Persona } from '../fixtures/panel.ts';
import { CHROMIUM, expectNoComplaints, type Tab } from './fixtures/browser.ts';
import { NUNCA, useInstallation } from './fixtures/instalacion.ts';
import {
  addRfc,
  buyCreditos,
  change,
  createCuenta,
  descargarZip,
  follow,
  irAlInicio,
  pressButton,
  readLlave,
  storeCiec,
  typeRfc,
  typeText,
} from './fixtures/persona.ts';

const HAS_CURL = ['/usr/bin/curl', '/bin/curl', '/usr/local/bin/curl'].some(existsSync);
const run = promisify(execFile);
const DIA_MS = 86_400_000;
const PEDIDO = { tipo: 'recibidos', desde: '2025-01-10', hasta: '2025-03-05' } as const;

describe.runIf(CHROMIUM !== null)('a download, from an empty account to a checked ZIP', { shuffle: false }, () => {
  const instalacion = useInstallation();

  let worker: Promise<unknown> | undefined;
  const ensureWorker = () => {
    worker ??= instalacion.servicio.startWorker();
    return worker;
  };
  const expectAllRows = async (zip: Buffer, rfc: string) => {
    const { csv, manifest } = await readZip(zip);
    expect(csv.map((row) => row['uuid'])).toEqual(uuidsDelSat(instalacion.servicio, rfc, PEDIDO));
    expect(manifest).toMatchObject({ rfc });
  };

  it('is watched live while the API works with an e.firma that was stored in the browser', {
    tags: ['slow'],
  }, async () => {
    const { servicio, browser, panel } = instalacion;
    const tab = await browser.abrir();
    const { page } = tab;
    await createCuenta(page, panel.url);
    const rfc = newRfc();
    const llave = await addRfc(page, panel.url, rfc);

    const efirma = await issueEfirma(servicio, { rfc, password: 'contraseña de la llave' });
    await page.goto(`${panel.url}/rfcs/${rfc}/credenciales`);
    const form = page.locator('form[action$="/credenciales/efirma"]');
    for (const part of ['cer', 'key'] as const) {
      const buffer = Buffer.from(efirma[part], 'base64');
      const file = { name: `firma.${part}`, mimeType: 'application/octet-stream', buffer };
      await form.locator(`input[name="${part}"]`).setInputFiles(file);
    }
    await form.locator('input[name="password"]').fill(efirma.password);
    await form.getByRole('button').last().click();
    await page.getByText(efirma.numero).first().waitFor();
    await page.goto(`${panel.url}/saldo/comprar`);
    await buyCreditos(page);

    servicio.simulador.world.settings.verificaciones_hasta_terminar = NUNCA;
    const asked = await callApi(servicio.api, llave, 'tax/descarga-metadata', { rfc, ...PEDIDO });
    expect(asked).toMatchObject({ status: 200, codigo: 1, data: { estado: 'EN_PROCESO' } });
    const id = String(asked.data['solicitud_id']);
    await page.goto(`${panel.url}/solicitudes/${id}`);
    await page.getByText('Se actualiza sola.').waitFor();
    const intentos = page.locator('[data-dato="intentos"]');
    expect(await intentos.textContent()).toBe('0');
    // Gone with the first reload: what changes while it is there came by the stream.
    await page.evaluate('document.body.dataset.sinRecargar = "si"');

    await ensureWorker();
    await waitFor(async () => (Number(await intentos.textContent()) >= 2 ? true : null));
    await expect.poll(() => page.locator('progress').getAttribute('value')).not.toBe('0');
    expect(await page.locator('body[data-sin-recargar="si"]').count()).toBe(1);

    servicio.simulador.world.settings.verificaciones_hasta_terminar = 2;
    await page.getByRole('button', { name: 'Descargar ZIP' }).waitFor();
    const zip = await descargarZip(page);
    await page.goto(`${panel.url}/solicitudes/${id}`);
    await page.getByRole('main').getByText(createHash('sha256').update(zip).digest('hex')).first().waitFor();
    await expectAllRows(zip, rfc);
    expectNoComplaints(tab);
  });

  it('is reached by a new user who only follows the panel, without scripts', async () => {
    await ensureWorker();
    const tab = await instalacion.browser.abrir({ javaScriptEnabled: false });
    const { page } = tab;
    const rfc = newRfc();
    await createCuenta(page, instalacion.panel.url);

    /** Home tells what to do next, with one button that leads there. */
    const siguiente = async (boton: string) => {
      await irAlInicio(page);
      await follow(page, boton);
    };
    await siguiente('Agregar RFC');
    await typeRfc(page, rfc);
    await siguiente('Guardar credencial');
    await storeCiec(page, rfc);
    await readLlave(page);
    await siguiente('Comprar créditos');
    await buyCreditos(page);
    await siguiente('Pedir descarga');
    await page.getByLabel('Primer día').fill(PEDIDO.desde);
    await page.getByLabel('Último día').fill(PEDIDO.hasta);
    await page.getByLabel('CFDI', { exact: true }).selectOption(PEDIDO.tipo);
    await pressButton(page, 'Pedir');
    await page.getByRole('heading', { level: 1, name: /CFDI recibidos/ }).waitFor();
    await siguiente('Ver la solicitud');

    const reload = page.getByRole('link', { name: 'Actualizar' });
    const descargar = page.getByRole('button', { name: 'Descargar ZIP' });
    await waitFor(async () => {
      await reload.or(descargar).first().waitFor();
      if (await descargar.isVisible()) return true;
      await change(page, () => reload.click());
      return null;
    });
    await expectAllRows(await descargarZip(page), rfc);
    await irAlInicio(page);
    const ultima = page.getByRole('main').getByRole('link', { name: /Ver y descargar|Ir a la descarga/ });
    await ultima.waitFor();
    expectNoComplaints(tab);
  });

  describe.runIf(HAS_CURL)('by a new account that reads nothing but the panel', () => {
    let tab: Tab;
    beforeAll(async () => {
      tab = await instalacion.browser.abrir({ permissions: ['clipboard-read', 'clipboard-write'] });
      // The clock of the pages stands still: what they show for two seconds is there until a test lets them pass.
      await tab.page.clock.install({ time: Date.now() });
      await tab.page.clock.pauseAt(Date.now() + DIA_MS);
      await createCuenta(tab.page, instalacion.panel.url);
    });

    /** Presses a copy button and gives what a paste would give. The button says for two seconds that it did. */
    async function copy(page: Page, etiqueta: string): Promise<string> {
      const box = page.getByRole('button', { name: `Copiar: ${etiqueta}` });
      await box.click();
      await expect.poll(() => box.textContent()).toBe('Copiado');
      const pasted = await page.evaluate<string>('navigator.clipboard.readText()');
      await page.clock.runFor(1_999);
      expect(await box.textContent()).toBe('Copiado');
      return pasted;
    }

    /** Pastes a command into a shell that has the key in the variable that the panel names. */
    async function paste(command: string, llave: string) {
      const env = { PATH: process.env['PATH'], ACUSE_API_KEY: llave };
      const { stdout } = await run('/bin/sh', ['-c', command], { env });
      return JSON.parse(stdout) as { cfdi_codigo: number; data?: Record<string, unknown> };
    }

    const SIN_DUENO = `acuse_test_${'x'.repeat(62)}`;
    const call = async (page: Page, llave: string) => {
      await typeText(page, 'API key', llave);
      await pressButton(page, 'Llamar a la API');
    };

    it('is made by following its steps, with its commands copied and run', async () => {
      const { page } = tab;
      const rfc = newRfc();
      await ensureWorker();

      /** Home names one thing to do now, and its button leads there. */
      const siguiente = async (titulo: string) => {
        await irAlInicio(page);
        const paso = page.locator('[aria-current="step"]');
        expect(await paso.getByRole('heading').textContent()).toBe(titulo);
        await paso.getByRole('link').click();
      };
      await siguiente('Agregue un RFC');
      await typeRfc(page, rfc);
      await page.goto(`${instalacion.panel.url}/rfcs/${rfc}/llave`);
      await pressButton(page, 'Generar API key');
      await page.getByText('Cópiela ahora').waitFor();
      const llave = await copy(page, 'API key');
      expect(llave).toMatch(/^acuse_(live|test)_[\w-]{62}$/);
      // The command to associate the RFC stands under the key.
      const associate = await copy(page, 'Comando para asociar el RFC');
      expect(associate).not.toContain(llave);
      expect(await paste(associate, llave)).toMatchObject({ cfdi_codigo: 1 });
      await siguiente('Guarde la CIEC o la e.firma');
      await storeCiec(page, rfc);
      await siguiente('Tenga un crédito');
      await buyCreditos(page);

      // The next step may be done from one's own system: the operation's page has the command, with this account's RFC.
      await page.getByRole('navigation', { name: 'Principal' }).getByRole('link', { name: 'Probar' }).click();
      await page.getByRole('heading', { name: 'Información ante el SAT', exact: true }).click();
      await follow(page, 'Solicitud de descarga de metadata o de los CFDI');
      const askFor = await copy(page, 'Llamada con curl');
      expect(askFor).toContain(rfc);
      const pedida = await paste(askFor, llave);
      expect(pedida).toMatchObject({ cfdi_codigo: 1, data: { estado: 'EN_PROCESO' } });

      await siguiente('Baje el ZIP');
      expect(page.url()).toContain(String(pedida.data?.['solicitud_id']));
      await waitFor(async () =>
        (await page.getByRole('button', { name: 'Descargar ZIP' }).isVisible()) ? true : null,
      );
      const { csv, manifest } = await readZip(await descargarZip(page));
      expect(manifest).toMatchObject({ rfc });
      expect(csv.length).toBeGreaterThan(0);
      expectNoComplaints(tab);
    });

    it('calls from the sandbox and takes the command from the answer, or from the selection without a clipboard', async () => {
      const { page } = tab;
      await page.goto(`${instalacion.panel.url}/pruebas/vault/firma-estado`);
      await call(page, SIN_DUENO);
      await page.getByText('HTTP 401').first().waitFor();
      // The button came with the answer, after the page was loaded.
      const command = await copy(page, 'Llamada con curl');
      expect(command).toContain('/api/v1/vault/firma-estado');

      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("denied"))');
      await page.evaluate('getSelection().removeAllRanges()');
      const box = page.getByRole('button', { name: 'Copiar: Llamada con curl' });
      const note = page.getByText('Quedó seleccionado: cópielo con el teclado');
      await box.click();
      await note.waitFor();
      expect(await page.evaluate('getSelection().toString()')).toBe(command);
      // The note of this press has its own two seconds, though those of the press before end now.
      expect(await box.textContent()).toBe('Copiar');
      await page.clock.runFor(1_999);
      expect(await note.count()).toBe(1);
      await page.clock.runFor(1);
      expect(await note.count()).toBe(0);
      expectNoComplaints(tab);
    });

    it('makes a call of the sandbox once, though its answer gets lost, and says why one was not made', async () => {
      const { page } = tab;
      const path = '**/pruebas/vault/firma-estado';
      await page.goto(`${instalacion.panel.url}/pruebas/vault/firma-estado`);
      let sent = 0;
      await page.route(path, async (route) => {
        sent += 1;
        await route.fetch();
        await route.abort('connectionreset');
      });
      await call(page, SIN_DUENO);
      await page.getByText('antes de repetirla').waitFor();
      expect([sent, page.url()]).toEqual([1, `${instalacion.panel.url}/pruebas/vault/firma-estado`]);
      await page.unroute(path);

      // The browser lets it pass; the panel does not.
      await call(page, 'no es una llave');
      await page.getByText('Pegue aquí la llave completa').waitFor();
      // What took the place of the form works as the form did.
      await call(page, SIN_DUENO);
      await page.getByText('HTTP 401').first().waitFor();
      await page.context().clearCookies();
      await pressButton(page, 'Llamar a la API');
      await page.waitForURL('**/entrar*');
    });
  });

  describe('by keyboard alone', () => {
    let persona: Persona;
    let llave: string;
    let tab: Tab;
    beforeAll(async () => {
      const { servicio, panel, browser } = instalacion;
      persona = await panel.registrar({ saldo: 5 });
      ({ apiKey: llave } = await addCaller(servicio, persona));
      tab = await browser.abrir();
    });

    it('enters the panel', async () => {
      const { page } = tab;
      await page.goto(instalacion.panel.url);
      await tabTo(page, 'Entrar');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/entrar');
      // The first stop of a page leads over its header.
      await page.keyboard.press('Tab');
      expect(await page.evaluate<Focus>(FOCUS)).toMatchObject({ name: 'Saltar al contenido' });
      await page.keyboard.press('Enter');
      await tabTo(page, 'Correo');
      await page.keyboard.type(persona.email);
      await tabTo(page, 'Contraseña');
      await page.keyboard.type(persona.password);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/inicio');
      expectNoComplaints(tab);
    });

    it('asks for a download', async () => {
      const { page } = tab;
      await tabTo(page, 'Solicitudes');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/solicitudes');
      await tabTo(page, 'Pedir CFDI al SAT');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/solicitudes/nueva');
      await tabTo(page, 'Primer día');
      // A day and month that are the same in whatever order the browser asks for them.
      await page.keyboard.type('01012025');
      expect(await page.getByLabel('Primer día').inputValue()).toBe('2025-01-01');
      await tabTo(page, 'Último día');
      await page.keyboard.type('02022025');
      await tabTo(page, 'API key del RFC');
      await page.keyboard.type(llave);
      await tabTo(page, 'Pedir');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: /CFDI recibidos del 1 ene 2025 al 2 feb 2025/ }).waitFor();
      expectNoComplaints(tab);
    });

    it('leaves by the menu, which Escape closes', async () => {
      const { page } = tab;
      const logOut = page.getByRole('button', { name: 'Salir', exact: true });
      await page.goto(`${instalacion.panel.url}/inicio`);
      await tabTo(page, 'PMenú de Persona de prueba');
      await page.keyboard.press('Enter');
      await logOut.waitFor();
      await page.keyboard.press('Escape');
      await logOut.waitFor({ state: 'hidden' });
      expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
      await page.keyboard.press('Space');
      await tabTo(page, 'Salir');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/entrar');
      expectNoComplaints(tab);
    });
  });
});

/** Stops of the Tab key on the longest page of these walks, and more. */
const MAX_STOPS = 80;

interface Focus {
  readonly name: string;
  readonly isSeen: boolean;
}
/** What has the focus: its name, or its text, and whether it can be seen that it has it. */
const FOCUS = `(() => {
  const each = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(each);
  const label = each.labels?.[0]?.firstChild?.textContent ?? each.getAttribute('aria-label') ?? each.textContent;
  const { bottom, right } = each.getBoundingClientRect();
  return { name: label.trim().replace(/\\s+/g, ' '), isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' && bottom > 0 && right > 0 };
})()`;

/** Presses Tab until what has this name has the focus; all that has it on the way must show it. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<Focus>(FOCUS);
    expect(focus).toMatchObject({ isSeen: true });
    if (focus.name === name) return;
    passed.push(focus.name);
  }
  throw new Error(`no Tab leads to ${name}, only to ${passed.join(' | ')}`);
}

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { issueEfirma } from '../../fixtures/efirma.ts';
import { CHROMIUM, expectSinQuejas, type Pestana } from './fixtures/browser.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';
import { agregarRfc, crearCuenta, oprimir } from './fixtures/persona.ts';

/** Files of names and contents in base64, as a person drags them from a folder. */
type Archivos = Readonly<Record<string, string>>;

/** What a browser hands over with files that are dragged. */
const transferOf = (page: Page, archivos: Archivos) =>
  page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      for (const [name, base64] of Object.entries(${JSON.stringify(archivos)}))
        transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      return transfer;
    })()`,
  );

/** Drags the files over the place and lets go, with the events that a browser sends. */
async function drop(page: Page, archivos: Archivos): Promise<void> {
  const zona = page.locator('[data-soltar]');
  const dataTransfer = await transferOf(page, archivos);
  await zona.dispatchEvent('dragenter', { dataTransfer });
  await zona.dispatchEvent('dragover', { dataTransfer });
  expect(await zona.getAttribute('class')).toContain('encima');
  await zona.dispatchEvent('drop', { dataTransfer });
  expect(await zona.getAttribute('class')).not.toContain('encima');
}

/** The name of the file that each field holds. */
const chosen = (page: Page) =>
  page.evaluate<Record<string, string[]>>(
    `Object.fromEntries([...document.querySelectorAll('[data-soltar] input')].map((each) => [each.name, [...each.files].map(({ name }) => name)]))`,
  );

describe.runIf(CHROMIUM !== null)('files that are dropped on the page of credentials', () => {
  let instalacion: Instalacion;
  let pestana: Pestana;
  let rfc: string;
  let llave: string;

  beforeAll(async () => {
    instalacion = await startInstalacion();
    pestana = await instalacion.browser.abrir();
    rfc = newRfc();
    await crearCuenta(pestana.page, instalacion.panel.url);
    llave = await agregarRfc(pestana.page, instalacion.panel.url, rfc);
  });
  afterAll(() => instalacion?.close());

  it('go to the field of their kind whatever their order, are named, and are stored with the form', async () => {
    const { page } = pestana;
    const efirma = await issueEfirma(instalacion.servicio, { rfc, password: 'contraseña de la llave' });
    await page.goto(`${instalacion.panel.url}/rfcs/${rfc}/credenciales`);
    const aviso = page.locator('[data-soltar-aviso]');

    await drop(page, { 'leame.txt': btoa('hola') });
    expect(await aviso.textContent()).toBe('Aquí no va: leame.txt.');
    expect(await chosen(page)).toEqual({ cer: [], key: [] });
    // Beside the place nothing takes them; unless the page prevents it, the browser leaves for the file.
    await page.evaluate(`addEventListener('drop', (event) => { window.soltado = event.defaultPrevented; })`);
    const dataTransfer = await transferOf(page, { 'firma.cer': efirma.cer });
    await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer });
    expect(await page.evaluate('window.soltado')).toBe(true);
    expect(await chosen(page)).toEqual({ cer: [], key: [] });

    await drop(page, { 'MI FIRMA.KEY': efirma.key, 'mi firma.cer': efirma.cer });
    expect(await aviso.textContent()).toBe('Listo: mi firma.cer, MI FIRMA.KEY.');
    expect(await chosen(page)).toEqual({ cer: ['mi firma.cer'], key: ['MI FIRMA.KEY'] });

    await page.getByLabel('Contraseña de la llave privada').fill(efirma.password);
    await page.locator('#efirma-llave').fill(llave);
    await oprimir(page, 'Guardar la e.firma');
    await page.getByText(efirma.numero).first().waitFor();
    const guardadas = await instalacion.panel.db.pool.query(
      `SELECT tipo FROM credencial JOIN contribuyente ON contribuyente.id = contribuyente_id WHERE rfc = $1 ORDER BY tipo`,
      [rfc],
    );
    expect(guardadas.rows.map(({ tipo }) => tipo)).toEqual(['efirma_cer', 'efirma_key']);
    expectSinQuejas(pestana);
  });
});

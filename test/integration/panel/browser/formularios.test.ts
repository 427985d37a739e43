import { createCaptchas } from '@acuse/db';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { duringTests } from '../../fixtures/during-tests.ts';
import { newPago } from '../fixtures/pagos.ts';
import { addRfc, usePanel, usePersona } from '../fixtures/panel.ts';
import { efirmaDe, PASSWORD } from '../fixtures/rfcs.ts';
import { CHROMIUM, expectNoComplaints, openBrowser, type Tab } from './fixtures/browser.ts';
import { change, pressButton, signIn } from './fixtures/persona.ts';

/** What a form is filled with, by the ids of its fields, and the field that has to be mended first. */
interface TestCase {
  readonly path: string;
  readonly campos: Readonly<Record<string, string>>;
  readonly falta: string;
}

const ANCHOS = [1280, 320];

/** Where a field stands in its form, in pixels. */
const lugarDe = (page: Page, id: string) =>
  page.evaluate<number>(`(() => {
    const field = document.getElementById(${JSON.stringify(id)});
    return field.getBoundingClientRect().top - field.form.getBoundingClientRect().top;
  })()`);

/** What a fault is written over. What a folded block hides has a place too. */
const OVERLAYS = `[...document.querySelectorAll('.falta')].flatMap((fault) => {
  const one = fault.getBoundingClientRect();
  return [...document.querySelectorAll('main :is(input:not([type="hidden"]), select, textarea, button, label, .ayuda, .tarjeta, p, h2)')]
    .filter((each) => each.checkVisibility() && !each.contains(fault))
    .filter((each) => {
      const two = each.getBoundingClientRect();
      return one.left < two.right - 1 && two.left < one.right - 1 && one.top < two.bottom - 1 && two.top < one.bottom - 1;
    })
    .map((each) => fault.textContent + ' over ' + each.outerHTML.slice(0, 80));
})`;

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

describe.runIf(CHROMIUM !== null)('a form', () => {
  const panel = usePanel();
  const persona = usePersona(panel);
  const browser = duringTests(openBrowser);
  let cliente: Tab;
  let operador: Tab;
  let rfc: string;

  beforeAll(async () => {
    ({ rfc } = await addRfc(panel.db, persona));
    [cliente, operador] = [await browser.abrir(), await browser.abrir()];
    await signIn(cliente.page, panel.url, persona);
    await signIn(operador.page, panel.url, await panel.registrar({ rol: 'OPERADOR' }));
  });

  /**
   * Sends the form as a browser without checks of its own would; then the field that is wrong has the focus, where it
   * was before.
   */
  async function refuse(tab: Tab, { path, campos, falta }: TestCase): Promise<void> {
    const { page } = tab;
    for (const width of ANCHOS) {
      await page.setViewportSize({ width, height: 740 });
      await page.goto(panel.url + path);
      await page.evaluate(`for (const each of document.querySelectorAll('main details')) each.open = true`);
      const before = await lugarDe(page, falta);
      for (const [id, texto] of Object.entries(campos)) await page.locator(`[id="${id}"]`).fill(texto);
      await change(page, () =>
        page.evaluate(`(() => {
          const { form } = document.getElementById(${JSON.stringify(falta)});
          form.noValidate = true;
          form.requestSubmit(form.querySelector('button'));
        })()`),
      );
      await expect.poll(() => page.evaluate('document.activeElement.id'), { message: path }).toBe(falta);
      expect([path, width, await lugarDe(page, falta)]).toEqual([path, width, before]);
      expect([path, width, await page.evaluate(OVERLAYS)]).toEqual([path, width, []]);
    }
    expectNoComplaints(tab);
  }

  it.each<TestCase>([
    { path: '/entrar', campos: { 'campo-email': 'nadie@example.com', 'campo-password': 'x' }, falta: 'campo-email' },
    {
      path: '/registro',
      campos: { 'campo-nombre': 'Ana', 'campo-email': 'ana', 'campo-password': 'x' },
      falta: 'campo-email',
    },
    {
      path: '/restablecer',
      campos: { 'campo-codigo': 'x', 'campo-password': 'una clave que nadie tiene' },
      falta: 'campo-codigo',
    },
  ])('shows a fault beside its field at $path, without a log-in', async (testCase) => {
    const tab = await browser.abrir();
    await refuse(tab, testCase);
    await tab.close();
  });

  it.each<TestCase>([
    { path: '/rfcs/nuevo', campos: { 'campo-rfc': newRfc(), 'campo-id_cif': '1234' }, falta: 'campo-id_cif' },
    { path: '/rfcs/nuevo', campos: { 'campo-rfc': 'X', 'campo-id_cif': '1234' }, falta: 'campo-rfc' },
    { path: '/rfcs/:rfc', campos: { 'campo-id_cif': '1234' }, falta: 'campo-id_cif' },
    { path: '/rfcs/:rfc/direcciones', campos: { 'campo-lista': '203.0.113.7\nno es' }, falta: 'campo-lista' },
    { path: '/saldo', campos: { 'campo-umbral': '-5' }, falta: 'campo-umbral' },
    { path: '/cuenta', campos: { 'campo-nombre': ' ' }, falta: 'campo-nombre' },
    {
      path: '/cuenta/password',
      campos: { 'campo-actual': 'x', 'campo-nueva': 'una clave que nadie tiene' },
      falta: 'campo-actual',
    },
    { path: '/cuenta/dos-pasos', campos: { 'password-empezar': 'x' }, falta: 'password-empezar' },
  ])('shows its fault where it is at $path, with $falta to mend', ({ path, ...testCase }) =>
    refuse(cliente, { ...testCase, path: path.replace(':rfc', rfc) }),
  );

  it('shows its fault where it is to the operator, for an account, a payment or a captcha that is not the first', async () => {
    const cuenta = `/operador/cuentas/${persona.cuentaId}`;
    const abono = { 'abono-creditos': '7', 'campo-referencia': ' ' };
    await refuse(operador, { path: cuenta, campos: abono, falta: 'campo-referencia' });
    await refuse(operador, { path: cuenta, campos: { 'suspension-motivo': ' ' }, falta: 'suspension-motivo' });
    const pagos = [await newPago(panel.db, persona.cuentaId), await newPago(panel.db, persona.cuentaId)];
    const motivo = `motivo-${pagos[1]?.id}`;
    await refuse(operador, { path: '/operador/pagos', campos: { [motivo]: ' ' }, falta: motivo });
    const captchas = createCaptchas(panel.db);
    await captchas.ask(Buffer.alloc(1), 600_000);
    const captcha = `captcha-${await captchas.ask(Buffer.alloc(1), 600_000)}`;
    await refuse(operador, { path: '/operador/captchas', campos: { [captcha]: ' ' }, falta: captcha });
  });

  it('takes files that are dropped on it into the field of their kind, whatever their order, and stores them', async () => {
    const { page } = cliente;
    const { noSerie, ...efirma } = efirmaDe(rfc, panel.autoridad);
    const base64 = async (file: File) => Buffer.from(await file.arrayBuffer()).toString('base64');
    const [cer, key] = [await base64(efirma.cer), await base64(efirma.key)];
    await page.setViewportSize({ width: 1280, height: 740 });
    await page.goto(`${panel.url}/rfcs/${rfc}/credenciales`);
    const aviso = page.locator('[data-soltar-aviso]');

    await drop(page, { 'leame.txt': btoa('hola') });
    expect(await aviso.textContent()).toBe('Aquí no va: leame.txt.');
    expect(await chosen(page)).toEqual({ cer: [], key: [] });
    // Beside the place nothing takes them; unless the page prevents it, the browser leaves for the file.
    await page.evaluate(`addEventListener('drop', (event) => { window.soltado = event.defaultPrevented; })`);
    const dataTransfer = await transferOf(page, { 'firma.cer': cer });
    await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer });
    expect(await page.evaluate('window.soltado')).toBe(true);
    expect(await chosen(page)).toEqual({ cer: [], key: [] });

    await drop(page, { 'MI FIRMA.KEY': key, 'mi firma.cer': cer });
    expect(await aviso.textContent()).toBe('Listo: mi firma.cer, MI FIRMA.KEY.');
    expect(await chosen(page)).toEqual({ cer: ['mi firma.cer'], key: ['MI FIRMA.KEY'] });

    const password = page.getByLabel('Contraseña de la llave privada');
    await password.fill('otra');
    await pressButton(page, 'Guardar la e.firma');
    await page.getByText('no abre el .key').waitFor();
    // The files are chosen still, and what is wrong has the focus.
    expect(await chosen(page)).toEqual({ cer: ['mi firma.cer'], key: ['MI FIRMA.KEY'] });
    expect(await page.evaluate('document.activeElement.id')).toBe('efirma-password');
    await password.fill(PASSWORD);
    await pressButton(page, 'Guardar la e.firma');
    await page.getByText(noSerie).first().waitFor();
    const rows = await panel.sql<{ tipo: string }>`SELECT tipo
      FROM credencial JOIN contribuyente ON contribuyente.id = contribuyente_id WHERE rfc = ${rfc} ORDER BY tipo`;
    expect(rows.map(({ tipo }) => tipo)).toEqual(['efirma_cer', 'efirma_key']);
    expectNoComplaints(cliente);
  });
});

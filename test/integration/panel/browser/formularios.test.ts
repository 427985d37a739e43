import { createCaptchas, createPagos } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { addRfc, type Panel, type Persona, startPanel } from '../fixtures/panel.ts';
import { type Browser, CHROMIUM, expectSinQuejas, openBrowser, type Pestana } from './fixtures/browser.ts';
import { cambiar, entrar } from './fixtures/persona.ts';

/** What a form is filled with, by the ids of its fields, and the field that has to be mended first. */
interface Caso {
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

/** What a fault is written over. */
const ENCIMA = `[...document.querySelectorAll('.falta')].flatMap((fault) => {
  const one = fault.getBoundingClientRect();
  return [...document.querySelectorAll('main :is(input:not([type="hidden"]), select, textarea, button, label, .ayuda, .tarjeta, p, h2)')]
    .filter((each) => !each.contains(fault))
    .filter((each) => {
      const two = each.getBoundingClientRect();
      return one.left < two.right - 1 && two.left < one.right - 1 && one.top < two.bottom - 1 && two.top < one.bottom - 1;
    })
    .map((each) => fault.textContent + ' over ' + each.outerHTML.slice(0, 80));
})`;

describe.runIf(CHROMIUM !== null)('a form that is refused', () => {
  let panel: Panel;
  let browser: Browser;
  let cliente: Pestana;
  let operador: Pestana;
  let persona: Persona;
  let rfc: string;

  beforeAll(async () => {
    panel = await startPanel();
    browser = await openBrowser();
    persona = await panel.registrar();
    ({ rfc } = await addRfc(panel.db, persona));
    [cliente, operador] = [await browser.abrir(), await browser.abrir()];
    await entrar(cliente.page, panel.url, persona);
    await entrar(operador.page, panel.url, await panel.registrar({ rol: 'OPERADOR' }));
  });
  afterAll(async () => {
    await browser?.close();
    await panel?.close();
  });

  /**
   * Sends the form as a browser without checks of its own would; then the field that is wrong has the focus, where it
   * was before.
   */
  async function refuse(pestana: Pestana, { path, campos, falta }: Caso): Promise<void> {
    const { page } = pestana;
    for (const width of ANCHOS) {
      await page.setViewportSize({ width, height: 740 });
      await page.goto(panel.url + path);
      const before = await lugarDe(page, falta);
      for (const [id, texto] of Object.entries(campos)) await page.locator(`[id="${id}"]`).fill(texto);
      await cambiar(page, () =>
        page.evaluate(`(() => {
          const { form } = document.getElementById(${JSON.stringify(falta)});
          form.noValidate = true;
          form.requestSubmit(form.querySelector('button'));
        })()`),
      );
      await expect.poll(() => page.evaluate('document.activeElement.id'), { message: path }).toBe(falta);
      expect([path, width, await lugarDe(page, falta)]).toEqual([path, width, before]);
      expect([path, width, await page.evaluate(ENCIMA)]).toEqual([path, width, []]);
    }
    expectSinQuejas(pestana);
  }

  it.each<Caso>([
    {
      path: '/entrar',
      campos: { 'campo-email': 'nadie@example.com', 'campo-password': 'x' },
      falta: 'campo-email',
    },
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
  ])('at $path, by somebody who is not logged in', async (caso) => {
    const pestana = await browser.abrir();
    await refuse(pestana, caso);
    await pestana.close();
  });

  it.each<Caso>([
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
  ])('at $path, with $falta to mend', ({ path, ...caso }) =>
    refuse(cliente, { ...caso, path: path.replace(':rfc', rfc) }),
  );

  it('by the operator, for an account, a payment or a captcha that is not the first', async () => {
    const cuenta = `/operador/cuentas/${persona.cuentaId}`;
    const abono = { 'abono-creditos': '7', 'campo-referencia': ' ' };
    await refuse(operador, { path: cuenta, campos: abono, falta: 'campo-referencia' });
    await refuse(operador, {
      path: cuenta,
      campos: { 'suspension-motivo': ' ' },
      falta: 'suspension-motivo',
    });
    const pagos: string[] = [];
    for (let n = 0; n < 2; n += 1) {
      const pago = { id: uuidV7(), cuentaId: persona.cuentaId, usuarioId: null, clave: uuidV7() };
      const precio = { creditos: 100, subtotal: 9_900, iva: 1_584, total: 11_484 };
      await createPagos(panel.db).create(
        { ...pago, ...precio, actor: 'prueba', ip: null, proveedor: 'transferencia', referencia: `REF-${n}` },
        100,
      );
      pagos.push(pago.id);
    }
    const motivo = `motivo-${pagos[1]}`;
    await refuse(operador, { path: '/operador/pagos', campos: { [motivo]: ' ' }, falta: motivo });
    const captchas = createCaptchas(panel.db);
    await captchas.ask(Buffer.alloc(1), 600_000);
    const captcha = `captcha-${await captchas.ask(Buffer.alloc(1), 600_000)}`;
    await refuse(operador, { path: '/operador/captchas', campos: { [captcha]: ' ' }, falta: captcha });
  });
});

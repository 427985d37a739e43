import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { type Caller, ciecOf, expectOk } from '../../fixtures/servicio.ts';
import { addRfc, type Persona } from '../fixtures/panel.ts';
import { CHROMIUM, expectSinQuejas, type Pestana } from './fixtures/browser.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';

/** Stops of the Tab key on the longest page of these walks, and more. */
const MAX_STOPS = 80;

/** What has the focus: its name, or its text, and whether it can be seen that it has it. */
const FOCO = `(() => {
  const each = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(each);
  const label = each.labels?.[0]?.firstChild?.textContent ?? each.getAttribute('aria-label') ?? each.textContent;
  const { bottom, right } = each.getBoundingClientRect();
  return { name: label.trim().replace(/\\s+/g, ' '), type: each.type ?? '', isSeen: outlineStyle !== 'none' && outlineWidth !== '0px' && bottom > 0 && right > 0 };
})()`;

/** Presses Tab until what has this name has the focus; all that has it on the way must show it. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MAX_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate<{ name: string; type: string; isSeen: boolean }>(FOCO);
    expect(focus).toMatchObject({ isSeen: true });
    if (focus.name === name) return;
    passed.push(focus.name);
  }
  throw new Error(`no Tab leads to ${name}, only to ${passed.join(' | ')}`);
}

describe.runIf(CHROMIUM !== null)('the panel, by keyboard alone', () => {
  let instalacion: Instalacion;
  let persona: Persona;
  let caller: Caller;
  let pestana: Pestana;

  beforeAll(async () => {
    instalacion = await startInstalacion();
    const { servicio, panel, browser } = instalacion;
    persona = await panel.registrar({ saldo: 5 });
    const rfc = newRfc();
    const { id: contribuyenteId } = await addRfc(panel.db, persona, rfc);
    caller = await servicio.newKey({ rfc, cuentaId: persona.cuentaId, contribuyenteId });
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    pestana = await browser.abrir();
  });
  afterAll(() => instalacion?.close());

  it('is entered', async () => {
    const { page } = pestana;
    await page.goto(instalacion.panel.url);
    await tabTo(page, 'Entrar');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/entrar');
    // The first stop of a page leads over its header.
    await page.keyboard.press('Tab');
    expect(await page.evaluate<{ name: string }>(FOCO)).toMatchObject({ name: 'Saltar al contenido' });
    await page.keyboard.press('Enter');
    await tabTo(page, 'Correo');
    await page.keyboard.type(persona.email);
    await tabTo(page, 'Contraseña');
    await page.keyboard.type(persona.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/inicio');
    expectSinQuejas(pestana);
  });

  it('asks for a download', async () => {
    const { page } = pestana;
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
    await page.keyboard.type(caller.apiKey);
    await tabTo(page, 'Pedir');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /CFDI recibidos del 1 ene 2025 al 2 feb 2025/ }).waitFor();
    expectSinQuejas(pestana);
  });

  it('is left by the menu, which Escape closes', async () => {
    const { page } = pestana;
    const salir = page.getByRole('button', { name: 'Salir', exact: true });
    await page.goto(`${instalacion.panel.url}/inicio`);
    await tabTo(page, 'PMenú de Persona de prueba');
    await page.keyboard.press('Enter');
    await salir.waitFor();
    await page.keyboard.press('Escape');
    await salir.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SUMMARY');
    await page.keyboard.press('Space');
    await tabTo(page, 'Salir');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/entrar');
    expectSinQuejas(pestana);
  });
});

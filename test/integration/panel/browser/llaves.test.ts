import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRfc } from '../../fixtures/database.ts';
import { ciecOf } from '../../fixtures/servicio.ts';
import { CHROMIUM, expectSinQuejas, type Pestana } from './fixtures/browser.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';
import { agregarRfc, comprarCreditos, crearCuenta, guardarCiec, integrador, oprimir } from './fixtures/persona.ts';

const OPERACION = 'tax/descarga-metadata';
const NOMBRE = 'Solicitud de descarga de metadata';

describe.runIf(CHROMIUM !== null)('what the panel decides, the API obeys at the next call', () => {
  let instalacion: Instalacion;
  let pestana: Pestana;
  let rfc: string;
  let llave: string;
  let url: string;
  const pedir = (mes = '01') => ({
    rfc,
    tipo: 'recibidos',
    desde: `2025-${mes}-01`,
    hasta: `2025-${mes}-28`,
  });
  const llamar = async (path: string, body: unknown) => {
    const { status, codigo } = await integrador(instalacion.servicio, llave)(path, body);
    return [status, codigo];
  };

  beforeAll(async () => {
    instalacion = await startInstalacion();
    url = instalacion.panel.url;
    pestana = await instalacion.browser.abrir();
    await crearCuenta(pestana.page, url);
    rfc = newRfc();
    llave = await agregarRfc(pestana.page, url, rfc);
    await guardarCiec(pestana.page, url, rfc, ciecOf(rfc), llave);
  });
  afterAll(() => instalacion?.close());

  it('answers 1004 without credits, and works when some were bought', async () => {
    expect(await llamar(OPERACION, pedir())).toEqual([402, 1004]);
    await comprarCreditos(pestana.page, url);
    await pestana.page.goto(`${url}/saldo`);
    await pestana.page.getByRole('main').getByText('100', { exact: true }).first().waitFor();
    expect(await llamar(OPERACION, pedir())).toEqual([200, 1]);
    expectSinQuejas(pestana);
  });

  it('answers 1003 for an operation that was switched off, until it is switched on', async () => {
    const { page } = pestana;
    await page.goto(`${url}/rfcs/${rfc}/operaciones`);
    await oprimir(page, `Apagar ${NOMBRE}`);
    await page.getByText(`«${NOMBRE}» quedó apagada`).waitFor();
    expect(await llamar(OPERACION, pedir('02'))).toEqual([403, 1003]);
    await oprimir(page, `Encender ${NOMBRE}`);
    await page.getByText(`«${NOMBRE}» quedó encendida`).waitFor();
    expect(await llamar(OPERACION, pedir('02'))).toEqual([200, 1]);
    expectSinQuejas(pestana);
  });

  it('answers 1003 from an address that is not in the list, warns before, and takes the own address by a button', async () => {
    const { page } = pestana;
    await page.goto(`${url}/rfcs/${rfc}/direcciones`);
    const lista = page.locator('textarea[name="lista"]');
    await lista.fill('203.0.113.0/24');
    await oprimir(page, 'Guardar');
    await page.getByText('Se quedaría fuera de la lista').waitFor();
    expect(await llamar(OPERACION, pedir('03'))).toEqual([200, 1]);
    await oprimir(page, 'Guardar sin mi dirección');
    await page.getByText('Se quedaría fuera de la lista').waitFor({ state: 'detached' });
    expect(await llamar(OPERACION, pedir('04'))).toEqual([403, 1003]);
    await oprimir(page, 'Agregar mi dirección');
    await page.getByText('Falta guardarla').waitFor();
    expect(await lista.inputValue()).toContain('127.0.0.1');
    await oprimir(page, 'Guardar');
    await page.getByText('Falta guardarla').waitFor({ state: 'detached' });
    expect(await llamar(OPERACION, pedir('04'))).toEqual([200, 1]);
    expectSinQuejas(pestana);
  });

  it('answers 1002 for a key that was changed, keeps what was stored for the new one, and 1002 for that one when it is revoked', async () => {
    const { page } = pestana;
    const vieja = llave;
    await page.goto(`${url}/rfcs/${rfc}/llave`);
    await page.locator('input[name="anterior"]').fill(vieja);
    await oprimir(page, 'Cambiar la llave');
    await page.getByText('Cópiela ahora').waitFor();
    expect(await llamar('vault/rfc-registrar', { rfc })).toEqual([401, 1002]);
    llave = (await page.locator('.copiar code').first().textContent()) ?? '';
    expect(llave).not.toBe(vieja);
    // Without the stored CIEC it would be 4003.
    expect(await llamar(OPERACION, pedir('05'))).toEqual([200, 1]);

    await page.goto(`${url}/rfcs/${rfc}/llave/revocar`);
    await oprimir(page, 'Revocar la llave');
    await page.getByText('La llave quedó revocada').waitFor();
    expect(await llamar(OPERACION, pedir('06'))).toEqual([401, 1002]);
    expectSinQuejas(pestana);
  });
});

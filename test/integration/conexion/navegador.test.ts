import { createLogger } from '@acuse/runtime';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { formasDe, readAuditLogs, readTablas } from '../fixtures/busqueda.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { readObjetos } from '../fixtures/objetos.ts';
import { askFor, llamadas, UN_DIA } from '../fixtures/pedidos.ts';
import { ciecOf, download, expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';
import { CHROMIUM, expectNoComplaints, lookAt, openBrowser } from '../panel/browser/fixtures/browser.ts';

const WRONG = 'Equivocada-12345';
const PHONE = { width: 360, height: 740 };

/** Moves by the keyboard until the element has the focus. */
async function tabTo(page: Page, id: string): Promise<void> {
  for (let steps = 0; steps < 20; steps += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate('document.activeElement?.id')) === id) return;
  }
  throw new Error(`the keyboard does not reach ${id}`);
}

const isFocused = (page: Page, id: string) => page.locator(`#${id}:focus`).waitFor();

describe.skipIf(CHROMIUM === null)('a connect link in a browser', () => {
  const apiLog: string[] = [];
  const destination = { write: (line: string) => void apiLog.push(line) };
  const servicio = useServicio(
    { workerEnv: { LOG_LEVEL: 'trace' }, apiLog: createLogger({ name: 'api', level: 'trace', destination }) },
    {},
  );
  const browser = duringTests(openBrowser);

  it('takes a wrong and then the right CIEC up to the first download, and keeps it in the browser', async () => {
    const caller = await servicio.newCaller({ saldo: 3 });
    const { rfc } = caller;
    const ciec = ciecOf(rfc);
    const body = { rfc, solicitante: 'Contadores del Norte', finalidad: 'Descargar sus CFDI', color: '#0b5394' };
    const created = await expectOk(
      caller.call('conexion/crear', { ...body, regreso: 'https://erp.example.com/sat?de=acuse' }),
    );
    const id = { rfc, conexion_id: created['conexion_id'] };
    const estado = async () => (await expectOk(caller.call('conexion/estado', id)))['estado'];
    const token = String(created['enlace']).split('#')[1];

    const tab = await browser.abrir({ viewport: PHONE });
    const { page } = tab;
    const sent: string[] = [];
    page.on('request', (request) => {
      sent.push(
        `${request.method()} ${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`,
      );
    });
    await page.goto(`${servicio.api.url}/conectar#${token}`);
    await page.getByRole('heading', { name: 'Contadores del Norte pide conectarse con su RFC' }).waitFor();
    await lookAt(tab, 'conectar');
    await page.setViewportSize(PHONE);

    await tabTo(page, 'ciec');
    await page.keyboard.type(WRONG);
    await tabTo(page, 'acepto');
    await page.keyboard.press('Space');
    await tabTo(page, 'enviar');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('El SAT no aceptó esa contraseña').waitFor();
    await isFocused(page, 'ciec');
    expect([await estado(), llamadas(servicio, caller, 'EntrarCiec').length]).toEqual(['PENDIENTE', 1]);
    await lookAt(tab, 'conectar-rechazada');
    await page.setViewportSize(PHONE);

    await page.keyboard.type(ciec);
    await page.keyboard.press('Enter');
    await isFocused(page, 'hecho-titulo');
    await lookAt(tab, 'conectar-hecho');
    expect([await estado(), llamadas(servicio, caller, 'EntrarCiec').length]).toEqual(['CONECTADA', 2]);
    expect(await page.getByRole('link', { name: 'Volver a erp.example.com' }).getAttribute('href')).toBe(
      'https://erp.example.com/sat?de=acuse',
    );

    const solicitud = await askFor(caller, UN_DIA);
    expect(await waitForEnd(caller, solicitud)).toMatchObject({ estado: 'TERMINADA' });
    expect((await download(caller, solicitud)).zip.length).toBeGreaterThan(0);
    await expectOk(caller.call('sincronizacion/crear', { rfc, tipo: 'recibidos', desde: '2026-11-01' }));

    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
    const places = new Map([
      ['requests of the browser', sent.join('\n')],
      ['storage of the browser', String(stored)],
      ['page', await page.content()],
      ['log of the api', apiLog.join('')],
      ['logs of the workers', await readAuditLogs(servicio)],
      ...[...(await readTablas(servicio))].map(([table, text]) => [`table ${table}`, text] as const),
      ...[...(await readObjetos(servicio))].map(([key, bytes]) => [`object ${key}`, bytes.toString('latin1')] as const),
    ]);
    const findIn = (needles: readonly string[]) =>
      [...places].filter(([, text]) => needles.some((needle) => text.includes(needle))).map(([place]) => place);
    for (const secret of [ciec, WRONG]) expect(findIn(formasDe(Buffer.from(secret)))).toEqual([]);
    // The search finds the tokens, in the browser's bodies alone.
    expect(findIn([String(token)])).toEqual(['requests of the browser']);

    const link = page.getByRole('link', { name: /\/conectar\/retirar#/ });
    await page.goto(String(await link.getAttribute('href')));
    await page.reload();
    await page.getByRole('heading', { name: 'Su permiso está vigente' }).waitFor();
    await lookAt(tab, 'conectar-retirar');
    await tabTo(page, 'retirar');
    await page.keyboard.press('Enter');
    await page.getByText('El permiso se retiró y la contraseña se borró.').waitFor();
    expect(await estado()).toBe('REVOCADA');
    const again = await caller.call('tax/descarga-metadata', { rfc, ...UN_DIA, tipo: 'emitidos' });
    expect(again.body.cfdi_codigo).toBe(4003);
    const subscriptions = await expectOk(caller.call('sincronizacion/listar', { rfc }));
    expect(JSON.stringify(subscriptions)).toContain('PAUSADA');
    expectNoComplaints(tab);
    await tab.close();
  });

  it('is completed also when the taxpayer closes the page at once', async () => {
    const caller = await servicio.newCaller();
    const { rfc } = caller;
    const created = await expectOk(
      caller.call('conexion/crear', { rfc, solicitante: 'Contadores', finalidad: 'Descargar sus CFDI' }),
    );
    const { page, close } = await browser.abrir({ viewport: PHONE });
    await page.goto(`${servicio.api.url}/conectar#${String(created['enlace']).split('#')[1]}`);
    await page.getByLabel('Contraseña del SAT (CIEC)').fill(ciecOf(rfc));
    await page.getByRole('checkbox').check();
    const answered = page.waitForResponse((response) => response.url().endsWith('/conectar/enviar'));
    await page.getByRole('button', { name: 'Dar permiso y conectar' }).click();
    await answered;
    await close();
    await waitFor(async () => {
      const [row] = await servicio.sql`SELECT FROM conexion WHERE rfc = ${rfc} AND estado = 'CONECTADA'`;
      return row === undefined ? null : true;
    });
  });
});

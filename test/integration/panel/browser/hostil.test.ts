import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCuentas, createLibro } from '@acuse/db';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSolicitud, newRfc, type Taxpayer } from '../../fixtures/database.ts';
import { issueEfirma } from '../../fixtures/efirma.ts';
import { expectOk } from '../../fixtures/servicio.ts';
import { addRfc, type Persona } from '../fixtures/panel.ts';
import { CHROMIUM, expectSinQuejas, type Pestana } from './fixtures/browser.ts';
import { CARGAS } from './fixtures/cargas.ts';
import { type Instalacion, startInstalacion } from './fixtures/instalacion.ts';
import { cambiar, entrar, oprimir } from './fixtures/persona.ts';

/** What no text of a page may have become: handlers, scripts of others, addresses that run. */
const INTRUSOS = `[...document.querySelectorAll('*')].filter((each) =>
  [...each.attributes].some(({ name, value }) => /^on/i.test(name) || /^\\s*javascript:/i.test(value)) ||
  ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'MARQUEE', 'STYLE'].includes(each.tagName) ||
  (each.tagName === 'SCRIPT' && !each.src.startsWith(location.origin + '/assets/'))
).map((each) => each.outerHTML)`;

const TEXTO = 'document.documentElement.textContent';
const plain = (text: string) => text.replaceAll(/\s+/g, ' ');

/** The payloads that stand on the page as text. */
async function shownOn(page: Page): Promise<string[]> {
  expect(await page.evaluate(INTRUSOS)).toEqual([]);
  const text = plain(await page.evaluate<string>(TEXTO));
  return CARGAS.filter((carga) => text.includes(plain(carga)));
}

/** Opens what a page keeps folded. */
const unfold = (page: Page) =>
  page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);

describe.runIf(CHROMIUM !== null)('text that wants to be a script', () => {
  let instalacion: Instalacion;
  let url: string;
  let persona: Persona;
  let taxpayer: Taxpayer;
  let apiKey = '';
  let cliente: Pestana;
  let falsa: Server;

  beforeAll(async () => {
    falsa = createServer(async (request, response) => {
      if (request.method === 'GET') {
        const real = await fetch(instalacion.servicio.api.url + (request.url ?? ''));
        return response.end(await real.text());
      }
      const items = CARGAS.map((asunto, n) => ({ id: String(n), asunto, fecha: '2026-01-01T00:00:00' }));
      const data = { total: items.length, items };
      return response.end(JSON.stringify({ cfdi_codigo: 1, cfdi_texto: CARGAS[0], data }));
    });
    await new Promise<void>((resolve) => falsa.listen(0, '127.0.0.1', resolve));
    const { port } = falsa.address() as AddressInfo;
    instalacion = await startInstalacion({}, { API_INTERNAL_URL: `http://127.0.0.1:${port}` });
    const { servicio, panel, browser } = instalacion;
    url = panel.url;
    persona = await panel.registrar();
    const { cuentaId } = persona;
    const rfc = newRfc();
    const { id: contribuyenteId } = await addRfc(panel.db, persona, rfc);
    const caller = await servicio.newKey({ rfc, cuentaId, contribuyenteId });
    const { cer } = await issueEfirma(servicio, { rfc });
    await expectOk(caller.call('vault/firma-registrar', { rfc, cer }));
    taxpayer = { rfc, cuentaId, contribuyenteId, apiKeyId: caller.apiKeyId };
    apiKey = caller.apiKey;
    await createLibro(panel.db).abonar({
      cuentaId,
      creditos: 10,
      referencia: randomUUID(),
      detalle: 'prueba',
      actor: 'prueba',
      ip: null,
    });
    cliente = await browser.abrir();
    await entrar(cliente.page, url, persona);
  });
  afterAll(async () => {
    await instalacion?.close();
    falsa?.close();
  });

  it('would be noticed: each alarm rings when something does run', async () => {
    const alarma = await instalacion.browser.abrir();
    await alarma.page.setContent('<img src=x onerror="ataque(1)"><script>alert(2)</script>');
    await expect.poll(() => alarma.quejas.ejecutados.length).toBe(2);
    await alarma.page.goto(`${url}/entrar`);
    await alarma.page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="ataque(3)">')`,
    );
    await expect.poll(() => alarma.quejas.politica.length).toBe(1);
    expect(alarma.quejas.ejecutados.length).toBe(2);
    expect(await alarma.page.evaluate<string[]>(INTRUSOS)).toHaveLength(1);
    await alarma.close();
  });

  const staysText = async (cargas: readonly string[]) => {
    const { pool } = instalacion.panel.db;
    const { page } = cliente;
    for (const carga of cargas) {
      await pool.query('UPDATE usuario SET nombre = $2 WHERE id = $1', [persona.usuarioId, carga]);
      await pool.query('UPDATE credencial SET titular = $2 WHERE contribuyente_id = $1', [
        taxpayer.contribuyenteId,
        carga,
      ]);
      await page.goto(`${url}/rfcs/${taxpayer.rfc}/credenciales`);
      // The name in the header, and the holder beside the certificate.
      expect(await shownOn(page), carga).toContain(carga);
      expect(await page.getByRole('main').textContent(), carga).toContain(carga);
      expect(await page.getByRole('banner').textContent(), carga).toContain(carga);
    }
    await page.goto(`${url}/cuenta`);
    expect(await page.evaluate(INTRUSOS)).toEqual([]);
    expectSinQuejas(cliente);
  };
  it('stays text as the name of a person and of the holder of an e.firma', () =>
    staysText(CARGAS.filter((_, place) => place % 9 === 0)));
  it('whatever it is', { tags: ['slow'] }, async () => {
    expect(new Set(CARGAS).size).toBe(200);
    await staysText(CARGAS);
  });

  it('stays text in what the authority said of a solicitud', async () => {
    const { db } = instalacion.panel;
    const accepted = await acceptSolicitud(db, taxpayer);
    if (accepted.resultado !== 'ACEPTADA') throw new Error(accepted.resultado);
    const tipos = ['REENVIADA', 'REPETIDA', 'SOLICITADA', 'RECHAZADA', 'ERROR', 'SAT_SIN_RESPUESTA', 'CANAL_CAIDO'];
    await db.pool.query(
      `INSERT INTO evento (solicitud_id, tipo, codigo, detalle)
       SELECT $1, ($2::text[])[1 + n % cardinality($2)], carga, carga FROM unnest($3::text[]) WITH ORDINALITY AS c (carga, n)`,
      [accepted.solicitudId, tipos, CARGAS],
    );
    const shown = new Set<string>();
    const { page } = cliente;
    await page.goto(`${url}/solicitudes/${accepted.solicitudId}`);
    const older = page.getByRole('link', { name: 'Ver lo anterior' });
    for (;;) {
      await unfold(page);
      for (const carga of await shownOn(page)) shown.add(carga);
      if ((await older.count()) === 0) break;
      await cambiar(page, () => older.click());
    }
    expect(shown.size).toBeGreaterThan(100);
    expectSinQuejas(cliente);
  });

  it('stays text in the subjects of messages, as the sandbox shows them', async () => {
    const { page } = cliente;
    await page.goto(`${url}/pruebas/tax/comunicados`);
    await page.getByLabel('API key', { exact: true }).fill(apiKey);
    await oprimir(page, 'Llamar a la API');
    await page.locator('.respuesta').waitFor({ state: 'attached' });
    expect(await page.evaluate(INTRUSOS)).toEqual([]);
    const { data } = JSON.parse((await page.locator('.respuesta').textContent()) ?? '');
    expect(data.items.map(({ asunto }: { asunto: string }) => asunto)).toEqual(CARGAS);
    expectSinQuejas(cliente);
  });

  it('stays text in the ledger and in the lists of the operator', async () => {
    const { panel, browser } = instalacion;
    const cuentas = createCuentas(panel.db);
    for (const carga of CARGAS) {
      await cuentas.create({ nombre: carga, email: `${randomUUID()}@example.com`, actor: carga, ip: null });
      const pago = { referencia: randomUUID(), detalle: carga, creditos: 1, actor: 'prueba', ip: null };
      await createLibro(panel.db).abonar({ cuentaId: persona.cuentaId, ...pago });
    }
    const operador = await browser.abrir();
    await entrar(operador.page, url, await panel.registrar({ rol: 'OPERADOR' }));
    for (const [{ page }, path] of [
      [cliente, '/saldo/movimientos'],
      [operador, '/operador/cuentas'],
      [operador, '/operador/auditoria'],
    ] as const) {
      await page.goto(url + path);
      const shown = new Set<string>();
      const next = page.getByRole('link', { name: 'Siguientes →' });
      for (;;) {
        for (const carga of await shownOn(page)) shown.add(carga);
        if ((await next.count()) === 0 || shown.size === CARGAS.length) break;
        await cambiar(page, () => next.click());
      }
      expect([path, shown.size]).toEqual([path, CARGAS.length]);
    }
    expectSinQuejas(cliente);
    expectSinQuejas(operador);
  });

  it('cannot be clicked through a frame of somebody else', async () => {
    const marco = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${url}/entrar" width="900" height="600"></iframe>`);
    });
    await new Promise<void>((resolve) => marco.listen(0, '127.0.0.1', resolve));
    try {
      const { page, close } = await instalacion.browser.abrir();
      await page.goto(`http://127.0.0.1:${(marco.address() as AddressInfo).port}/`);
      await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
      await close();
    } finally {
      marco.close();
    }
    for (const path of ['/', '/entrar', '/registro', '/inicio', '/no-existe', '/healthz']) {
      const { headers } = await fetch(url + path, { redirect: 'manual' });
      expect([path, headers.get('x-frame-options')]).toEqual([path, 'DENY']);
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        expect.stringContaining("frame-ancestors 'none'"),
      ]);
    }
  });
});

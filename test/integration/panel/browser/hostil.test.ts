import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createCuentas, createLibro } from '@acuse/db';
import { listen } from '@acuse/runtime';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptSolicitud, newRfc, type Taxpayer } from '../../fixtures/database.ts';
import { issueEfirma } from '../../fixtures/efirma.ts';
import { expectOk } from '../../fixtures/servicio.ts';
import { addRfc, type Persona } from '../fixtures/panel.ts';
import { CHROMIUM, expectNoComplaints, type Tab } from './fixtures/browser.ts';
import { type Instalacion, startInstallation } from './fixtures/instalacion.ts';
import { change, pressButton, signIn } from './fixtures/persona.ts';

/**
 * A way out of the place where a text may stand: content, an attribute of either quote, a comment, a script, a style, a
 * text field.
 */
const SALIDAS = ['', '">', "'>", '--></textarea></title></style></script>', ']]></svg></math></select></template>'];

/** What runs once it is out; `@` stands for the call. */
const FORMAS = [
  '<script>@</script>',
  '<ScRiPt >@</sCrIpT>',
  '<script/x>@</script >',
  '<script type=module>@</script>',
  '<img src=x onerror=@>',
  '<img/src=x/onerror=@>',
  '<IMG SRC=`x` ONERROR="@">',
  '<svg onload=@>',
  '<svg/onload=@//',
  '<svg><script>@</script></svg>',
  '<svg><animate onbegin=@ attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:@"><text y=9>x</text></a></svg>',
  '<body onload=@>',
  '<body onpageshow=@>',
  '<iframe srcdoc="<script>parent.@</script>">',
  '<iframe src="javascript:parent.@">',
  '<iframe onload=@></iframe>',
  '<object data="javascript:@">',
  '<embed src="javascript:@">',
  '<a href="javascript:@" autofocus onfocus=@>x</a>',
  '<a href="java\tscript:@">x</a>',
  '<input autofocus onfocus=@>',
  '<select autofocus onfocus=@>',
  '<textarea autofocus onfocus=@>',
  '<details open ontoggle=@>',
  '<video><source onerror=@></video>',
  '<audio src=x onerror=@>',
  '<marquee onstart=@>',
  '<style>@import"data:text/css,x"</style><style onload=@></style>',
  '<link rel=stylesheet href="data:text/css,x" onload=@>',
  '<meta http-equiv=refresh content="0;url=javascript:@">',
  '<base href="https://ejemplo.invalid/">',
  '<form action="javascript:@"><button autofocus onfocus=@>',
  '<math><mtext><img src=x onerror=@></mtext></math>',
  '<div style="animation:x 1s" onanimationstart=@>',
  '<p onmouseover=@ onclick=@>x</p>',
  'x" onfocus="@" autofocus="',
  "x' onfocus='@' autofocus='",
  '&lt;script&gt;@&lt;/script&gt;&#60;img src=x onerror=@&#62;',
  '{{constructor.constructor("@")()}}#{@}<%=@%>',
] as const;

/** 200 texts that run something of their own where text is taken for markup: each calls `ataque` with its number. */
const CARGAS: readonly string[] = FORMAS.flatMap((forma, lugar) =>
  SALIDAS.map((salida, otro) => `${salida}${forma.replaceAll('@', `ataque(${lugar * SALIDAS.length + otro})`)}`),
);

/** What no text of a page may have become: handlers, scripts of others, addresses that run. */
const INTRUDERS = `[...document.querySelectorAll('*')].filter((each) =>
  [...each.attributes].some(({ name, value }) => /^on/i.test(name) || /^\\s*javascript:/i.test(value)) ||
  ['IFRAME', 'OBJECT', 'EMBED', 'BASE', 'MARQUEE', 'STYLE'].includes(each.tagName) ||
  (each.tagName === 'SCRIPT' && !each.src.startsWith(location.origin + '/assets/'))
).map((each) => each.outerHTML)`;

const TEXTO = 'document.documentElement.textContent';
const plain = (text: string) => text.replaceAll(/\s+/g, ' ');

/** The payloads that stand on the page as text. */
async function shownOn(page: Page): Promise<string[]> {
  expect(await page.evaluate(INTRUDERS)).toEqual([]);
  const text = plain(await page.evaluate<string>(TEXTO));
  return CARGAS.filter((carga) => text.includes(plain(carga)));
}

/** Opens what a page keeps folded. */
const unfold = (page: Page) =>
  page.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`);

describe.runIf(CHROMIUM !== null)('text that wants to be a script', { shuffle: false }, () => {
  let instalacion: Instalacion;
  let url: string;
  let persona: Persona;
  let taxpayer: Taxpayer;
  let apiKey = '';
  let cliente: Tab;
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
    const port = await listen(falsa, 0, '127.0.0.1');
    instalacion = await startInstallation({}, { API_INTERNAL_URL: `http://127.0.0.1:${port}` });
    const { servicio, panel, browser } = instalacion;
    url = panel.url;
    persona = await panel.registrar({ saldo: 10 });
    const { cuentaId } = persona;
    const rfc = newRfc();
    const { id: contribuyenteId } = await addRfc(panel.db, persona, rfc);
    const caller = await servicio.newKey({ rfc, cuentaId, contribuyenteId });
    const { cer } = await issueEfirma(servicio, { rfc });
    await expectOk(caller.call('vault/firma-registrar', { rfc, cer }));
    taxpayer = { rfc, cuentaId, contribuyenteId, apiKeyId: caller.apiKeyId };
    apiKey = caller.apiKey;
    cliente = await browser.abrir();
    await signIn(cliente.page, url, persona);
  });
  afterAll(async () => {
    await instalacion?.close();
    falsa?.close();
  });

  it('would be noticed: each alarm rings when something does run', async () => {
    const alarm = await instalacion.browser.abrir();
    await alarm.page.setContent('<img src=x onerror="ataque(1)"><script>alert(2)</script>');
    await expect.poll(() => alarm.complaints.executed.length).toBe(2);
    await alarm.page.goto(`${url}/entrar`);
    await alarm.page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="ataque(3)">')`,
    );
    await expect.poll(() => alarm.complaints.politica.length).toBe(1);
    expect(alarm.complaints.executed.length).toBe(2);
    expect(await alarm.page.evaluate<string[]>(INTRUDERS)).toHaveLength(1);
    await alarm.close();
  });

  /** Each payload begins with its own way out, so that it does not matter what stands before it in its text. */
  const staysText = async (textos: readonly (readonly string[])[]) => {
    const { pool } = instalacion.panel.db;
    const { page } = cliente;
    for (const cargas of textos) {
      const carga = cargas.join(' ');
      await pool.query('UPDATE usuario SET nombre = $2 WHERE id = $1', [persona.usuarioId, carga]);
      await pool.query('UPDATE credencial SET titular = $2 WHERE contribuyente_id = $1', [
        taxpayer.contribuyenteId,
        carga,
      ]);
      await page.goto(`${url}/rfcs/${taxpayer.rfc}/credenciales`);
      // The name in the header, and the holder beside the certificate.
      expect(await shownOn(page), carga).toEqual(expect.arrayContaining([...cargas]));
      expect(await page.getByRole('main').textContent(), carga).toContain(carga);
      expect(await page.getByRole('banner').textContent(), carga).toContain(carga);
    }
    await page.goto(`${url}/cuenta`);
    expect(await page.evaluate(INTRUDERS)).toEqual([]);
    expectNoComplaints(cliente);
  };
  it('stays text as the name of a person and of the holder of an e.firma', async () => {
    expect(new Set(CARGAS).size).toBe(200);
    const perForma = FORMAS.map((_, n) => CARGAS.slice(n * SALIDAS.length, (n + 1) * SALIDAS.length));
    await staysText(perForma);
  });
  it('stays text there also alone', { tags: ['slow'] }, () => staysText(CARGAS.map((carga) => [carga])));

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
      await change(page, () => older.click());
    }
    expect(shown.size).toBeGreaterThan(100);
    expectNoComplaints(cliente);
  });

  it('stays text in the subjects of messages, as the sandbox shows them', async () => {
    const { page } = cliente;
    await page.goto(`${url}/pruebas/tax/comunicados`);
    await page.getByLabel('API key', { exact: true }).fill(apiKey);
    await pressButton(page, 'Llamar a la API');
    await page.locator('.respuesta').waitFor({ state: 'attached' });
    expect(await page.evaluate(INTRUDERS)).toEqual([]);
    const { data } = JSON.parse((await page.locator('.respuesta').textContent()) ?? '');
    expect(data.items.map(({ asunto }: { asunto: string }) => asunto)).toEqual(CARGAS);
    expectNoComplaints(cliente);
  });

  it('stays text in the ledger and in the lists of the operator', { tags: ['slow'] }, async () => {
    const { panel, browser } = instalacion;
    const cuentas = createCuentas(panel.db);
    for (const carga of CARGAS) {
      await cuentas.create({ nombre: carga, email: `${randomUUID()}@example.com`, actor: carga, ip: null });
      const pago = { referencia: randomUUID(), detalle: carga, creditos: 1, actor: 'prueba', ip: null };
      await createLibro(panel.db).credit({ cuentaId: persona.cuentaId, ...pago });
    }
    const operador = await browser.abrir();
    await signIn(operador.page, url, await panel.registrar({ rol: 'OPERADOR' }));
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
        await change(page, () => next.click());
      }
      expect([path, shown.size]).toEqual([path, CARGAS.length]);
    }
    expectNoComplaints(cliente);
    expectNoComplaints(operador);
  });

  it('cannot be clicked through a frame of another site', async () => {
    const marco = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${url}/entrar" width="900" height="600"></iframe>`);
    });
    const port = await listen(marco, 0, '127.0.0.1');
    try {
      const { page, close } = await instalacion.browser.abrir();
      await page.goto(`http://127.0.0.1:${port}/`);
      await expect.poll(() => page.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
      await close();
    } finally {
      marco.close();
    }
  });
});

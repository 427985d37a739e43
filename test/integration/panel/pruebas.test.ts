import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createLogger, listen } from '@acuse/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saldoDe } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { type Caller, ciecOf, useServicio } from '../fixtures/servicio.ts';
import { addRfc, attributesOf, type Persona, presetOf, startPanel, usePersona } from './fixtures/panel.ts';

interface Descripcion {
  readonly paths: Record<
    string,
    { post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } } }
  >;
  readonly components: { readonly schemas: Record<string, { properties: object }> };
}

const openapi: Descripcion = JSON.parse(await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'));
const lines: string[] = [];
const servicio = useServicio();
const log = createLogger({ name: 'panel', level: 'trace', destination: { write: (line) => void lines.push(line) } });
const panel = duringTests(() =>
  startPanel({ database: servicio.database, log, env: { API_PUBLIC_URL: servicio.api.url } }),
);
const persona = usePersona(panel, { saldo: 5 });
let llave: Caller;
beforeAll(async () => {
  const { id, rfc } = await addRfc(panel.db, persona);
  llave = await servicio.newKey({ rfc, cuentaId: persona.cuentaId, contribuyenteId: id });
});

const probar = (nombre: string, campos: Record<string, string | Blob> = {}, quien: Persona = persona) => {
  const named = Object.fromEntries(Object.entries(campos).map(([name, value]) => [`c.${name}`, value]));
  return quien.submit(`/pruebas/${nombre}`, `/pruebas/${nombre}`, { llave: llave.apiKey, ...named });
};
const saldo = () => saldoDe(panel, persona);

describe('the sandbox', { shuffle: false }, () => {
  it('has a form for every operation of the API, with its fields', async () => {
    const indice = (await persona.get('/pruebas')).$;
    const nombres = Object.keys(openapi.paths).map((path) => path.replace('/api/v1/', ''));
    expect(attributesOf(indice, 'main a', 'href').sort()).toEqual(nombres.map((nombre) => `/pruebas/${nombre}`).sort());
    for (const nombre of nombres) {
      const page = await persona.get(`/pruebas/${nombre}`);
      expect([nombre, page.status]).toEqual([nombre, 200]);
      const { $ } = page;
      const fields = attributesOf($, 'form [name^="c."]', 'name').map((name) => name?.slice(2));
      const { schema } = openapi.paths[`/api/v1/${nombre}`]?.post.requestBody.content['application/json'] ?? {};
      const { properties = {} } = openapi.components.schemas[schema?.$ref.split('/').at(-1) ?? ''] ?? {};
      expect([nombre, fields]).toEqual([nombre, Object.keys(properties)]);
    }
  });

  it('fills the form with an example that works as it is, and says time, cost and balance', async () => {
    const before = await saldo();
    const page = await probar('vault/firma-estado');
    const { $ } = page;
    expect(page.status).toBe(200);
    expect($('#resultado .estado').text()).toBe('HTTP 200');
    expect(JSON.parse($('.respuesta').text())).toMatchObject({
      cfdi_codigo: 1,
      data: { rfc: llave.rfc, tiene_cer: false },
    });
    expect($('#resultado .datos').text()).toMatch(/Tiempo[\d,]+ ms/);
    expect($('#resultado .datos').text()).toContain('Cobrado0 créditos');
    expect(await saldo()).toBe(before);
  });

  it('proposes the RFC that the account has had longest, whatever sorts first', async () => {
    const other = await panel.registrar();
    for (const rfc of ['ZZZ200101ZZ1', 'AAA200101AA1']) await addRfc(panel.db, other, rfc);
    await panel.db.pool.query(
      `UPDATE contribuyente SET creado_en = now() - interval '1 day' WHERE rfc = 'ZZZ200101ZZ1'`,
    );
    const page = await other.get('/pruebas/vault/firma-estado');
    expect(page.$('[name="c.rfc"]').attr('value')).toBe('ZZZ200101ZZ1');
  });

  it('stores a CIEC without showing it or the key', async () => {
    const ciec = ciecOf(llave.rfc);
    const page = await probar('vault/rfc-guardar', { ciec });
    expect(page.$('#resultado .estado').text()).toBe('HTTP 200');
    const rows = await panel.sql`SELECT tipo FROM credencial WHERE contribuyente_id = ${llave.contribuyenteId}`;
    expect(rows).toEqual([{ tipo: 'ciec' }]);
    const { $ } = page;
    for (const input of $('input[type=password]').toArray()) expect($(input).attr('value')).toBeUndefined();
    const command = $('.copiar pre').text();
    expect(command).toContain(`curl '${servicio.api.url}/api/v1/vault/rfc-guardar'`);
    expect(command).toContain('"ciec":"********"');
    for (const secret of [ciec, llave.apiKey]) {
      expect(page.text).not.toContain(secret);
      expect(lines.join('')).not.toContain(secret);
    }
  });

  it('charges a call once, however often a browser sends the same form', async () => {
    const path = '/pruebas/tax/descarga-metadata';
    const campos = presetOf((await persona.get(path)).$(`form[action="${path}"]`));
    const before = await saldo();
    const [first, again] = [
      (await persona.post(path, { ...campos, llave: llave.apiKey })).$,
      (await persona.post(path, { ...campos, llave: llave.apiKey })).$,
    ];
    const { data } = JSON.parse(first('.respuesta').text());
    expect(data.estado).toBe('EN_PROCESO');
    expect(first('.datos').text()).toContain('Cobrado1 crédito');
    expect(JSON.parse(again('.respuesta').text()).data.solicitud_id).toBe(data.solicitud_id);
    expect(again('.datos').text()).toContain('Cobrado0 créditos');
    expect(await saldo()).toBe(before - 1);
    expect(attributesOf(first, '#resultado a', 'href')).toContain(`/solicitudes/${data.solicitud_id}`);

    const verificar = await persona.get(`/pruebas/descarga/verificar?solicitud_id=${data.solicitud_id}`);
    expect(verificar.$('[name="c.solicitud_id"]').attr('value')).toBe(data.solicitud_id);
  });

  it('sends files', async () => {
    const page = await probar('vault/firma-registrar', { cer: new Blob(['no es un certificado']) });
    expect(JSON.parse(page.$('.respuesta').text()).cfdi_codigo).toBe(4001);
  });

  it('shows what the API refuses, with what was typed still in the form', async () => {
    const page = await probar('efos/consultar', { rfc: 'NO ES "RFC"' });
    const { $ } = page;
    expect($('#resultado .estado').text()).toBe('HTTP 400');
    expect(JSON.parse($('.respuesta').text()).cfdi_codigo).toBe(2002);
    expect($('[name="c.rfc"]').attr('value')).toBe('NO ES "RFC"');
    const wrong = await persona.submit('/pruebas/efos/consultar', '/pruebas/efos/consultar', { llave: 'acuse_test_x' });
    expect(wrong.$('#resultado .estado').text()).toBe('HTTP 401');
    const none = await persona.submit('/pruebas/efos/consultar', '/pruebas/efos/consultar', { llave: 'dos palabras' });
    expect(none.status).toBe(422);
    expect(none.text).not.toContain('dos palabras');
  });

  it('tells no balance for a key of another account', async () => {
    const other = await servicio.newCaller();
    const page = await persona.submit('/pruebas/vault/firma-estado', '/pruebas/vault/firma-estado', {
      llave: other.apiKey,
      'c.rfc': other.rfc,
    });
    expect(page.$('#resultado .datos').text()).toContain('La llave no es de esta cuenta');
    expect(page.text).not.toContain('Saldo después');
  });

  it('is for operations that exist', async () => {
    for (const path of ['/pruebas/no/existe', '/pruebas/..%2f..%2fopenapi.json/x'])
      expect([path, (await persona.get(path)).status]).toEqual([path, 404]);
  });
});

describe('an API that is hostile or away', { shuffle: false }, () => {
  let falsa: Server;
  let alguien: Persona;

  beforeAll(async () => {
    falsa = createServer((request, response) => {
      if (request.url === '/openapi.json') return response.end(JSON.stringify(openapi));
      const { authorization } = request.headers;
      const paquete_url = 'javascript:alert(1)';
      response.end(JSON.stringify({ texto: '</pre><script>alert(1)</script>', authorization, data: { paquete_url } }));
    });
    const url = `http://127.0.0.1:${await listen(falsa, 0, '127.0.0.1')}`;
    const env = { API_PUBLIC_URL: 'https://api.ejemplo.mx', API_INTERNAL_URL: url };
    alguien = await (await panel.another({ env })).registrar();
  });
  afterAll(() => falsa?.close());

  it('puts nothing into the page but text, and gets its echo of the key masked', async () => {
    const page = await probar('efos/consultar', {}, alguien);
    const { $ } = page;
    expect($('main script').length).toBe(0);
    expect($('.respuesta').text()).toContain('<script>alert(1)</script>');
    expect($('.respuesta').text()).toContain('Bearer ********');
    expect(page.text).not.toContain(llave.apiKey);
    expect(page.text).not.toContain('href="javascript');
    expect($('.copiar pre').text()).toContain('https://api.ejemplo.mx/');
  });

  it('is said to be away, while nothing else of the panel is', async () => {
    const fresh = await panel.another({ env: { API_PUBLIC_URL: 'http://127.0.0.1:1' } });
    const nadie = await fresh.registrar();
    const page = await nadie.get('/pruebas');
    expect(page.status).toBe(503);
    expect(page.text).toContain('La API no contesta');
    falsa.closeAllConnections();
    await new Promise((resolve) => falsa.close(resolve));
    const after = await probar('efos/consultar', {}, alguien);
    expect(after.$('#resultado .estado').text()).toBe('Sin respuesta');
  });
});

import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { createHealth } from '@acuse/runtime';
import { describe, expect, it } from 'vitest';
import { RUTAS } from '../../../apps/panel/src/rutas.ts';
import { cookieOf, type Persona, usePanel, usePersona } from './fixtures/panel.ts';

const panel = usePanel();
/** For requests that change nothing. */
const cliente = usePersona(panel);
const operador = usePersona(panel, { rol: 'OPERADOR' });

/** An address for every pattern, with an unknown id. */
const pathOf = (pattern: string) =>
  pattern.replace(/:\w+(\{[^}]*\})?\??/g, '00000000-0000-7000-8000-000000000000').replace(/\*$/, 'x');

const nameOf = async ({ usuarioId }: Persona) =>
  (await panel.sql`SELECT nombre FROM usuario WHERE id = ${usuarioId}`)[0]?.['nombre'];

describe('forged requests', () => {
  it('change nothing without the token, with that of another session, or with one of before', async () => {
    const [ana, berta] = [await panel.registrar({ nombre: 'Ana' }), await panel.registrar()];
    const anonymous = panel.newCliente();
    const before = panel.newCliente();
    const old = await before.csrf('/entrar');
    const tokens = [undefined, '', 'x'.repeat(43), await berta.csrf('/cuenta'), await anonymous.csrf(), old];
    for (const token of tokens) {
      const answer = await ana.post('/cuenta/nombre', {
        nombre: 'Otro',
        ...(token === undefined ? {} : { _csrf: token }),
      });
      expect(answer.status).toBe(403);
      expect(answer.text).toContain('Esta acción no se hizo');
    }
    const _csrf = await ana.csrf('/cuenta');
    const mine = ana.cookies.get('__Host-acuse');
    await ana.submit('/cuenta/password', '/cuenta/password', {
      actual: ana.password,
      nueva: 'otra contraseña muy larga',
    });
    expect(ana.cookies.get('__Host-acuse')).not.toBe(mine);
    expect((await ana.post('/cuenta/nombre', { nombre: 'Otro', _csrf })).status).toBe(403);
    expect(await nameOf(ana)).toBe('Ana');
    expect((await ana.submit('/cuenta', '/cuenta/nombre', { nombre: 'Ana María' })).status).toBe(303);
    expect(await nameOf(ana)).toBe('Ana María');
  });

  it('change nothing when they come from another site, or do not say where from, even with the token', async () => {
    const ana = await panel.registrar({ nombre: 'Ana' });
    const _csrf = await ana.csrf('/cuenta');
    const send = async (headers: Record<string, string>) => {
      const cookie = cookieOf(ana);
      const body = new URLSearchParams({ nombre: 'Otro', _csrf });
      // Node's own client, since fetch says where it comes from by itself.
      return new Promise<number>((resolve, reject) => {
        const asking = request(`${panel.url}/cuenta/nombre`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
        });
        asking.on('error', reject).on('response', (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        });
        asking.end(body.toString());
      });
    };
    const origin = panel.url;
    for (const headers of [
      {},
      { origin: 'null' },
      { origin: 'https://otro.example' },
      { origin: `${origin}.otro.example` },
      { origin: origin.replace('http:', 'https:') },
      { origin, 'sec-fetch-site': 'cross-site' },
      { origin, 'sec-fetch-site': 'same-site' },
      { origin, 'sec-fetch-site': 'none' },
      { origin: 'https://otro.example', 'sec-fetch-site': 'same-origin' },
    ])
      expect(await send(headers), JSON.stringify(headers)).toBe(403);
    expect(await nameOf(ana)).toBe('Ana');
    for (const headers of [
      { origin },
      { 'sec-fetch-site': 'same-origin' },
      { origin, 'sec-fetch-site': 'same-origin' },
    ])
      expect(await send(headers)).toBe(303);
  });

  it('cannot log a user in or sign one up either', async () => {
    const ana = await panel.registrar();
    const { email, password } = ana;
    const theirs = await panel.newCliente().csrf();
    const nuevo = { nombre: 'X', email: `${randomUUID()}@example.com`, password: 'un caballo bajo la lluvia' };
    for (const [path, campos] of [
      ['/entrar', { email, password }],
      ['/registro', nuevo],
      ['/restablecer', { codigo: 'x', password }],
      ['/entrar/codigo', { codigo: '000000' }],
      ['/salir', {}],
    ] as const)
      for (const token of [{}, { _csrf: theirs }]) {
        const cliente = panel.newCliente();
        await cliente.get('/entrar');
        expect((await cliente.post(path, { ...campos, ...token })).status).toBe(403);
        expect((await cliente.get('/cuenta')).status).toBe(303);
        // Without any cookie there is no session that a token could be of.
        expect((await panel.newCliente().post(path, { ...campos, ...token })).status).toBe(403);
      }
    const rows = await panel.sql`SELECT 1 FROM usuario WHERE email = ${nuevo.email}`;
    expect(rows).toEqual([]);
    expect((await ana.post('/salir', { _csrf: theirs })).status).toBe(403);
    expect((await ana.get('/cuenta')).status).toBe(200);
  });

  it.each(RUTAS.filter(({ metodo }) => metodo === 'POST').map(({ path, acceso }) => [path, acceso] as const))(
    'are refused at %s',
    async (path, acceso) => {
      const persona = acceso === 'operador' ? operador : cliente;
      expect((await persona.post(pathOf(path), {})).status).toBe(403);
      const campos = { _csrf: await persona.csrf('/cuenta') };
      expect((await persona.post(pathOf(path), campos, { origin: 'https://otro.example' })).status).toBe(403);
    },
  );
});

describe('who may come in', () => {
  it.each(RUTAS.filter(({ acceso }) => acceso !== 'publica').map(({ metodo, path }) => [metodo, path] as const))(
    '%s %s sends strangers to the log-in',
    async (metodo, path) => {
      const stranger = panel.newCliente();
      const _csrf = await stranger.csrf();
      const answer = metodo === 'GET' ? stranger.get(pathOf(path)) : stranger.post(pathOf(path), { _csrf });
      expect((await answer).location).toMatch(/^\/entrar(\?a=|$)/);
    },
  );
});

describe('headers', () => {
  const expectHeaders = (headers: Headers, where: string) => {
    const of = (name: string) => headers.get(name);
    expect(of('content-security-policy'), where).toMatch(/^default-src 'none'; /);
    expect(of('content-security-policy'), where).toContain("frame-ancestors 'none'");
    expect(of('content-security-policy'), where).not.toMatch(/unsafe|https?:|\*/);
    expect(of('x-frame-options'), where).toBe('DENY');
    expect(of('x-content-type-options'), where).toBe('nosniff');
    expect(of('referrer-policy'), where).toBe('same-origin');
    expect(of('permissions-policy'), where).toContain('camera=()');
    expect(of('cross-origin-opener-policy'), where).toBe('same-origin');
    expect(of('access-control-allow-origin'), where).toBeNull();
    expect(of('x-powered-by'), where).toBeNull();
  };

  it.each([
    '/',
    '/entrar',
    '/no-existe',
    '/healthz',
    '/readyz',
    '/assets/nada.css',
    ...new Set(RUTAS.map(({ path }) => pathOf(path))),
  ])('are on %s, for strangers and for those who are in, whatever the method', async (path) => {
    const seen = await Promise.all([panel.newCliente().get(path), cliente.get(path), cliente.post(path, {})]);
    for (const { headers, status } of seen) {
      expectHeaders(headers, `${path} ${status}`);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('strict-transport-security')).toBeNull();
    }
  });

  it('have a nonce that is new for each page, and that every script and style of the page has', async () => {
    const ana = await panel.registrar();
    const nonces = new Set<string>();
    for (const path of ['/entrar', '/cuenta', '/cuenta', '/no-existe']) {
      const { headers, text, $ } = await ana.get(path);
      const [, nonce = ''] =
        /script-src 'nonce-([\w+/=]{24})'/.exec(headers.get('content-security-policy') ?? '') ?? [];
      nonces.add(nonce);
      $('script, link[rel="stylesheet"], style').each((_, each) => expect($(each).attr('nonce')).toBe(nonce));
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:/i);
    }
    expect(nonces.size).toBe(4);
  });

  it('tell browsers to keep to https where the panel is reached by it', async () => {
    const https = await panel.another({ env: { PANEL_PUBLIC_URL: 'https://panel.example/' } });
    for (const path of ['/entrar', '/healthz', '/no-existe']) {
      const response = await fetch(https.escucha + path);
      expect(response.headers.get('strict-transport-security')).toMatch(/^max-age=63072000/);
    }
  });

  it('let what never changes be kept', async () => {
    const { $ } = await panel.newCliente().get('/entrar');
    const href = $('link[rel="stylesheet"]').attr('href') ?? '';
    expect((await panel.newCliente().get('/assets/estilo.css')).status).toBe(404);
    const { headers, status } = await panel.newCliente().get(href);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toContain('immutable');
    expectHeaders(headers, href);
    expect(headers.getSetCookie()).toEqual([]);
  });
});

describe('what no browser sends', () => {
  it('is refused before it is read whole, and changes nothing', async () => {
    const ana = await panel.registrar({ nombre: 'Ana' });
    const _csrf = await ana.csrf('/cuenta');
    const large = await ana.post('/cuenta/nombre', { _csrf, nombre: 'x'.repeat(70_000) });
    expect(large.status).toBe(413);
    const headers = { origin: panel.url, cookie: cookieOf(ana) };
    const send = (type: string, body: string | ReadableStream) =>
      fetch(`${panel.url}/cuenta/nombre`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
        ...({ duplex: 'half' } as object),
        redirect: 'manual',
      }).then(({ status }) => status);
    const form = 'application/x-www-form-urlencoded';
    expect(await send(form, `_csrf=${_csrf}&nombre=a&nombre=b`)).toBe(400);
    expect(await send(form, `_csrf=${_csrf}&${Array.from({ length: 201 }, (_, n) => `c${n}=1`).join('&')}`)).toBe(400);
    expect(await send('application/json', JSON.stringify({ _csrf, nombre: 'b' }))).toBe(400);
    expect(await send('text/plain', `_csrf=${_csrf}&nombre=b`)).toBe(400);
    expect(await send('multipart/form-data', 'nada')).toBe(400);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(16_384)) });
    expect(await send(form, endless).catch(() => 413)).toBe(413);
    expect(await nameOf(ana)).toBe('Ana');
    expect((await ana.post('/cuenta/nombre', { _csrf, nombre: '__proto__', __proto__: 'x' } as never)).status).toBe(
      303,
    );
  });

  it('is no name and no field where it has U+0000, which the database takes in no text', async () => {
    const ana = await panel.registrar({ nombre: 'Ana' });
    const _csrf = await ana.csrf('/cuenta');
    for (const path of ['/rfcs?q=%00', '/rfcs?despues=a%00', '/solicitudes?id=%00', '/rfcs/%00', '/pruebas?x=%00'])
      expect([path, (await ana.get(path)).status]).toEqual([path, 404]);
    expect((await ana.post('/cuenta/sesiones/%00/cerrar', { _csrf })).status).toBe(404);
    expect((await ana.post('/cuenta/nombre', { _csrf, nombre: 'a\0b' })).status).toBe(400);
    const stranger = panel.newCliente();
    const campos = { _csrf: await stranger.csrf(), email: 'a\0@example.com', password: 'x' };
    expect((await stranger.post('/entrar', campos)).status).toBe(400);
  });

  it('shows no stack, no version and no query when a page fails', async () => {
    const broken = await panel.another({ deps: { usuarios: null as never } });
    const answer = await broken.newCliente().submit('/entrar', '/entrar', { email: 'a@example.com', password: 'x' });
    expect(answer.status).toBe(500);
    expect(answer.text).toMatch(/No pudimos completar esto[\s\S]*[0-9a-f-]{36}/);
    expect(answer.text).not.toMatch(/TypeError|node_modules|\.ts\b|at \w+ \(/);
  });

  it('says that the database is away when a page fails while it is', async () => {
    const database = () => Promise.reject(new Error('away'));
    const deps = { usuarios: null as never, health: createHealth({ checks: { database } }) };
    const broken = await panel.another({ deps });
    const answer = await broken.newCliente().submit('/entrar', '/entrar', { email: 'a@example.com', password: 'x' });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    expect(answer.text).toMatch(/La base de datos del servicio no responde/);
  });
});

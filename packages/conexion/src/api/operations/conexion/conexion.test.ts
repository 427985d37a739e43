import { createHash, randomBytes } from 'node:crypto';
import { CANAL_OUTBOX } from '@acuse/db';
import { describe, expect, it } from 'vitest';
import { type Alta, createKit, createKitWithAlta, type Kit, NOW, opener } from '../../../../../../apps/api/test/kit.ts';
import { contextoDe, llaveDeConexion, parseApiKey, sealConectada } from '../../../../../vault/src/index.ts';
import { createPorVerificar, MAX_INTENTOS, TOPIC } from '../../../db.ts';
import { complete } from '../../../web/pages.ts';

const BODY = { solicitante: 'Contadores', finalidad: 'Descargar sus CFDI' };
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const SOBRE = Buffer.concat([Uint8Array.of(2, 2), Buffer.from('w1'), Buffer.alloc(80)]).toString('base64url');

/** What the page's script asks. */
async function ask({ api }: Kit, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = { 'content-type': 'application/json', 'content-length': String(text.length), ...headers };
  const response = await api.app.request(`/conectar/${path}`, { method: 'POST', headers: init, body: text });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Record<string, unknown>,
  };
}

async function newLink(kit: Kit, a: Alta, body: object = {}) {
  const { json } = await kit.call('conexion/crear', { rfc: a.rfc, ...BODY, ...body }, { key: a.key });
  const data = json.data ?? {};
  const enlace = String(data['enlace']).split('#')[1] ?? '';
  const id = String(data['conexion_id']);
  const estado = async () =>
    (await kit.call('conexion/estado', { rfc: a.rfc, conexion_id: id }, { key: a.key })).json.data?.['estado'];
  const retiro = randomBytes(32).toString('base64url');
  const send = () => ask(kit, 'enviar', { enlace, sobre: SOBRE, retiro: sha256(retiro).toString('base64url') });
  return { id, enlace, retiro, data, estado, send };
}

/** What a worker does once the SAT took the CIEC. */
async function verified(kit: Kit, a: Alta, id: string): Promise<void> {
  const porVerificar = createPorVerificar(kit);
  const tomada = (await porVerificar.take(100, 60)).find((each) => each.id === id);
  if (tomada === undefined) throw new Error('nothing was sent');
  const { cuentaId, rfc, hasta, apiKeyId } = tomada;
  const destino = opener.openDestino(tomada.boleto, { solicitudId: id, cuenta: cuentaId, rfc, expiraEn: hasta });
  const key = parseApiKey(a.key);
  if (key !== null) expect(destino.raw).toEqual(llaveDeConexion(key, id).publicRaw);
  const fila = contextoDe({ cuentaId, rfc }, { id, apiKeyId, expiraEn: hasta }, 'ciec');
  const ciec = { tipo: 'ciec', rfc, ciec: Buffer.from('Ciec-de-16-letra') } as const;
  expect(await porVerificar.verified(tomada, sealConectada(ciec, fila, destino))).toBe(true);
}

describe('a connect link', () => {
  it('is given once: the row has the hash of its token', async () => {
    const { kit, a } = await createKitWithAlta();
    const { enlace, data } = await newLink(kit, a);
    const [row] = await kit.filas<{ huella: Buffer; boleto: Buffer }>('conexion', a);
    expect(row?.huella).toEqual(sha256(enlace));
    expect(JSON.stringify(row)).not.toContain(enlace);
    expect(String(data['enlace'])).toMatch(/^http:\/\/127\.0\.0\.1:8080\/conectar#[\w-]{43}$/);
    expect(data['expira_en']).toBe(new Date(NOW.getTime() + 86_400_000).toISOString());
    expect(data['hasta']).toBe(new Date(NOW.getTime() + 365 * 86_400_000).toISOString());
  });

  it.each([
    ['vence_minutos', [29, 10_081, 60.5]],
    ['dias', [0, 367]],
    ['regreso', ['http://erp.example.com/', 'https://localhost/', 'javascript:alert(1)']],
    ['logo', ['data:image/svg+xml;base64,PHN2Zy8+', 'https://erp.example.com/logo.png']],
    ['color', ['#ffffff', 'red']],
    ['solicitante', ['x', 'SAT\u202e', 'a'.repeat(81)]],
  ])('takes no wrong %s', async (campo, wrong) => {
    const { kit, a } = await createKitWithAlta();
    for (const valor of wrong) {
      const { json } = await kit.call('conexion/crear', { rfc: a.rfc, ...BODY, [campo]: valor }, { key: a.key });
      expect([valor, json]).toMatchObject([valor, { error: 'CAMPO_INVALIDO', data: { campo } }]);
    }
  });

  it('belongs to the RFC of its key, and its state to that key alone', async () => {
    const { kit, a } = await createKitWithAlta();
    const b = await kit.alta();
    const other = await kit.call('conexion/crear', { rfc: b.rfc, ...BODY }, { key: a.key });
    expect(other.json['error']).toBe('RFC_AJENO');
    const { id, estado } = await newLink(kit, a);
    for (const operacion of ['estado', 'revocar']) {
      const { json } = await kit.call(`conexion/${operacion}`, { rfc: b.rfc, conexion_id: id }, { key: b.key });
      expect(json['error']).toBe('CONEXION_NO_ENCONTRADA');
    }
    expect(await estado()).toBe('PENDIENTE');
  });

  it('ends the earlier one that waits', async () => {
    const { kit, a } = await createKitWithAlta();
    const first = await newLink(kit, a);
    const second = await newLink(kit, a);
    expect([await first.estado(), await second.estado()]).toEqual(['TERMINADA', 'PENDIENTE']);
    expect((await first.send()).status).toBe(409);
  });

  it('expires', async () => {
    const { kit, a } = await createKitWithAlta();
    const { enlace, estado, send } = await newLink(kit, a, { vence_minutos: 30 });
    await kit.setNow(new Date(NOW.getTime() + 30 * 60_000 - 1));
    expect((await ask(kit, 'leer', { enlace })).json['estado']).toBe('PENDIENTE');
    await kit.setNow(new Date(NOW.getTime() + 30 * 60_000));
    expect([await estado(), (await send()).status]).toEqual(['VENCIDA', 409]);
    await kit.setNow(NOW);
  });

  it('is announced to the workers when it is sent, when a worker stops, and when none took it', async () => {
    const { kit, a } = await createKitWithAlta();
    const { id, send } = await newLink(kit, a);
    const porVerificar = createPorVerificar(kit);
    const listening = await kit.pool.connect();
    const payloads: (string | undefined)[] = [];
    listening.on('notification', ({ payload }) => payloads.push(payload));
    const heard = async () => {
      // The server sends the notifications before the answer.
      await listening.query('SELECT 1');
      return payloads.splice(0).filter((payload) => payload === TOPIC).length;
    };
    try {
      await listening.query(`LISTEN ${CANAL_OUTBOX}`);
      expect((await send()).status).toBe(200);
      expect((await send()).status).toBe(409);
      expect(await heard()).toBe(1);
      const tomada = (await porVerificar.take(100, 60)).find((each) => each.id === id);
      if (tomada === undefined) throw new Error('nothing was sent');
      await porVerificar.postpone(tomada, 5_000);
      await porVerificar.announceOverdue();
      expect(await heard()).toBe(0);
      await porVerificar.postpone(tomada, 0);
      expect(await heard()).toBe(1);
      await porVerificar.postpone(tomada, -60_000);
      await porVerificar.announceOverdue();
      expect(await heard()).toBe(1);
      await porVerificar.refused(tomada, 'ILEGIBLE', false);
    } finally {
      listening.release(true);
    }
  });

  it('takes three refused CIECs, and does not count what the SAT did not answer', async () => {
    const { kit, a } = await createKitWithAlta();
    const { id, estado, send } = await newLink(kit, a);
    const porVerificar = createPorVerificar(kit);
    const refuse = async (counts: boolean) => {
      expect((await send()).status).toBe(200);
      const tomada = (await porVerificar.take(100, 60)).find((each) => each.id === id);
      if (tomada === undefined) throw new Error('nothing was sent');
      await porVerificar.refused(tomada, counts ? 'CIEC_RECHAZADA' : 'SAT_NO_RESPONDE', counts);
      // Another worker that lost its hold writes nothing.
      expect(await porVerificar.verified(tomada, Buffer.alloc(1))).toBe(false);
    };
    await refuse(false);
    for (let times = 1; times < MAX_INTENTOS; times += 1) await refuse(true);
    expect(await estado()).toBe('PENDIENTE');
    await refuse(true);
    expect([await estado(), (await send()).status]).toEqual(['FALLIDA', 409]);
    const [row] = await kit.filas<{ sobre: unknown; boleto: unknown }>('conexion', a);
    expect([row?.sobre, row?.boleto]).toEqual([null, null]);
  });

  it('stores what the SAT took under the API key, until the consent ends', async () => {
    const { kit, a } = await createKitWithAlta();
    const { id, estado, send } = await newLink(kit, a, { dias: 10 });
    await send();
    await verified(kit, a, id);
    expect(await estado()).toBe('CONECTADA');
    const [stored] = await kit.filas<{ id: string; expira_en: Date }>('credencial', a);
    expect([stored?.id, stored?.expira_en]).toEqual([id, new Date(NOW.getTime() + 10 * 86_400_000)]);
    const call = () =>
      kit.call(
        'tax/descarga-metadata',
        { rfc: a.rfc, tipo: 'emitidos', desde: '2026-01-01', hasta: '2026-01-31' },
        { key: a.key },
      );
    expect((await call()).status).toBe(200);
    await kit.setNow(new Date(NOW.getTime() + 10 * 86_400_000));
    expect(
      (await kit.call('tax/facturas', { rfc: a.rfc, desde: '2026-01-01', hasta: '2026-01-02' }, { key: a.key })).json[
        'error'
      ],
    ).toBe('CIEC_NO_GUARDADA');
    await kit.setNow(NOW);
    await kit.call('vault/rfc-guardar', { rfc: a.rfc, ciec: 'Otra-CIEC-de-16x' }, { key: a.key });
    expect(await estado()).toBe('TERMINADA');
  });

  it('stores nothing once it was revoked, by its key or by the taxpayer', async () => {
    const { kit, a } = await createKitWithAlta();
    const byKey = await newLink(kit, a);
    await byKey.send();
    await verified(kit, a, byKey.id);
    await kit.call('conexion/revocar', { rfc: a.rfc, conexion_id: byKey.id }, { key: a.key });
    await complete(kit.deps as never, byKey.id);
    expect([await byKey.estado(), await kit.filas('credencial', a)]).toEqual(['REVOCADA', []]);

    const own = await newLink(kit, a);
    await own.send();
    await verified(kit, a, own.id);
    expect(await own.estado()).toBe('CONECTADA');
    expect((await ask(kit, 'retirar', { retiro: own.enlace })).status).toBe(404);
    expect((await ask(kit, 'retirar', { retiro: own.retiro })).status).toBe(200);
    expect([await own.estado(), await kit.filas('credencial', a)]).toEqual(['REVOCADA', []]);
    const lines = await kit.filas<{ accion: string; actor: string }>('auditoria', a);
    expect(lines.map(({ accion, actor }) => [accion, actor.split(':')[0]])).toEqual(
      expect.arrayContaining([
        ['crear-conexion', 'api_key'],
        ['conectar-conexion', 'conexion'],
        ['revocar-conexion', 'api_key'],
        ['revocar-conexion', 'conexion'],
      ]),
    );
    const { json } = await ask(kit, 'recibo', { retiro: own.retiro, formato: 'json' });
    expect(json).toMatchObject({ rfc: a.rfc, solicitante: 'Contadores', retirado_en: NOW.toISOString() });
  });
});

describe('the page', () => {
  it('names no other host, stands in no frame, and sends no address on', async () => {
    const { api } = await createKit();
    for (const path of ['/conectar', '/conectar/retirar']) {
      const answer = await api.app.request(path);
      const html = await answer.text();
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      const policy = answer.headers.get('content-security-policy') ?? '';
      for (const rule of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
        expect(policy).toContain(rule);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(html).not.toMatch(/https?:\/\/|name="ciec"|style="|onclick/);
      for (const [, file = ''] of html.matchAll(/(?:href|src)="(\/[^"]+)"/g))
        expect((await api.app.request(file)).status).toBe(200);
    }
  });

  it('answers nothing to who has no token', async () => {
    const { kit, a } = await createKitWithAlta();
    const { enlace } = await newLink(kit, a);
    const unknown = randomBytes(32).toString('base64url');
    for (const path of ['leer', 'permiso', 'enviar', 'retirar', 'recibo'])
      expect((await ask(kit, path, { enlace: unknown, retiro: unknown, sobre: SOBRE })).status).toBe(404);
    expect((await kit.api.app.request(`/conectar/leer?enlace=${enlace}`)).status).toBe(405);
    expect((await kit.api.app.request('/conectar/otra')).status).toBe(404);
  });

  it.each([
    ['another content type', { 'content-type': 'text/plain' }, '{}'],
    ['no length', { 'content-length': '' }, '{}'],
    ['more bytes than it takes', { 'content-length': '4097' }, '{}'],
    ['no JSON', {}, '{'],
    ['a list', {}, '[]'],
  ])('refuses %s', async (_, headers, body) => {
    expect((await ask(await createKit(), 'leer', body, headers)).status).toBe(400);
  });

  it('takes no envelope of another format or size', async () => {
    const { kit, a } = await createKitWithAlta();
    const { enlace, estado } = await newLink(kit, a);
    const retiro = sha256('x').toString('base64url');
    for (const sobre of ['', 'AQ', Buffer.alloc(513, 2).toString('base64url'), ['x'], null])
      expect((await ask(kit, 'enviar', { enlace, sobre, retiro })).status).toBe(400);
    expect((await ask(kit, 'enviar', { enlace, sobre: SOBRE, retiro: 'AAAA' })).status).toBe(400);
    expect(await estado()).toBe('PENDIENTE');
  });

  it('slows an address down', async () => {
    const kit = await createKit();
    const statuses: number[] = [];
    for (let times = 0; times < 100; times += 1) statuses.push((await ask(kit, 'leer', {})).status);
    expect(statuses).toContain(429);
  });
});

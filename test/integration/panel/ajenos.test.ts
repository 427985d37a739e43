import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RUTAS } from '../../../apps/panel/src/rutas.ts';
import { newRfc } from '../fixtures/database.ts';
import { BANCO } from './fixtures/pagos.ts';
import { addRfc, newMiembro, usePanel, usePersona } from './fixtures/panel.ts';
import { generate } from './fixtures/rfcs.ts';
import { createSolicitudesDePrueba, RESUMEN } from './fixtures/solicitudes.ts';

/** Addresses whose parameters name nothing of an account. */
const COMUNES = /^\/pruebas\/:grupo\/:operacion/;
const RUTAS_CON_NOMBRE = RUTAS.filter(
  ({ path, acceso }) => acceso !== 'publica' && acceso !== 'operador' && path.includes(':') && !COMUNES.test(path),
);

/** Values for each kind of thing: one of Ana's, an unknown one, and an invalid one. */
let nombres: Readonly<Record<string, readonly [ajeno: string, nadie: string, ninguno: string]>>;
let rfcDeAna: string;
let rfcDeSolicitud: string;

const panel = usePanel({ env: BANCO }, async (panel) => {
  const { owner, finished } = createSolicitudesDePrueba(panel);
  const { persona: ana, taxpayer } = await owner();
  rfcDeSolicitud = taxpayer.rfc;
  ({ rfc: rfcDeAna } = await addRfc(panel.db, ana));
  await generate(ana, rfcDeAna);
  const solicitud = await finished(taxpayer, {}, { resumen: RESUMEN });
  const elegida = '/saldo/comprar/confirmar?paquete=100&forma=transferencia';
  const compra = (await ana.submit(elegida, '/saldo/comprar')).location?.split('/').at(-1) ?? '';
  const rows = await panel.sql<{ id: string }>`SELECT id FROM sesion WHERE usuario_id = ${ana.usuarioId}`;
  await ana.submit('/webhooks/nuevo', '/webhooks/nuevo', { url: 'https://erp.example/', 'evento.saldo.bajo': 'si' });
  const [webhook] = await panel.sql<{ id: string }>`SELECT id FROM webhook WHERE cuenta_id = ${ana.cuentaId}`;
  const berta = await newMiembro(panel, ana, 'CONTADOR');
  const invitada = { email: 'otra@example.com', papel: 'CONTADOR', password: ana.password };
  await ana.submit('/equipo', '/equipo/invitar', invitada);
  const [invitacion] = await panel.sql<{ id: string }>`SELECT id FROM invitacion WHERE cuenta_id = ${ana.cuentaId}`;
  nombres = {
    '/rfcs/:rfc': [rfcDeAna, newRfc(), 'no-es-un-rfc'],
    '/solicitudes/:id': [solicitud, randomUUID(), 'ni-esto'],
    '/saldo/compras/:id': [compra, randomUUID(), 'ni-esto'],
    '/webhooks/:id': [webhook?.id ?? '', randomUUID(), 'ni-esto'],
    '/equipo/personas/:id': [berta.usuarioId, randomUUID(), 'ni-esto'],
    '/equipo/invitaciones/:id': [invitacion?.id ?? '', randomUUID(), 'ni-esto'],
    '/cuenta/sesiones/:id': [rows[0]?.id ?? '', randomUUID(), 'ni-esto'],
  };
});
const eva = usePersona(panel);

/** Everything that a page could have changed, but for what Eve's own visits leave. */
const everything = async () => {
  const rows =
    await panel.sql`SELECT (SELECT json_agg(to_jsonb(c) ORDER BY id) FROM contribuyente c) AS rfcs, (SELECT json_agg(to_jsonb(k) ORDER BY id) FROM api_key k) AS llaves,
       (SELECT json_agg(to_jsonb(s) ORDER BY id) FROM solicitud s) AS solicitudes, (SELECT json_agg(to_jsonb(p) ORDER BY id) FROM pago p) AS pagos,
       (SELECT json_agg(id ORDER BY id) FROM sesion) AS sesiones, (SELECT json_agg(to_jsonb(a) ORDER BY id) FROM auditoria a) AS notas,
       (SELECT count(*) FROM operacion_deshabilitada) AS apagadas, (SELECT count(*) FROM ip_permitida) AS direcciones,
       (SELECT json_agg(to_jsonb(w) ORDER BY id) FROM webhook w) AS webhooks, (SELECT count(*) FROM webhook_secreto) AS secretos,
       (SELECT count(*) FROM credencial) AS credenciales,
       (SELECT json_agg(to_jsonb(m) ORDER BY m) FROM miembro m) AS miembros, (SELECT json_agg(to_jsonb(i) ORDER BY id) FROM invitacion i) AS invitaciones, (SELECT sum(saldo) FROM cuenta) AS saldo`;
  return rows[0];
};

/** Fields that would do something at each of these addresses. */
const campos = (_csrf: string) => ({
  _csrf,
  vigente: '',
  id_cif: '15020034567',
  lista: '203.0.113.7',
  accion: 'sin-mi',
  operacion: 'efos/consultar',
  estado: 'desactivada',
  ciec: 'Secreta-CIEC-016',
  api_key: 'x',
  llave: 'x',
});

describe("what is another account's", () => {
  it.each(RUTAS_CON_NOMBRE.map(({ metodo, path }) => [metodo, path] as const))(
    'is answered at %s %s like what nobody has, and stays as it is',
    async (metodo, path) => {
      const base = Object.keys(nombres).find((each) => `${path}/`.startsWith(`${each}/`));
      if (base === undefined) throw new Error(`${path} names something: say here what stands for it`);
      const _csrf = await eva.csrf('/cuenta');
      const before = await everything();
      const answers = [];
      for (const nombre of nombres[base] ?? []) {
        const at = path.replace(/:\w+/, encodeURIComponent(nombre));
        const answer = metodo === 'GET' ? await eva.get(at) : await eva.post(at, campos(_csrf));
        const headers = Object.fromEntries(answer.headers);
        for (const own of ['content-security-policy', 'x-request-id', 'date', 'content-length']) delete headers[own];
        const text = answer.text.replaceAll(/nonce="[^"]*"/g, '').replaceAll(nombre, 'NOMBRE');
        answers.push([answer.status, headers, text]);
      }
      const [ajeno, nadie, ninguno] = answers;
      expect(ajeno?.[0]).toBe(404);
      expect(nadie).toEqual(ajeno);
      expect(ninguno).toEqual(ajeno);
      expect(await everything()).toEqual(before);
    },
  );

  it('is many addresses of each kind', () => {
    const count = (base: string) => RUTAS_CON_NOMBRE.filter(({ path }) => path.startsWith(base)).length;
    expect(Object.keys(nombres).map(count)).toEqual([21, 5, 4, 8, 4, 1, 1]);
  });

  it('is in no list, chart, ledger or file, whatever the filter asks for', async () => {
    const nadie = newRfc();
    // The first page after the registration welcomes the new user.
    await eva.get('/inicio');
    for (const path of ['/inicio', '/saldo/movimientos', '/saldo/movimientos.csv', '/solicitudes', '/rfcs']) {
      const read = async (rfc: string) =>
        (await eva.get(`${path}?${new URLSearchParams({ rfc, q: rfc })}`)).text
          .replaceAll(/nonce="[^"]*"/g, '')
          .replaceAll(encodeURIComponent(rfc), 'RFC')
          .replaceAll(rfc.replaceAll('&', '&amp;'), 'RFC');
      expect([path, await read(rfcDeAna)]).toEqual([path, await read(nadie)]);
    }
    const [solicitud = ''] = nombres['/solicitudes/:id'] ?? [];
    expect((await eva.get(`/solicitudes?id=${solicitud}`)).text).not.toContain(`/solicitudes/${solicitud}`);
    expect((await eva.get(`/solicitudes/nueva?como=${solicitud}`)).text).not.toContain(rfcDeSolicitud);
  });
});

it('no address is declared twice: the second would never answer', () => {
  const declared = RUTAS.map(({ metodo, path }) => `${metodo} ${path}`);
  expect(declared.filter((each, at) => declared.indexOf(each) !== at)).toEqual([]);
});

import { randomUUID } from 'node:crypto';
import { recover } from '@acuse/db';
import { createAlmacenes, createSincronizaciones } from '@acuse/sincronizacion/db';
import { expect, test } from 'vitest';
import { csvOf } from '../almacen/csv.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { ciecOf, expectOk, useServicio } from '../fixtures/servicio.ts';
import { textsOf } from './fixtures/cliente.ts';
import { addCaller, addRfc, startPanel } from './fixtures/panel.ts';
import { hrefRfc } from './fixtures/rfcs.ts';

const servicio = useServicio();
const env = (API_PUBLIC_URL: string) => ({
  env: { API_PUBLIC_URL, S3_BUCKET: servicio.bucket, API_KEY_PEPPERS: servicio.apiEnv['API_KEY_PEPPERS'] ?? '' },
});
/** A panel over the service's database and API. */
const panel = duringTests(() => startPanel({ database: servicio.database, ...env(servicio.api.url) }));

/** A reading of November of the received CFDI, as a merge takes it. */
const noviembreDe = (almacenId: number) => ({
  almacenId,
  solicitudId: randomUUID(),
  tipo: 'recibidos' as const,
  pedidaEn: new Date(),
  desde: '2026-11-01',
  hasta: '2026-11-30',
  isConfirmada: true,
});

async function owner(entrada: Pick<typeof panel, 'registrar'> = panel) {
  const persona = await entrada.registrar({ saldo: 5 });
  const caller = await addCaller(servicio, persona);
  await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
  const pagina = hrefRfc(caller.rfc, '/al-dia');
  const consent = (campos: Readonly<Record<string, string>> = {}) =>
    persona.submit(pagina, pagina, { tipo: 'recibidos', desde: '2026-11-01', api_key: caller.apiKey, ...campos });
  const change = (accion: string, confirmado = '') =>
    persona.submit(pagina, `${pagina}/cambiar`, { accion, confirmado });
  const find = () => createSincronizaciones(servicio.db).find(caller.contribuyenteId, null);
  return { persona, caller, pagina, consent, change, find };
}

test('an RFC is kept up to date by a form that says what it costs, and its page shows consent and changes', async () => {
  const { persona, caller, pagina, consent, find } = await owner();
  const empty = await persona.get(pagina);
  expect(empty.main).toMatch(/Cada lectura cuesta un crédito: con estos ajustes, \d+ créditos de inmediato/);
  expect((await consent()).status).toBe(303);
  const vista = await find();
  expect(vista).toMatchObject({ estado: 'ACTIVA', emitidos: false, recibidos: true, desde: '2026-11-01' });
  const otorgado =
    await servicio.sql`SELECT otorgado_por AS por FROM consentimiento WHERE sincronizacion_id = ${vista?.id}`;
  expect(otorgado).toEqual([{ por: `api_key:${caller.apiKeyId}` }]);
  const noted =
    await servicio.sql`SELECT actor, detalle->>'con' AS con, contribuyente_id AS id FROM auditoria WHERE accion = 'consentir-sincronizacion' AND contribuyente_id = ${caller.contribuyenteId} ORDER BY auditoria.id`;
  const [clave, id] = [`api_key:${caller.apiKeyId}`, caller.contribuyenteId];
  expect(noted).toEqual([
    { actor: clave, con: null, id },
    { actor: `usuario:${persona.usuarioId}`, con: clave, id },
  ]);
  const fila = { emisor: ['PRO010101AB1', '<b>Proveedor</b>'], receptor: [caller.rfc, 'Yo'] } as const;
  await createAlmacenes(servicio.db).merge(
    noviembreDe(vista?.almacenId ?? 0),
    csvOf([{ ...fila, uuid: randomUUID(), emitida: '2026-11-05T10:00:00', monto: '1160.5' }]),
    new AbortController().signal,
  );
  const page = await persona.get(pagina);
  expect(page.main).toMatch(/Al día.*Último cambio.*1.*Mantener al día los CFDI del RFC/s);
  expect(page.$('tbody tr').text()).toContain('recibido el 5 nov 2026PRO010101AB1<b>Proveedor</b>1,160.50');
  expect(page.text).not.toContain('<b>Proveedor</b>');
  expect(page.main).not.toMatch(/Por confirmar|Sin confirmar/);
  await servicio.sql`UPDATE tramo SET por_confirmar = 2 WHERE sincronizacion_id = ${vista?.id} AND mes = '2026-11-01'`;
  expect((await persona.get(pagina)).main).toMatch(/Por confirmar.*1 periodo: el SAT no dijo lo mismo/s);
  await servicio.sql`UPDATE tramo SET fase = 'FIN', solicitud_id = NULL WHERE sincronizacion_id = ${vista?.id} AND mes = '2026-11-01'`;
  expect((await persona.get(pagina)).main).toMatch(/Sin confirmar.*1 periodo: el SAT no dijo dos veces lo mismo/s);
});

test('the page shows a subscription of either mode, and marks one of a test key as a trial', async () => {
  const both = await panel.another({
    env: { API_PUBLIC_URL: servicio.api.url, SAT_BASE_URL: '', SAT_PRUEBAS_URL: 'http://127.0.0.1:9' },
  });
  const { persona, pagina, consent, find } = await owner(both);
  expect((await persona.get(pagina)).main).toContain('Con una API key de pruebas no cuesta nada.');
  expect((await consent()).status).toBe(303);
  expect(await find()).toMatchObject({ modo: 'test' });
  expect((await persona.get(pagina)).main).toContain('Es de pruebas: sus CFDI son de un SAT simulado');
});

test('one click takes the consent back, pauses, goes on, and ends it all', async () => {
  const { persona, pagina, consent, change, find } = await owner();
  await consent();
  await change('pausar');
  expect(await find()).toMatchObject({ estado: 'PAUSADA', motivo: 'PEDIDA' });
  await change('reanudar');
  expect(await find()).toMatchObject({ estado: 'ACTIVA' });
  await change('retirar');
  expect(await find()).toMatchObject({ estado: 'PAUSADA', motivo: 'SIN_CONSENTIMIENTO', consentimiento: null });
  expect(
    await servicio.sql`SELECT FROM consentimiento k JOIN sincronizacion s ON s.id = k.sincronizacion_id WHERE s.rfc = ${pagina.split('/')[2]}`,
  ).toEqual([]);
  const still = await change('reanudar');
  expect((await persona.get(still.location ?? pagina)).main).toContain('ya no hay permiso');
  // The key was typed in some minutes ago: the new consent needs it no more.
  expect((await consent({ api_key: '', contenido: 'xml' })).status).toBe(303);
  expect(await find()).toMatchObject({ estado: 'ACTIVA', contenido: 'xml' });
  expect((await persona.get(pagina)).main).toContain('Sus datos y el XML de los nuevos');
  const unconfirmed = await change('borrar');
  expect([unconfirmed.status, unconfirmed.main]).toEqual([422, expect.stringContaining('marque antes la casilla')]);
  expect(await find()).toMatchObject({ estado: 'ACTIVA' });
  await change('borrar', 'si');
  expect(await find()).toBeNull();
});

test.each([
  ['desde', '2031-01-01', /No puede ser posterior a hoy \(/],
  ['desde', '2010-01-01', /No puede ser anterior a .*años\./],
  ['desde', 'ayer', /año-mes-día/],
  ['meses', '14', /de 1 a 13/],
  ['tipo', 'otros', /lista/],
  ['contenido', 'pdf', /lista/],
  ['api_key', 'acuse_test_x', /completa/],
])('a form with %s %s is refused with the reason, and nothing is consented to', async (campo, value, why) => {
  const { consent, find } = await owner();
  const answer = await consent({ [campo]: value });
  expect(answer.status).toBe(422);
  expect(answer.main).toMatch(why);
  expect(await find()).toBeNull();
});

test('a user without a stored CIEC reads so before and after the form, with a link to store it', async () => {
  const persona = await panel.registrar({ saldo: 5 });
  const { rfc, id: contribuyenteId } = await addRfc(servicio.db, persona);
  const pagina = hrefRfc(rfc, '/al-dia');
  expect((await persona.get(pagina)).main).toContain('todavía no tiene API key');
  const { call, apiKey } = await servicio.newKey({ rfc, cuentaId: persona.cuentaId, contribuyenteId });
  await expectOk(call('vault/rfc-registrar', { rfc }));
  const missing = await persona.get(pagina);
  expect(missing.main).toContain('Falta guardar la CIEC de este RFC: con ella se lee.');
  expect(missing.$('.aviso.alerta a').attr('href')).toBe(hrefRfc(rfc, '/credenciales'));
  const pedido = { tipo: 'recibidos', desde: '2026-11-01', api_key: apiKey };
  const refused = await persona.submit(pagina, pagina, pedido);
  expect(refused.status).toBe(422);
  const [alert] = textsOf(refused.$, '[role="alert"]');
  expect(alert).toContain('Guárdela y envíe otra vez el formulario.');
  expect(refused.$('[role="alert"] a').attr('href')).toBe(hrefRfc(rfc, '/credenciales'));
  expect(refused.main).not.toMatch(/\/api\/v1|rfc-guardar|\bdata\b/);

  const nueva = '/solicitudes/nueva';
  const asked = await persona.submit(`${nueva}?rfc=${rfc}`, nueva, { ...pedido, rfc, hasta: '2026-11-02' });
  expect([asked.status, asked.$('[role="alert"] a').attr('href')]).toEqual([422, hrefRfc(rfc, '/credenciales')]);
  expect(asked.main).not.toMatch(/\/api\/v1|rfc-guardar|\bdata\b/);
});

test('is not called up to date while months are unread', async () => {
  const { persona, caller } = await owner();
  await expectOk(caller.call('sincronizacion/crear', { rfc: caller.rfc, tipo: 'recibidos', desde: '2026-01-01' }));
  const { $, main } = await persona.get(hrefRfc(caller.rfc, '/al-dia'));
  expect(main).toMatch(/Estado0 de \d+ meses leídos/);
  expect($('.estado.exito')).toHaveLength(0);
});

test('a field that the API refuses says why beside it, in a request too, and no word that only programs read', async () => {
  const { persona, caller } = await owner();
  const nueva = '/solicitudes/nueva';
  const campos = {
    rfc: caller.rfc,
    tipo: 'recibidos',
    desde: '2001-01-01',
    hasta: '2001-01-02',
    api_key: caller.apiKey,
  };
  const refused = await persona.submit(`${nueva}?rfc=${caller.rfc}`, nueva, campos);
  expect(refused.status).toBe(422);
  expect(textsOf(refused.$, '.falta').join(' ')).toMatch(/No puede ser anterior/);
  expect(refused.main).not.toMatch(/\bdata\b/);
});

test('a pause says why, what to do and where; who has no consent left is offered no button that cannot help', async () => {
  const { persona, caller, pagina, consent, change } = await owner();
  await consent();
  const paused = async (motivo: string) => {
    await servicio.sql`UPDATE sincronizacion SET estado = 'PAUSADA', motivo = ${motivo}, pausada_en = now() WHERE rfc = ${caller.rfc}`;
    return persona.get(pagina);
  };
  for (const [motivo, said, path] of [
    ['SIN_SALDO', 'Compre créditos y reanude', '/saldo'],
    ['CIEC_RECHAZADA', 'Guarde la correcta y dé un permiso nuevo', hrefRfc(caller.rfc, '/credenciales')],
    ['LLAVE_CAMBIADA', 'Guarde la CIEC con la nueva', hrefRfc(caller.rfc, '/credenciales')],
  ] as const) {
    const { main, $ } = await paused(motivo);
    expect(main).toContain(said);
    expect($('.aviso.alerta a').attr('href')).toBe(path);
  }
  expect((await paused('SIN_SALDO')).main).toContain('Reanudar');
  await change('retirar');
  const revoked = await persona.get(pagina);
  expect(revoked.main).toContain('dé uno nuevo abajo');
  expect(revoked.$('button[value="reanudar"]')).toHaveLength(0);
  await servicio.sql`UPDATE credencial SET rechazada_portal_en = now() - interval '1 second' WHERE contribuyente_id = ${caller.contribuyenteId}`;
  expect((await persona.get(pagina)).main).toContain('El SAT rechazó la CIEC guardada');
  expect(revoked.main).toContain('Su saldo es de 5 créditos');
});

test('after a restore no consent is in force, and an earlier cursor misses no change', async () => {
  const { caller, consent, find } = await owner();
  await consent();
  const almacenes = createAlmacenes(servicio.db);
  const almacenId = (await find())?.almacenId ?? 0;
  const read = (...uuids: readonly string[]) =>
    almacenes.merge(
      noviembreDe(almacenId),
      csvOf(
        uuids.map((uuid) => ({
          uuid,
          emisor: ['PRO010101AB1', 'Uno'],
          receptor: [caller.rfc, 'Yo'],
          emitida: '2026-11-05T10:00:00',
          monto: '1.00',
        })),
      ),
      new AbortController().signal,
    );
  const changes = (cursor?: string) =>
    expectOk(caller.call('sincronizacion/cambios', { rfc: caller.rfc, limite: 5, ...(cursor ? { cursor } : {}) }));
  const uno = randomUUID();
  await read(uno);
  const before = await changes();
  // A reader has read further than the backup goes.
  const beyond = String(before['siguiente']).replace(/\.1$/, '.7');
  await recover(servicio.db, { actor: 'operador:prueba', ip: null });
  expect(await find()).toMatchObject({ estado: 'PAUSADA', motivo: 'SIN_CONSENTIMIENTO', consentimiento: null });
  const dos = randomUUID();
  await read(uno, dos);
  for (const cursor of [String(before['siguiente']), beyond])
    expect(await changes(cursor)).toMatchObject({ total: 1, faltan: 0, items: [{ uuid: dos.toUpperCase() }] });
});

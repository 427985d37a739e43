import { randomUUID } from 'node:crypto';
import { createAlmacenes, createSincronizaciones, recover } from '@acuse/db';
import { expect, test } from 'vitest';
import { csvOf } from '../almacen/csv.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { ciecOf, expectOk, useServicio } from '../fixtures/servicio.ts';
import { addCaller, startPanel } from './fixtures/panel.ts';
import { hrefRfc } from './fixtures/rfcs.ts';

const servicio = useServicio();
const env = (API_PUBLIC_URL: string) => ({ env: { API_PUBLIC_URL, S3_BUCKET: servicio.bucket } });
/** A panel over the service's database and API. */
const panel = duringTests(() => startPanel({ database: servicio.database, ...env(servicio.api.url) }));

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
  expect(empty.main).toMatch(/Cada lectura cuesta un crédito: con estos ajustes, \d+ créditos la primera carga/);
  expect((await consent()).status).toBe(303);
  const vista = await find();
  expect(vista).toMatchObject({ estado: 'ACTIVA', emitidos: false, recibidos: true, desde: '2026-11-01' });
  const otorgado =
    await servicio.sql`SELECT otorgado_por AS por FROM consentimiento WHERE sincronizacion_id = ${vista?.id}`;
  expect(otorgado).toEqual([{ por: `api_key:${caller.apiKeyId}` }]);
  const fila = { emisor: ['PRO010101AB1', '<b>Proveedor</b>'], receptor: [caller.rfc, 'Yo'] } as const;
  await createAlmacenes(servicio.db).merge(
    {
      ...{ almacenId: vista?.almacenId ?? 0, solicitudId: randomUUID(), tipo: 'recibidos', pedidaEn: new Date() },
      ...{ desde: '2026-11-01', hasta: '2026-11-30', isConfirmada: true },
    },
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

test('whoever looks sees a subscription of either mode, and reads that one of a test key is for trying', async () => {
  const both = await panel.another({
    env: { API_PUBLIC_URL: servicio.api.url, SAT_BASE_URL: '', SAT_PRUEBAS_URL: 'http://127.0.0.1:9' },
  });
  const { persona, pagina, consent, find } = await owner(both);
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
  expect((await consent({ api_key: '' })).status).toBe(303);
  expect(await find()).toMatchObject({ estado: 'ACTIVA' });
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
  ['api_key', 'acuse_test_x', /completa/],
])('a form with %s %s is refused with the reason, and nothing is consented to', async (campo, value, why) => {
  const { consent, find } = await owner();
  const answer = await consent({ [campo]: value });
  expect(answer.status).toBe(422);
  expect(answer.main).toMatch(why);
  expect(await find()).toBeNull();
});

test('after the restoring of a backup nobody consents any more, and a cursor from before misses no change', async () => {
  const { caller, consent, find } = await owner();
  await consent();
  const almacenes = createAlmacenes(servicio.db);
  const almacenId = (await find())?.almacenId ?? 0;
  const read = (...uuids: readonly string[]) =>
    almacenes.merge(
      {
        ...{ almacenId, solicitudId: randomUUID(), tipo: 'recibidos', pedidaEn: new Date() },
        ...{ desde: '2026-11-01', hasta: '2026-11-30', isConfirmada: true },
      },
      csvOf(
        uuids.map((uuid) => ({
          ...{ uuid, emisor: ['PRO010101AB1', 'Uno'], receptor: [caller.rfc, 'Yo'] },
          ...{ emitida: '2026-11-05T10:00:00', monto: '1.00' },
        })),
      ),
      new AbortController().signal,
    );
  const changes = (cursor?: string) =>
    expectOk(caller.call('sincronizacion/cambios', { rfc: caller.rfc, limite: 5, ...(cursor ? { cursor } : {}) }));
  const uno = randomUUID();
  await read(uno);
  const before = await changes();
  // What the backup does not have: somebody has read further than it goes.
  const beyond = String(before['siguiente']).replace(/\.1$/, '.7');
  await recover(servicio.db, { actor: 'operador:prueba', ip: null });
  expect(await find()).toMatchObject({ estado: 'PAUSADA', motivo: 'SIN_CONSENTIMIENTO', consentimiento: null });
  const dos = randomUUID();
  await read(uno, dos);
  for (const cursor of [String(before['siguiente']), beyond])
    expect(await changes(cursor)).toMatchObject({ total: 1, faltan: 0, items: [{ uuid: dos.toUpperCase() }] });
});

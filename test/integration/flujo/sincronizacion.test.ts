import { calendarDay, toSeconds } from '@acuse/core';
import { mesesDesde } from '@acuse/sincronizacion';
import { createSincronizaciones } from '@acuse/sincronizacion/db';
import { expect, it } from 'vitest';
import { publish } from '../almacen/listar.ts';
import { credit } from '../fixtures/database.ts';
import { fail, llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, type Servicio, useServicio, waitFor } from '../fixtures/servicio.ts';
import { expectPublicados } from '../webhooks/fixtures/mensajes.ts';

const servicio = useServicio(
  { workerEnv: { SINCRONIZACION_INTERVAL_MS: '100' } },
  { WORKER_ROLES: 'descargas,ensambles,relay,reconciler,sincronizacion' },
);

const hoy = calendarDay(new Date());
/** The first day of the month so many months back. */
function monthsBack(months: number): string {
  const day = new Date(`${hoy.slice(0, 7)}-01T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() - months);
  return day.toISOString().slice(0, 10);
}
/** The first load has three readings of each kind. */
const DESDE = monthsBack(2);
const ANTES = monthsBack(4);

/**
 * A caller with CFDI of the first minute of each month, and none that the authority issues while a test runs: whoever
 * has none yet of a month that has just begun pays nothing for its reading.
 */
async function newCaller(options: Parameters<Servicio['newCiecCaller']>[0] = {}): Promise<Caller> {
  const caller = await servicio.newCiecCaller(options);
  const filas = mesesDesde(ANTES, hoy).flatMap((mes) => {
    const desde = toSeconds(`${mes}T00:00:00`);
    return (['emitidos', 'recibidos'] as const).map((tipo) => ({
      ...({ documento: 'cfdi', tipo, desde, hasta: desde, segundos: 60, cantidad: 30 } as const),
    }));
  });
  servicio.simulador.world.taxpayers.change(caller.rfc, { filas });
  return caller;
}

type Cambio = Record<
  'cambio' | 'uuid' | 'estado' | 'fecha_cancelacion' | 'tipo' | 'contraparte_rfc' | 'monto',
  string
> & { readonly secuencia: number };

async function cambiosDe(caller: Caller, cursor?: string, limite = 40) {
  const all: Cambio[] = [];
  let next = cursor;
  for (;;) {
    const body = { rfc: caller.rfc, limite, ...(next === undefined ? {} : { cursor: next }) };
    const data = await expectOk(caller.call('sincronizacion/cambios', body));
    all.push(...(data['items'] as Cambio[]));
    next = String(data['siguiente']);
    if (data['faltan'] === 0) return { all, cursor: next };
  }
}

async function cfdiDe(caller: Caller, filtro: object): Promise<Record<string, string>[]> {
  const all: Record<string, string>[] = [];
  let cursor: unknown = null;
  do {
    const body = { rfc: caller.rfc, ...filtro, limite: 7, ...(cursor === null ? {} : { cursor }) };
    const data = await expectOk(caller.call('cfdi/consultar', body));
    expect(data).toMatchObject({ conocido_desde: DESDE, releido_desde: DESDE, periodos_por_leer: 0 });
    all.push(...(data['items'] as Record<string, string>[]));
    cursor = data['siguiente'];
  } while (cursor !== null);
  return all;
}

const vista = async (caller: Caller) => {
  const data = await expectOk(caller.call('sincronizacion/listar', { rfc: caller.rfc }));
  return (data['items'] as Record<string, unknown>[])[0] ?? {};
};

const loaded = (caller: Caller) =>
  waitFor(async () => {
    const v = await vista(caller);
    return v['periodos_por_leer'] === 0 ? v : null;
  }, 90);

const truth = (rfc: string, tipo: 'emitidos' | 'recibidos') =>
  new Map(
    [
      ...servicio.simulador.world.taxpayers.rows(
        rfc,
        tipo,
        toSeconds(`${DESDE}T00:00:00`),
        toSeconds(`${hoy}T23:59:59`),
      ),
    ].map((row) => [row.uuid.toUpperCase(), row]),
  );

it('a subscription reads month after month by itself, at the cost that it foretold, and its changes are what the SAT has', async () => {
  const caller = await newCaller({ saldo: 50 });
  const { rfc } = caller;
  const eventosDeseados = ['cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado'];
  await expectOk(caller.call('webhooks/crear', { rfc, url: 'http://127.0.0.1:9/', eventos: eventosDeseados }));
  const costo = await expectOk(caller.call('sincronizacion/estimar', { rfc: caller.rfc, desde: DESDE }));
  expect(costo).toMatchObject({ lecturas_iniciales: 6, creditos_iniciales: 6 });
  const subscribeOnce = () =>
    expectOk(caller.call('sincronizacion/crear', { rfc: caller.rfc, desde: DESDE, meses: 13 }));
  const creadas = await Promise.all([subscribeOnce(), subscribeOnce()]);
  const costos = creadas.map((creada) => creada['costo'] as typeof costo);
  for (const creada of creadas)
    expect(creada).toMatchObject({ rfc: caller.rfc, estado: 'ACTIVA', tipo: 'ambos', desde: DESDE });
  // The later of the two costs less when readings of the earlier have begun, and never more.
  expect(costos).toContainEqual(costo);
  for (const { creditos_iniciales } of costos) expect(Number(creditos_iniciales)).toBeLessThanOrEqual(6);
  await loaded(caller);
  expect(await saldoDe(servicio, caller)).toBe(44);

  const { all, cursor } = await cambiosDe(caller);
  expect(all.map(({ secuencia }) => secuencia)).toEqual(all.map((_, at) => at + 1));
  expect(new Set(all.map(({ cambio }) => cambio))).toEqual(new Set(['nuevo']));
  for (const tipo of ['emitidos', 'recibidos'] as const) {
    const expected = truth(caller.rfc, tipo);
    const told = all.filter((cambio) => cambio.tipo === tipo);
    expect(told.length).toBeGreaterThan(0);
    expect(told.map(({ uuid }) => uuid).sort()).toEqual([...expected.keys()].sort());
    // What is known now is the same, page by page, the newest first.
    const known = await cfdiDe(caller, { tipo });
    expect(known.map(({ uuid }) => uuid).sort()).toEqual([...expected.keys()].sort());
    expect(known.map(({ fecha_emision }) => fecha_emision)).toEqual(
      known
        .map(({ fecha_emision }) => fecha_emision)
        .sort()
        .reverse(),
    );
    const sumado = await expectOk(caller.call('cfdi/resumen', { rfc, tipo }));
    const { vigentes, cancelados } = sumado['suma'] as Record<string, { cfdi: number }>;
    expect((vigentes?.cfdi ?? 0) + (cancelados?.cfdi ?? 0)).toBe(expected.size);
    for (const { uuid, estado, monto, contraparte_rfc } of told) {
      expect(known.find((each) => each.uuid === uuid)).toMatchObject({ estado, monto, contraparte_rfc });
      const row = expected.get(uuid);
      expect([uuid, Number(monto)]).toEqual([uuid, Number(row?.monto)]);
      expect(contraparte_rfc).toBe(tipo === 'emitidos' ? row?.rfcReceptor : row?.rfcEmisor);
      expect(['VIGENTE', 'CANCELADO']).toContain(estado);
    }
  }
  const eventos = await servicio.sql<{ datos: Record<string, unknown> }>`
    SELECT datos FROM webhook_evento WHERE rfc = ${caller.rfc} AND tipo = 'cfdi.cambios' ORDER BY id`;
  const dichos = eventos.map(({ datos }) => datos);
  expect(dichos.reduce((sum, { nuevos }) => sum + Number(nuevos), 0)).toBe(all.length);
  for (const { cursor: desde, nuevos, tipo } of dichos) {
    const page = await expectOk(
      caller.call('sincronizacion/cambios', { rfc: caller.rfc, cursor: desde, limite: nuevos }),
    );
    expect(new Set((page['items'] as Cambio[]).map((cambio) => cambio.tipo))).toEqual(new Set([tipo]));
  }
  // Nothing new: the same cursor, for ever.
  expect((await cambiosDe(caller, cursor)).all).toEqual([]);
  const notes = await servicio.sql<{ accion: string; n: number }>`
    SELECT accion, count(*)::int AS n FROM auditoria WHERE contribuyente_id = ${caller.contribuyenteId} AND accion LIKE '%consent%' GROUP BY 1 ORDER BY 1`;
  expect(notes).toEqual([
    { accion: 'consentir-sincronizacion', n: 2 },
    { accion: 'usar-consentimiento', n: 6 },
  ]);

  // Months later one of those that it issued is cancelled, and one that it received is in force again.
  const late = all.find(({ tipo, estado }) => tipo === 'emitidos' && estado === 'VIGENTE')?.uuid ?? '';
  const { taxpayers } = servicio.simulador.world;
  const row = taxpayers.find(rfc, 'emitidos', late);
  if (row !== null) taxpayers.cancel(row);
  await servicio.sql`UPDATE cfdi SET vigente = false WHERE almacen_id = (SELECT almacen_id FROM sincronizacion WHERE contribuyente_id = ${caller.contribuyenteId})
    AND vigente AND recibido`;
  await servicio.sql`UPDATE tramo SET due_at = now() WHERE mes > '0001-01-01'
    AND sincronizacion_id = (SELECT id FROM sincronizacion WHERE contribuyente_id = ${caller.contribuyenteId})`;
  await waitFor(async () => (await saldoDe(servicio, caller)) === 38 || null, 60);
  const { all: again } = await waitFor(async () => {
    const found = await cambiosDe(caller, cursor);
    const clases = new Set(found.all.map(({ cambio }) => cambio));
    return clases.size > 1 ? found : null;
  }, 60);
  expect(new Set(again.map(({ cambio }) => cambio))).toEqual(new Set(['vigente', 'cancelado']));
  expect(again.filter(({ cambio }) => cambio === 'cancelado').map(({ uuid }) => uuid)).toEqual([late]);

  // A list comes that has one of those it was invoiced by.
  const emisor = all.find(({ tipo }) => tipo === 'recibidos')?.contraparte_rfc ?? '';
  await publish(servicio.database, [{ rfc: emisor, situacion: 'DEFINITIVO', publicada: '2026-03-05' }]);
  const [listado] = await waitFor(async () => {
    const found = await servicio.sql<{ datos: Record<string, unknown> }>`
      SELECT datos FROM webhook_evento WHERE rfc = ${rfc} AND tipo = 'proveedor.listado'`;
    return found.length > 0 ? found : null;
  }, 60);
  const { items, siguiente } = await expectOk(caller.call('riesgo/proveedores', { rfc }));
  expect([items, siguiente]).toEqual([
    [expect.objectContaining({ proveedor_rfc: emisor, lista: '69-B', adverso: true, publicado_en: '2026-03-05' })],
    null,
  ]);
  expect(listado?.datos).toMatchObject({
    cambio: 'entra',
    proveedor_rfc: emisor,
    supuesto: 'Definitivo',
    adverso: true,
  });

  expect([...(await expectPublicados(servicio))]).toEqual(
    expect.arrayContaining(['cfdi.cambios', 'proveedor.listado']),
  );

  // Nobody else sees any of it: neither another RFC, nor a key of the other mode.
  const otro = await servicio.newCaller();
  expect((await otro.call('cfdi/consultar', { rfc: caller.rfc })).status).toBe(403);
  expect((await otro.call('cfdi/consultar', { rfc: otro.rfc })).body.cfdi_codigo).toBe(2002);
  const [llave] = await servicio.sql<{ modo: string }>`SELECT modo FROM api_key WHERE id = ${caller.apiKeyId}`;
  const otroModo = llave?.modo === 'live' ? 'test' : 'live';
  expect(await createSincronizaciones(servicio.db).find(caller.contribuyenteId, otroModo)).toBeNull();

  expect(await expectOk(caller.call('sincronizacion/borrar', { rfc: caller.rfc }))).toEqual({ rfc: caller.rfc });
  expect((await caller.call('cfdi/consultar', { rfc: caller.rfc })).body.cfdi_codigo).toBe(2002);
  const gone = await caller.call('sincronizacion/cambios', { rfc: caller.rfc, cursor });
  expect([gone.status, gone.body.cfdi_codigo]).toEqual([404, 2002]);
});

it('the estimate equals the charge of the next call of crear: read periods are free', async () => {
  const caller = await newCaller({ saldo: 50 });
  const { rfc } = caller;
  const estimar = async (ajustes: object) => expectOk(caller.call('sincronizacion/estimar', { rfc, ...ajustes }));
  /** Subscribes with these settings; gives the credits that the estimate, the answer and then the balance say. */
  async function subscribe(ajustes: object) {
    const before = await saldoDe(servicio, caller);
    const told = await estimar(ajustes);
    const { costo } = await expectOk(caller.call('sincronizacion/crear', { rfc, ...ajustes }));
    expect(costo).toEqual(told);
    await loaded(caller);
    const settled = async () => (await open(caller)) === 0 || null;
    await waitFor(settled, 90);
    return [told['creditos_iniciales'], before - (await saldoDe(servicio, caller))];
  }
  expect(await subscribe({ desde: DESDE })).toEqual([6, 6]);
  expect(await subscribe({})).toEqual([0, 0]);
  expect(await subscribe({ desde: ANTES })).toEqual([4, 4]);
  await expectOk(caller.call('sincronizacion/borrar', { rfc }));
  expect(await subscribe({ desde: DESDE, tipo: 'recibidos' })).toEqual([3, 3]);
  expect(await subscribe({ tipo: 'ambos' })).toEqual([3, 3]);

  // Readings count under their origin, not as requests of the caller.
  const { items } = await expectOk(caller.call('uso/consultar', {}));
  expect(items).toEqual([expect.objectContaining({ operacion: 'sincronizacion', llamadas: 16, cargados: 16 })]);
});

it('a first subscription demands its first day, since each month is a credit; a renewal keeps the one it has', async () => {
  const caller = await newCaller({ saldo: 5 });
  const { rfc } = caller;
  for (const path of ['sincronizacion/estimar', 'sincronizacion/crear']) {
    const { status, body } = await caller.call(path, { rfc });
    expect([status, body.cfdi_codigo, body.data]).toEqual([400, 2001, expect.objectContaining({ campo: 'desde' })]);
  }
  expect(await vista(caller)).toEqual({});
  await expectOk(caller.call('sincronizacion/crear', { rfc, desde: hoy, tipo: 'recibidos' }));
  expect(await expectOk(caller.call('sincronizacion/crear', { rfc, meses: 3 }))).toMatchObject({ desde: hoy });
});

const open = async (caller: Caller) =>
  (
    await servicio.sql`SELECT FROM solicitud WHERE contribuyente_id = ${caller.contribuyenteId} AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`
  ).length;

it.each([
  ['a new CIEC', 'CIEC_CAMBIADA'],
  ['a new API key', 'LLAVE_CAMBIADA'],
] as const)('a consent that ends by %s is used by nobody from the next step on', async (what, motivo) => {
  const caller = await newCaller({ saldo: 20 });
  const held = fail(servicio, caller, { service: 'portalcfdi', operation: 'ConsultaDescargaMasiva', kind: 'stuck' });
  const semanal = { desde: DESDE, tipo: 'recibidos', frecuencia: 'SEMANAL' };
  await expectOk(caller.call('sincronizacion/crear', { rfc: caller.rfc, ...semanal }));
  await waitFor(async () => (await open(caller)) > 0 || null, 60);
  await waitFor(
    async () =>
      (
        await servicio.sql`SELECT FROM parte p JOIN solicitud s ON s.id = p.solicitud_id
    WHERE s.contribuyente_id = ${caller.contribuyenteId} AND p.folio IS NOT NULL`
      ).length > 0 || null,
    60,
  );
  let now = caller;
  if (what === 'a new CIEC')
    await expectOk(caller.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
  else now = await servicio.newKey(caller);
  expect(await vista(now)).toMatchObject({ estado: 'PAUSADA', motivo, consentimiento: null, proxima_lectura: null });
  expect(await open(now)).toBe(0);
  expect(await saldoDe(servicio, now)).toBe(20);
  expect(
    await servicio.sql`SELECT FROM consentimiento k JOIN sincronizacion s ON s.id = k.sincronizacion_id WHERE s.contribuyente_id = ${caller.contribuyenteId}`,
  ).toEqual([]);
  await waitFor(
    async () =>
      (
        await servicio.sql`SELECT FROM tramo t JOIN sincronizacion s ON s.id = t.sincronizacion_id WHERE s.contribuyente_id = ${caller.contribuyenteId} AND t.fase = 'LEER'`
      ).length === 0 || null,
    60,
  );
  expect(await vista(now)).toMatchObject({ periodos_con_fallas: 0, ultima_falla: null });
  const refused = await now.call('sincronizacion/reanudar', { rfc: caller.rfc });
  expect([refused.status, refused.body.cfdi_codigo]).toEqual([409, 3006]);
  servicio.simulador.world.faults.remove(held.id);

  // Consented to anew it goes on where it was.
  if (what !== 'a new CIEC')
    await expectOk(now.call('vault/rfc-guardar', { rfc: caller.rfc, ciec: ciecOf(caller.rfc) }));
  // What is not said stays as it was: who only consents anew changes no setting.
  const costo = await expectOk(now.call('sincronizacion/estimar', { rfc: caller.rfc }));
  expect(costo).toMatchObject({ lecturas_iniciales: 3 });
  expect(await expectOk(now.call('sincronizacion/crear', { rfc: caller.rfc }))).toMatchObject({ ...semanal, costo });
  await waitFor(async () => (await vista(now))['periodos_por_leer'] === 0 || null, 90);
  expect((await cambiosDe(now)).all.map(({ uuid }) => uuid).sort()).toEqual(
    [...truth(caller.rfc, 'recibidos').keys()].sort(),
  );
});

it('an empty balance pauses a subscription, which goes on after reanudar', async () => {
  const caller = await newCaller({ saldo: 1 });
  const webhook = { rfc: caller.rfc, url: 'http://127.0.0.1:9/', eventos: ['sincronizacion.pausada'] };
  await expectOk(caller.call('webhooks/crear', webhook));
  await expectOk(caller.call('sincronizacion/crear', { rfc: caller.rfc, desde: DESDE, tipo: 'emitidos' }));
  await waitFor(async () => (await vista(caller))['motivo'] === 'SIN_SALDO' || null, 60);
  expect(await expectPublicados(servicio)).toContain('sincronizacion.pausada');
  expect(await saldoDe(servicio, caller)).toBe(0);
  await credit(servicio.db, caller.cuentaId, 10);
  expect(await expectOk(caller.call('sincronizacion/reanudar', { rfc: caller.rfc }))).toMatchObject({
    estado: 'ACTIVA',
  });
  await waitFor(async () => (await vista(caller))['periodos_por_leer'] === 0 || null, 90);
  expect(await saldoDe(servicio, caller)).toBe(8);
});

it('a CIEC that the SAT refuses pauses a subscription after one log-in, however much is due of it', async () => {
  const caller = await servicio.newCiecCaller({ saldo: 9 });
  servicio.simulador.world.taxpayers.change(caller.rfc, { ciec: 'Otra-Contrasena1' });
  await expectOk(caller.call('sincronizacion/crear', { rfc: caller.rfc, desde: DESDE }));
  await waitFor(async () => (await vista(caller))['motivo'] === 'CIEC_RECHAZADA' || null, 60);
  await waitFor(async () => (await open(caller)) === 0 || null, 60);
  expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
  // Going on with the same one is no second try.
  await expectOk(caller.call('sincronizacion/reanudar', { rfc: caller.rfc }));
  await waitFor(async () => (await vista(caller))['motivo'] === 'CIEC_RECHAZADA' || null, 60);
  expect(llamadas(servicio, caller, 'EntrarCiec')).toHaveLength(1);
  expect(await saldoDe(servicio, caller)).toBe(9);
});

it('refuses text that the database cannot hold, and a made-up cursor', async () => {
  const caller = await servicio.newCiecCaller();
  const { rfc } = caller;
  await expectOk(caller.call('sincronizacion/crear', { rfc, desde: hoy }));
  const { siguiente } = await expectOk(caller.call('sincronizacion/cambios', { rfc }));
  const [mark] = String(siguiente).split('.');
  const cursorOf = (text: string) => Buffer.from(text).toString('base64url');
  const asked = [
    ['sincronizacion/crear', { desde: hoy, finalidad: 'a\u0000b' }],
    ['riesgo/proveedores', { cursor: cursorOf('EKU9003173C9 \u0000') }],
    ['riesgo/proveedores', { cursor: cursorOf('nobody at all') }],
    ...[`${mark}.999999`, `${mark}.9999999999999999`, `${mark}.-1`, '000000000000.0', `${mark}.1\u0000`, '', 7].map(
      (cursor) => ['sincronizacion/cambios', { cursor }] as const,
    ),
    ...[0, -1, 1.5, 5_001, '1'].map((limite) => ['sincronizacion/cambios', { limite }] as const),
  ] as const;
  for (const [path, body] of asked) {
    const { status, body: answer } = await caller.call(path, { rfc, ...body });
    expect([path, body, status, answer.cfdi_codigo]).toEqual([path, body, 400, 2001]);
  }
  // One of a subscription that is gone neither skips nor mixes: it is refused by the next of the same RFC.
  await expectOk(caller.call('sincronizacion/borrar', { rfc }));
  await expectOk(caller.call('sincronizacion/crear', { rfc, desde: hoy }));
  const old = await caller.call('sincronizacion/cambios', { rfc, cursor: siguiente });
  expect([old.status, JSON.stringify(old.body.data)]).toEqual([400, expect.stringContaining('empiece sin cursor')]);
});

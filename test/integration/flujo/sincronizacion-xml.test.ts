import { calendarDay, toSeconds } from '@acuse/core';
import { expect, it } from 'vitest';
import { issueEfirma, registrarCer, storeKey } from '../fixtures/efirma.ts';
import { fail, filasDelSat, openPaquete, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio, waitFor } from '../fixtures/servicio.ts';

const servicio = useServicio(
  { workerEnv: { SINCRONIZACION_INTERVAL_MS: '100' } },
  { WORKER_ROLES: 'descargas,ensambles,relay,reconciler,sincronizacion' },
);

const hoy = calendarDay(new Date());
/** The first day of the month before this one; its readings and those of this month are the first load. */
const DESDE = (() => {
  const day = new Date(`${hoy.slice(0, 7)}-01T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() - 1);
  return day.toISOString().slice(0, 10);
})();
const ESTE_MES = `${hoy.slice(0, 7)}-01`;
const TIPOS = ['emitidos', 'recibidos'] as const;

/** So many CFDI of each kind in the first minute of a day. */
const filasDe = (dia: string, cantidad: number) =>
  TIPOS.map((tipo) => {
    const desde = toSeconds(`${dia}T00:00:00`);
    return { ...({ documento: 'cfdi', tipo, desde, hasta: desde, segundos: 60 } as const), cantidad };
  });
const INICIO = [...filasDe(DESDE, 12), ...filasDe(ESTE_MES, 12)];

interface Conocido {
  readonly uuid: string;
  readonly tipo: 'emitidos' | 'recibidos';
  readonly estado: string;
  readonly xml: { readonly solicitud_id: string; readonly ruta: string } | null;
}

const itemsOf = async (caller: Caller, path: string) =>
  (await expectOk(caller.call(path, { rfc: caller.rfc, limite: 500 })))['items'] as Conocido[];

const readings = (caller: Caller) => servicio.sql<{ id: string; contenido: string; dias: number }>`
  SELECT id, coalesce(filtros ->> 'contenido', 'metadata') AS contenido, hasta - desde + 1 AS dias FROM solicitud
  WHERE contribuyente_id = ${caller.contribuyenteId} ORDER BY id`;

const asked = async (caller: Caller, contenido: string) =>
  (await readings(caller)).filter((reading) => reading.contenido === contenido);

/** Every reading that was due is merged, and no CFDI waits for its XML. */
const quiet = (caller: Caller) =>
  waitFor(async () => {
    const busy = await servicio.sql`
      SELECT FROM tramo t JOIN sincronizacion s ON s.id = t.sincronizacion_id WHERE s.contribuyente_id = ${caller.contribuyenteId}
        AND (t.fase IN ('ESPERAR', 'LEER') OR (t.fase = 'PEDIR' AND t.due_at < now() + interval '1 minute'))`;
    return busy.length === 0 || null;
  }, 90);

async function readMonthsAgain(caller: Caller) {
  await servicio.sql`UPDATE tramo SET due_at = now(), fase = 'PEDIR' WHERE mes > '0001-02-01'
    AND sincronizacion_id = (SELECT id FROM sincronizacion WHERE contribuyente_id = ${caller.contribuyenteId} AND estado <> 'BORRADA')`;
  await quiet(caller);
}

/** The feed and the store name the same package and path for each CFDI in force, and the XML of the authority is there. */
async function expectXmlOfAll(caller: Caller) {
  const known = await itemsOf(caller, 'cfdi/consultar');
  const told = await itemsOf(caller, 'sincronizacion/cambios');
  const packages = new Map<string, Awaited<ReturnType<typeof openPaquete>>>();
  for (const tipo of TIPOS) {
    const rows = filasDelSat(servicio, caller.rfc, { tipo, desde: DESDE, hasta: hoy });
    const own = new Map(known.filter((each) => each.tipo === tipo).map((each) => [each.uuid, each]));
    expect([...own.keys()].sort()).toEqual(rows.map(({ uuid }) => uuid.toUpperCase()).sort());
    for (const row of rows) {
      const uuid = row.uuid.toUpperCase();
      const { xml = null, estado } = own.get(uuid) ?? {};
      expect(told.find((each) => each.uuid === uuid)?.xml).toEqual(xml);
      if (xml === null) {
        expect([uuid, estado]).toEqual([uuid, 'CANCELADO']);
        continue;
      }
      const { solicitud_id, ruta } = xml;
      const paquete = packages.get(solicitud_id) ?? (await openPaquete(caller, solicitud_id));
      packages.set(solicitud_id, paquete);
      expect(ruta).toMatch(/^cfdi\/\d{4}-\d{2}\/[0-9A-F-]{36}\.xml$/);
      expect([uuid, paquete.entries.get(ruta)?.toString('utf8')]).toEqual([
        uuid,
        servicio.simulador.world.cfdis.xmlOf(row),
      ]);
    }
  }
  return known;
}

it.each(['the CIEC alone', 'the CIEC beside an e.firma'] as const)(
  'a subscription keeps the XML of new CFDI, issued and received, by %s, and asks for none without news',
  async (credentials) => {
    const caller = await servicio.newCiecCaller({ saldo: 50 });
    const { rfc } = caller;
    if (credentials !== 'the CIEC alone') {
      const efirma = await issueEfirma(servicio, { rfc });
      await expectOk(registrarCer(caller, efirma));
      await expectOk(storeKey(caller, efirma));
    }
    const { taxpayers } = servicio.simulador.world;
    taxpayers.change(rfc, { filas: INICIO });
    const ajustes = { rfc, desde: DESDE, contenido: 'xml' };
    const costo = await expectOk(caller.call('sincronizacion/estimar', ajustes));
    expect(await expectOk(caller.call('sincronizacion/crear', ajustes))).toMatchObject({ contenido: 'xml', costo });
    await quiet(caller);
    // The first load costs what one of metadata does.
    expect([costo['creditos_iniciales'], await saldoDe(servicio, caller)]).toEqual([4, 46]);
    expect([(await asked(caller, 'xml')).length, (await asked(caller, 'metadata')).length]).toEqual([4, 0]);
    const first = await expectXmlOfAll(caller);
    expect(new Set(first.flatMap(({ xml }) => xml?.solicitud_id ?? [])).size).toBe(4);

    await readMonthsAgain(caller);
    expect([(await asked(caller, 'xml')).length, (await asked(caller, 'metadata')).length]).toEqual([4, 4]);
    expect(await itemsOf(caller, 'cfdi/consultar')).toEqual(
      first.map((each) => expect.objectContaining({ uuid: each.uuid, xml: each.xml })),
    );

    // A renewal keeps it. New CFDI of one day come: their XML are asked for that day alone.
    expect(await expectOk(caller.call('sincronizacion/crear', { rfc }))).toMatchObject({ contenido: 'xml' });
    taxpayers.change(rfc, { filas: [...INICIO, ...filasDe(`${DESDE.slice(0, 8)}10`, 5)] });
    await readMonthsAgain(caller);
    const xmls = await asked(caller, 'xml');
    expect(xmls.map(({ dias }) => dias).slice(4)).toEqual([1, 1]);
    const all = await expectXmlOfAll(caller);
    expect(all).toHaveLength(first.length + 10);
    const late = all.filter(({ uuid }) => !first.some((each) => each.uuid === uuid));
    expect(new Set(late.flatMap(({ xml }) => xml?.solicitud_id ?? []))).toEqual(
      new Set(xmls.slice(4).map(({ id }) => id)),
    );
    expect(await saldoDe(servicio, caller)).toBe(46 - 4 - 4 - 2);

    // A package past its retention has no XML any more, and nothing is asked for again.
    await servicio.sql`UPDATE solicitud SET paquete_borrado_en = now() WHERE contribuyente_id = ${caller.contribuyenteId}`;
    expect(new Set((await itemsOf(caller, 'cfdi/consultar')).map(({ xml }) => xml))).toEqual(new Set([null]));
    await readMonthsAgain(caller);
    expect(await asked(caller, 'xml')).toHaveLength(6);
  },
);

/** The portal's list of this caller has no link to the XML of this CFDI. */
function loseXml(caller: Caller, uuid: string) {
  const hide = (text: string) => {
    const row = text.toUpperCase().indexOf(uuid);
    const icon = text.indexOf('id="BtnDescarga"', row);
    return row < 0 ? text : `${text.slice(0, icon)}id="BtnAusente_"${text.slice(icon + 'id="BtnAusente_"'.length)}`;
  };
  fail(servicio, caller, {
    service: 'portalcfdi',
    operation: 'Buscar',
    kind: 'edited',
    edit: async (answer) => new Response(hide(await answer.text()), answer),
  });
}

it('the XML of known CFDI follow once a subscription keeps them, and one that the SAT does not give is asked for twice', async () => {
  const caller = await servicio.newCiecCaller({ saldo: 50 });
  const { rfc } = caller;
  servicio.simulador.world.taxpayers.change(rfc, { filas: INICIO });
  const creada = await expectOk(caller.call('sincronizacion/crear', { rfc, desde: DESDE, tipo: 'recibidos' }));
  expect(creada['contenido']).toBe('metadata');
  await quiet(caller);
  const plain = await itemsOf(caller, 'cfdi/consultar');
  expect([plain.length, new Set(plain.map(({ xml }) => xml))]).toEqual([24, new Set([null])]);
  const lost = plain.find(({ estado }) => estado === 'VIGENTE')?.uuid ?? '';
  loseXml(caller, lost);

  await expectOk(caller.call('sincronizacion/crear', { rfc, contenido: 'xml' }));
  await readMonthsAgain(caller);
  const missing = async () =>
    (await itemsOf(caller, 'cfdi/consultar')).filter(({ estado, xml }) => estado === 'VIGENTE' && xml === null);
  expect((await missing()).map(({ uuid }) => uuid)).toEqual([lost]);
  expect((await asked(caller, 'xml')).map(({ dias }) => dias)).toEqual([1, 1]);
  const waiting = (
    seconds: number,
  ) => servicio.sql`UPDATE tramo SET due_at = now() WHERE mes = '0001-02-01' AND due_at > now() + make_interval(secs => ${seconds})
    AND sincronizacion_id = (SELECT id FROM sincronizacion WHERE contribuyente_id = ${caller.contribuyenteId}) RETURNING 1`;
  // A day later.
  expect(await waiting(86_000)).toHaveLength(1);
  await quiet(caller);
  expect(await asked(caller, 'xml')).toHaveLength(3);
  expect(await waiting(0)).toEqual([]);
  await readMonthsAgain(caller);
  expect(await asked(caller, 'xml')).toHaveLength(3);
  expect((await missing()).map(({ uuid }) => uuid)).toEqual([lost]);
});

import { createCargaListas, createListados } from '@acuse/listas/db';
import { MAGIAS } from '@acuse/simulador';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Caller, expectOk, LISTAS, useServicio, waitFor } from '../fixtures/servicio.ts';

const LISTADOS = MAGIAS.filter(({ listado69b }) => listado69b !== undefined);
/** What the simulator publishes beside list 69-B: file, list, and the name that Acuse gives the file. */
const ARCHIVOS = [
  ['Firmes.csv', '69', 'firmes'],
  ['No_localizados.csv', '69', 'no-localizados'],
  ['CSDsinefectos.csv', 'CSD', 'csd'],
  ['Cancelados.csv', '69', 'cancelados'],
  ['Exigibles.csv', '69', 'exigibles'],
  ['Sentencias.csv', '69', 'sentencias'],
  ['EntespublicosydeGobiernoomisos.csv', '69', 'entes-publicos'],
  ['ReduccionArt74CFF.csv', '69', 'reduccion-74'],
  ['Listado_69_B_Bis_Completo.csv', '69-B Bis', '69-b-bis'],
] as const;
const CONSULTADAS = ARCHIVOS.map(([, lista, archivo]) => ({ lista, archivo, fecha_corte: '2026-11-06' })).sort(
  (a, b) => ([a.lista, a.archivo].join() < [b.lista, b.archivo].join() ? -1 : 1),
);
/** Entries that inform without being adverse. */
const INFORMAN: readonly RegExp[] = [/^cancelados (?!.*INSOLVENCIA)/, /^entes-publicos /, /^reduccion-74 /];
const EN_OTRAS = MAGIAS.find(({ clave }) => clave === 'incumplido');

const NOT_LISTED = ['Ñ&A010203AB1', 'ÑU&O850412H73', 'EKU9003173C9', 'XXXX010101XX1'];

const servicio = useServicio({ simulador: { filas_69b: 14_500 }, workerEnv: LISTAS });
let caller: Caller;
beforeAll(async () => {
  caller = await servicio.newCaller({ saldo: 0 });
  const before = await caller.call('efos/consultar', { rfc: 'EKU9003173C9' });
  // Without a list no RFC is known: that is not "not listed".
  if (before.status !== 503 || before.body.cfdi_codigo !== 5041) throw new Error(before.text);
  await servicio.startWorker();
  await waitFor(async () => {
    const known = (await createListados(servicio.db).estados()).filter(({ ultima }) => ultima !== null);
    const failed = known.find(({ ultima }) => ultima?.resultado === 'FALLIDA');
    if (failed) throw new Error(failed.ultima?.motivo ?? 'no reason');
    return known.filter(({ vigente }) => vigente).length === ARCHIVOS.length + 1 || null;
  });
});

const consultar = (rfc: string) => expectOk(caller.call('efos/consultar', { rfc }));
const dayOf = (seconds: number | null) =>
  seconds === null ? null : new Date(seconds * 1_000).toISOString().slice(0, 10);

/** The proceedings of an RFC that the list shows under its name, as the answer must have them. */
function truthOf(rfc: string) {
  const { corte, registros } = servicio.simulador.world.listado69b.vigente();
  const own = registros.filter((registro) => registro.rfc === rfc && !registro.isMasked);
  const stands = own.map(({ pasos }) => pasos.at(-1)?.situacion);
  const adverse = ['Definitivo', 'Presunto'].find((word) => stands.some((one) => one === word));
  const historial = own
    .flatMap(({ pasos }) => pasos)
    .map(({ situacion, oficio, fechaSat, fechaDof }) => ({
      situacion,
      fecha: dayOf(fechaSat),
      oficio,
      fecha_dof: dayOf(fechaDof),
    }))
    .sort((a, b) => (String(a.fecha) < String(b.fecha) ? -1 : 1));
  return {
    rfc,
    en_efos: adverse !== undefined,
    en_edos: false,
    fecha_consulta: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    fecha_corte: dayOf(corte),
    situacion: adverse ?? stands.at(-1) ?? null,
    historial,
    edos_fuente: null,
    listas: otrasOf(rfc),
    listas_consultadas: CONSULTADAS,
    advertencias: expect.any(Array),
  };
}

/** Which other lists name an RFC: once a file and reason, since the oldest publication, the reason of a blank being the file's. */
function otrasOf(rfc: string) {
  const { listados } = servicio.simulador.world;
  const found = new Map<
    string,
    { lista: string; archivo: string; supuesto: string; adverso: boolean; desde: string | null }
  >();
  for (const [nombre, lista, archivo] of ARCHIVOS) {
    for (const { rfc: own, supuesto, publicada } of listados.vigente(nombre).registros) {
      const desde = dayOf(publicada);
      const key = [lista, archivo, supuesto].join();
      const known = found.get(key)?.desde ?? desde;
      if (own === rfc)
        found.set(key, {
          lista,
          archivo,
          supuesto,
          adverso: !INFORMAN.some((informa) => informa.test(`${archivo} ${supuesto}`)),
          desde: String(known) < String(desde) ? known : desde,
        });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

describe('efos/consultar', { shuffle: false }, () => {
  it.each(LISTADOS)('$clave: $respuesta', async ({ moral, fisica, listado69b = [] }) => {
    for (const rfc of [moral, fisica]) {
      const expected = truthOf(rfc);
      expect(await consultar(rfc)).toEqual(expected);
      const shown = listado69b.filter(({ isMasked }) => !isMasked);
      expect(expected.historial).toHaveLength(shown.reduce((sum, { antes }) => sum + antes.length + 1, 0));
    }
  });

  it.each(['Presunto', 'Desvirtuado', 'Definitivo', 'Sentencia Favorable'])(
    '%s: those that the list has, with Ñ and &, with several proceedings',
    async (situacion) => {
      const { registros } = servicio.simulador.world.listado69b.vigente();
      const own = registros.filter(({ isMasked, pasos }) => !isMasked && pasos.at(-1)?.situacion === situacion);
      const times = new Map<string, number>();
      for (const { rfc } of registros) times.set(rfc, (times.get(rfc) ?? 0) + 1);
      const kinds = [
        own,
        own.filter(({ rfc }) => rfc.includes('Ñ')),
        own.filter(({ rfc }) => rfc.includes('&')),
        own.filter(({ rfc }) => (times.get(rfc) ?? 0) > 1),
        own.filter(({ nombre }) => /[\n"“]/.test(nombre)),
        own.filter(({ pasos }) => pasos.at(-1)?.fechaDof === null),
      ];
      const chosen = new Set(kinds.flatMap((kind) => kind.slice(0, 5).map(({ rfc }) => rfc)));
      expect(chosen.size).toBeGreaterThan(5);
      for (const rfc of chosen) expect(await consultar(rfc)).toEqual(truthOf(rfc));
    },
  );

  it('not listed: said with the cut of the list', async () => {
    for (const rfc of NOT_LISTED) {
      const expected = truthOf(rfc);
      expect(expected).toMatchObject({ en_efos: false, situacion: null, historial: [] });
      expect(await consultar(rfc)).toEqual(expected);
    }
  });

  it('who stands on other lists: with the reason and since when, by itself and with others', async () => {
    const { moral = '', fisica = '' } = EN_OTRAS ?? {};
    const expected = [
      { lista: '69', archivo: 'firmes', supuesto: 'FIRMES', adverso: true, desde: '2025-02-01' },
      { lista: '69', archivo: 'no-localizados', supuesto: 'NO LOCALIZADOS', adverso: true, desde: '2025-02-01' },
      { lista: 'CSD', archivo: 'csd', supuesto: 'FRACCION X', adverso: true, desde: '2025-02-01' },
    ];
    for (const rfc of [moral, fisica]) {
      expect(await consultar(rfc)).toEqual(truthOf(rfc));
      expect(truthOf(rfc)).toMatchObject({ en_efos: false, listas: expected });
    }
    const [adverso] = LISTADOS;
    const rfcs = [moral, adverso?.moral ?? '', NOT_LISTED[0] ?? '', moral];
    const { items, total, ...lists } = await expectOk(caller.call('efos/consultar-lote', { rfcs }));
    const { fecha_consulta, fecha_corte, edos_fuente, listas_consultadas } = truthOf(moral);
    expect([total, lists]).toEqual([4, { fecha_consulta, fecha_corte, edos_fuente, listas_consultadas }]);
    expect(items).toEqual(
      rfcs.map((each) => {
        const { rfc, en_efos, en_edos, situacion, historial, listas, advertencias } = truthOf(each);
        return { rfc, en_efos, en_edos, situacion, historial, listas, advertencias };
      }),
    );
  });

  it('the next list, once the worker has taken it: a taxpayer that is on it now', async () => {
    const rfc = 'EKU9003173C9';
    const response = await fetch(`${servicio.simulador.url}/control/listas/69b`, {
      method: 'PUT',
      body: JSON.stringify({
        fecha_corte: '2026-11-30',
        registros: [{ rfc, pasos: [{ situacion: 'Presunto', fecha_sat: '2026-11-05' }] }],
      }),
    });
    expect(response.status).toBe(200);
    await createCargaListas(servicio.db).askFor({ forzar: false, actor: 'prueba', ip: null });
    await waitFor(async () => ((await consultar(rfc))['fecha_corte'] === '2026-11-30' ? true : null));
    expect(await consultar(rfc)).toEqual(truthOf(rfc));
    expect(truthOf(rfc)).toMatchObject({ en_efos: true, situacion: 'Presunto' });
  });
});

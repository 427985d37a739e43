import { cubetaDe, datosDeSalud, estimacionDe, type SumaEsperas } from '@acuse/core';
import { createEsperas, createHeartbeats, createSaludPublica, createSatMetrics } from '@acuse/db';
import { uuidV7 } from '@acuse/runtime';
import { beforeEach, describe, expect, it } from 'vitest';
import { seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';

const DIA_MS = 86_400_000;

describe('how long downloads take', () => {
  const database = useDatabase();
  beforeEach(async () => {
    await database.sql`DELETE FROM espera_sat`;
  });

  /** Equal requests that are open there are none of: each is of a day of its own. */
  let dias = 10_000;

  /** A solicitud whose parts were asked for so many seconds ago. */
  async function asked(
    { cuentaId, contribuyenteId, apiKeyId, rfc }: Taxpayer,
    partes: readonly { readonly hace: number; readonly vacias?: readonly string[] }[],
    { modo = 'live', canal = 'soap', tipo = 'recibidos' } = {},
  ): Promise<string> {
    const id = uuidV7();
    dias += 1;
    const dia = new Date(dias * DIA_MS).toISOString().slice(0, 10);
    await database.sql`INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, modo, rfc, tipo, desde, hasta, canal, deadline_at)
      VALUES (${id}, ${cuentaId}, ${contribuyenteId}, ${apiKeyId}, ${modo}, ${rfc}, ${tipo}, ${dia}, ${dia}, ${canal}, now() + interval '1 day')`;
    // An accepted one has the mode of its key.
    await database.sql`UPDATE solicitud SET modo = ${modo} WHERE id = ${id}`;
    for (const [n, { hace, vacias = [] }] of partes.entries())
      await database.sql`INSERT INTO parte (id, solicitud_id, inicio, fin, estado, vacias, solicitada_en)
        VALUES (${uuidV7()}, ${id}, ${`2026-01-${10 + n}T00:00:00`}, ${`2026-01-${10 + n}T23:59:59`}, 'DISPONIBLE', ${[...vacias]}, now() - ${hace} * interval '1 second')`;
    return id;
  }
  const read = async () => (await createSaludPublica(database.db).read(new Date())).esperas;
  const open = (pool: Pick<typeof database.db.pool, 'query'>, errors: unknown[], now?: () => number) =>
    // Only `query` of the pool is used.
    createEsperas(
      { pool: pool as unknown as typeof database.db.pool },
      { everyMs: DIA_MS, onError: (error) => errors.push(error), ...(now && { now }) },
    );
  const note = async (...ids: string[]) => {
    const errors: unknown[] = [];
    const esperas = open(database.db.pool, errors);
    for (const id of ids) esperas.note(id);
    await esperas.close();
    expect(errors).toEqual([]);
  };
  const counted = ({ cubetas }: Pick<SumaEsperas, 'cubetas'>) => cubetas.flatMap((n, i) => (n > 0 ? [[i, n]] : []));

  it('are added up by day, hour, mode, channel and kind, over all processes', async () => {
    const taxpayer = await seedTaxpayer(database.db);
    const [first = '', second = '', ...others] = await Promise.all(
      [600, 2_400, 600, 600, 2_400].map((hace) => asked(taxpayer, [{ hace }])),
    );
    // Two processes at the same time, in one row.
    await Promise.all([note(first), note(second)]);
    await note(...others);
    await note(await asked(taxpayer, [{ hace: 600 }], { modo: 'test', canal: 'portal', tipo: 'emitidos' }));
    const sumas = await read();
    expect(sumas.reduce((n, { descargas }) => n + descargas, 0)).toBe(6);
    const live = sumas.filter(({ modo }) => modo === 'live');
    const total = new Map<number, number>();
    for (const [i, n] of live.flatMap(counted) as [number, number][]) total.set(i, (total.get(i) ?? 0) + n);
    expect([...total]).toEqual(
      expect.arrayContaining([
        [cubetaDe(600), 3],
        [cubetaDe(2_400), 2],
      ]),
    );
    expect(live.every(({ isReciente, canal, tipo }) => isReciente && canal === 'soap' && tipo === 'recibidos')).toBe(
      true,
    );
    expect(sumas.filter(({ modo }) => modo === 'test')).toMatchObject([
      { canal: 'portal', tipo: 'emitidos', descargas: 1 },
    ]);
  });

  it('stand at the hour of central Mexico in which they were asked for', async () => {
    const taxpayer = await seedTaxpayer(database.db);
    const id = await asked(taxpayer, [{ hace: 7 * 3_600 }]);
    await note(id);
    const [parte] = await database.sql<{ en: Date }>`SELECT solicitada_en AS en FROM parte WHERE solicitud_id = ${id}`;
    const local = new Date((parte?.en.getTime() ?? 0) - 6 * 3_600_000);
    const [row] = await database.sql`SELECT dia::text, hora, array_length(cubetas, 1) AS largo FROM espera_sat`;
    expect(row).toEqual({ dia: local.toISOString().slice(0, 10), hora: local.getUTCHours(), largo: 44 });
  });

  it('are counted from the first requested part; repeated requests of empty parts do not count', async () => {
    const taxpayer = await seedTaxpayer(database.db);
    await note(await asked(taxpayer, [{ hace: 100 }, { hace: 900 }, { hace: 90_000, vacias: ['soap'] }]));
    expect((await read()).map(counted)).toEqual([[[cubetaDe(900), 1]]]);
  });

  it('say nothing of who had to store an e.firma again meanwhile, nor of a solicitud that is gone', async () => {
    const taxpayer = await seedTaxpayer(database.db);
    const id = await asked(taxpayer, [{ hace: 90_000 }]);
    await database.sql`INSERT INTO evento (solicitud_id, tipo) VALUES (${id}, 'ESPERA_EFIRMA')`;
    await note(id);
    await note(uuidV7());
    expect(await read()).toEqual([]);
  });

  it('wait while the database is away, and end when they were noted', async () => {
    const taxpayer = await seedTaxpayer(database.db);
    const errors: unknown[] = [];
    let [isAway, now] = [true, 0];
    const query = (...args: Parameters<typeof database.db.pool.query>) =>
      isAway ? Promise.reject(new Error('away')) : database.db.pool.query(...args);
    const esperas = open({ query: query as typeof database.db.pool.query }, errors, () => now);
    esperas.note(await asked(taxpayer, [{ hace: 4_000 }]));
    await esperas.flush();
    now = 1_600_000;
    esperas.note(await asked(taxpayer, [{ hace: 4_000 }]));
    await esperas.flush();
    expect(errors.map(String)).toEqual(['Error: away', 'Error: away']);
    isAway = false;
    await esperas.flush();
    await esperas.close();
    const [suma] = await read();
    expect([suma?.descargas, suma && counted(suma)]).toEqual([
      2,
      [
        [cubetaDe(2_400), 1],
        [cubetaDe(4_000), 1],
      ],
    ]);
  });

  it('are estimated only from enough accounts, however many downloads one of them has', async () => {
    const taxpayers = await Promise.all(Array.from({ length: 12 }, () => seedTaxpayer(database.db)));
    const [first] = taxpayers;
    if (first === undefined) throw new Error('no taxpayer');
    await note(...(await Promise.all(Array.from({ length: 25 }, (_, n) => asked(first, [{ hace: 60 * (30 + n) }])))));
    const estimate = async () =>
      estimacionDe(
        await read(),
        { modo: 'live', canal: 'soap', tipo: 'recibidos', creadaEn: new Date() },
        { cuentas: 5 },
      );
    expect(await estimate()).toBeNull();
    for (const taxpayer of taxpayers) await note(await asked(taxpayer, [{ hace: 60 * 45 }]));
    expect(await estimate()).toMatchObject({ muestras: 20 });
    const columns =
      await database.sql`SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'espera_sat'`;
    expect(columns.map(({ name }) => name).sort()).toEqual([
      'canal',
      'cubetas',
      'descargas',
      'dia',
      'grupos',
      'hora',
      'modo',
      'tipo',
    ]);
  });

  it('are forgotten after four weeks', async () => {
    const old = (
      days: number,
    ) => database.sql`INSERT INTO espera_sat (dia, hora, modo, canal, tipo, descargas, grupos, cubetas)
      VALUES ((now() AT TIME ZONE 'America/Mexico_City')::date - ${days}::int, 3, 'live', 'soap', 'recibidos', 7, 1, array_fill(0, ARRAY[44]))`;
    await old(29);
    await old(27);
    expect(await read()).toMatchObject([{ descargas: 7, isReciente: false }]);
    await note(await asked(await seedTaxpayer(database.db), [{ hace: 60 }]));
    const [{ n } = {}] = await database.sql`SELECT count(*)::int AS n FROM espera_sat WHERE hora = 3 AND descargas = 7`;
    expect(n).toBe(1);
  });
});

describe('the state of the SAT', () => {
  const database = useDatabase();

  it('shows real requests as the processes count them, and live workers', async () => {
    const now = new Date();
    const metrics = createSatMetrics(database.db, { everyMs: DIA_MS, now: () => now.getTime() });
    for (let n = 0; n < 30; n += 1) {
      metrics.record({ host: `a${n % 3}`, canal: 'soap', ms: 300, resultado: n % 3 === 0 ? 'fallo' : 'exito' });
      metrics.record({ host: 'b', canal: 'portal', ms: 12_000, resultado: 'exito' });
      metrics.record({ host: 'c', canal: 'lista', ms: 12, resultado: 'fallo' });
    }
    await metrics.close();
    const heartbeats = createHeartbeats(database.db);
    await heartbeats.beat({ proceso: 'host-with-a-name:1:descargas', rol: 'descargas', consumed: false, slots: 4 });
    await heartbeats.beat({ proceso: 'host-with-a-name:1:ensambles', rol: 'ensambles', consumed: false, slots: 0 });
    await database.sql`INSERT INTO latido (proceso, rol, visto_en, slots) VALUES ('dead', 'ensambles', now() - interval '2 minutes', 4)`;
    const lectura = await createSaludPublica(database.db).read(now);
    const datos = datosDeSalud(lectura, now, 'live', { cuentas: 5 });
    expect(datos.canales).toMatchObject([
      { canal: 'soap', estado: 'CON_FALLAS', desde: expect.any(String), fallas: 0.33 },
      { canal: 'portal', estado: 'LENTO', desde: expect.any(String), fallas: 0 },
      { canal: 'publico', estado: 'SIN_DATOS', desde: null },
    ]);
    expect(datos.servicio).toEqual({ estado: 'CON_FALLAS', descargas: true, ensambles: false });
    expect(JSON.stringify(datos)).not.toMatch(/host-with-a-name|"a0"/);
  });
});

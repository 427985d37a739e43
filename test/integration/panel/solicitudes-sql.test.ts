import {
  createContribuyentes,
  createListaSolicitudes,
  createSolicitudes,
  type FiltroSolicitudes,
  TOPE_CUENTA,
} from '@acuse/db';
import { beforeAll, describe, expect, test } from 'vitest';
import { newRfc, newSolicitud, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { examine, forgetStatistics } from '../fixtures/planes.ts';

const t = useDatabase({ timeoutMs: 120_000 });

const accepted = (taxpayer: Taxpayer, options?: Parameters<typeof newSolicitud>[2]) =>
  newSolicitud(t.db, taxpayer, options);

describe('a page of solicitudes', () => {
  const lista = () => createListaSolicitudes(t.db);
  const ids = async (cuentaId: string, filtro: FiltroSolicitudes) =>
    (await lista().page(cuentaId, filtro, null, 50)).filas.map(({ id }) => id);

  test('is narrowed by RFC, tipo, estado, period, acceptance and part of the id', async () => {
    const one = await seedTaxpayer(t.db);
    const rfc = newRfc();
    await createContribuyentes(t.db).add({ cuentaId: one.cuentaId, rfc, actor: 'prueba', ip: null });
    const a = await accepted(one, { tipo: 'emitidos', desde: '2024-01-01', hasta: '2024-01-31' });
    const b = await accepted(one, { tipo: 'recibidos', desde: '2024-02-01', hasta: '2024-03-31' });
    await t.db.pool.query(`UPDATE solicitud SET creada_en = '2025-06-01T12:00:00Z' WHERE id = $1`, [a]);
    const of = (filtro: FiltroSolicitudes) => ids(one.cuentaId, filtro);

    expect(await of({})).toEqual([b, a]);
    expect(await of({ rfc: one.rfc })).toEqual([b, a]);
    expect(await of({ rfc })).toEqual([]);
    expect(await of({ tipo: 'emitidos' })).toEqual([a]);
    expect(await of({ estado: 'EN_PROCESO' })).toEqual([b, a]);
    expect(await of({ estado: 'TERMINADA' })).toEqual([]);
    expect(await of({ estados: ['EN_PROCESO', 'TERMINADA'] })).toEqual([b, a]);
    expect(await of({ estados: ['ERROR', 'TERMINADA'] })).toEqual([]);
    expect(await of({ periodo: { desde: '2024-01-31', hasta: '2024-01-31' } })).toEqual([a]);
    expect(await of({ periodo: { desde: '2024-01-31', hasta: '2024-02-01' } })).toEqual([b, a]);
    expect(await of({ periodo: { desde: '2023-01-01', hasta: '2023-12-31' } })).toEqual([]);
    expect(await of({ creada: { desde: new Date('2026-01-01T00:00:00Z') } })).toEqual([b]);
    expect(await of({ creada: { hasta: new Date(Date.now() + 60_000) } })).toEqual([b, a]);
    expect(await of({ creada: { hasta: new Date(Date.now() - 3_600_000) } })).toEqual([]);
    expect(await of({ texto: a })).toEqual([a]);
    expect(await of({ texto: a.slice(-6) })).toEqual([a]);
    expect(await of({ texto: 'abcdef-not' })).toEqual([]);
  });

  test('never holds a row of another account, nor does its count', async () => {
    const [mine, foreign] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
    const own = await accepted(mine);
    const other = await accepted(foreign);
    expect(await ids(mine.cuentaId, {})).toEqual([own]);
    expect(await ids(mine.cuentaId, { rfc: foreign.rfc })).toEqual([]);
    expect(await ids(mine.cuentaId, { texto: other })).toEqual([]);
    expect(await lista().counts(mine.cuentaId)).toMatchObject({ EN_PROCESO: 1, TERMINADA: 0 });
    expect(await lista().counts(mine.cuentaId, foreign.rfc)).toMatchObject({ EN_PROCESO: 0 });
  });

  test('leads to its neighbours in both directions, each row once', async () => {
    const owner = await seedTaxpayer(t.db, { saldo: 20 });
    const all: string[] = [];
    for (let day = 1; day <= 7; day++)
      all.unshift(await accepted(owner, { desde: `2024-05-0${day}`, hasta: '2024-05-30' }));
    const page = (cursor: Parameters<ReturnType<typeof lista>['page']>[2]) =>
      lista().page(owner.cuentaId, {}, cursor, 3);
    const idsOf = (p: Awaited<ReturnType<typeof page>>) => p.filas.map(({ id }) => id);

    const first = await page(null);
    expect([idsOf(first), first.hayAntes, first.hayDespues]).toEqual([all.slice(0, 3), true, false]);
    const second = await page({ antesDe: String(all[2]) });
    expect([idsOf(second), second.hayAntes, second.hayDespues]).toEqual([all.slice(3, 6), true, true]);
    const third = await page({ antesDe: String(all[5]) });
    expect([idsOf(third), third.hayAntes, third.hayDespues]).toEqual([all.slice(6), false, true]);
    const back = await page({ despuesDe: String(all[3]) });
    expect([idsOf(back), back.hayAntes, back.hayDespues]).toEqual([all.slice(0, 3), true, false]);
    const middle = await page({ despuesDe: String(all[6]) });
    expect([idsOf(middle), middle.hayAntes, middle.hayDespues]).toEqual([all.slice(3, 6), true, true]);
  });
});

test('what somebody did with a solicitud is noted for its own account only', async () => {
  const [mine, foreign] = [await seedTaxpayer(t.db), await seedTaxpayer(t.db)];
  const solicitudId = await accepted(mine);
  const nota = { solicitudId, actor: 'usuario:x', accion: 'descargar-paquete', ip: '10.0.0.1' };
  for (const { cuentaId } of [foreign, mine]) await createSolicitudes(t.db).note({ ...nota, cuentaId });
  const noted = `SELECT cuenta_id, ip FROM auditoria WHERE detalle->>'solicitud' = $1`;
  const { rows } = await t.db.pool.query(noted, [solicitudId]);
  expect(rows).toEqual([{ cuenta_id: mine.cuentaId, ip: '10.0.0.1' }]);
});

describe('with 100,000 solicitudes of one account', () => {
  const rfcs = 20;
  let cuentaId = '';
  let rareRfc = '';

  beforeAll(async () => {
    const owner = await seedTaxpayer(t.db);
    cuentaId = owner.cuentaId;
    const taxpayers = [owner.contribuyenteId];
    for (let n = 1; n < rfcs; n++) {
      const rfc = newRfc();
      rareRfc = rfc;
      taxpayers.push((await createContribuyentes(t.db).add({ cuentaId, rfc, actor: 'prueba', ip: null })).id);
    }
    await t.db.pool.query('ALTER TABLE solicitud SET (autovacuum_enabled = false)');
    const client = await t.db.pool.connect();
    await client.query('BEGIN');
    // VACUUM takes rows for visible to all only once their commit is on disk, and the servers of a test run commit
    // without waiting for it.
    await client.query('SET LOCAL synchronous_commit = on');
    // Ids as time makes them: a millisecond apart over a day. The last taxpayer has ten old ones, one state and one
    // tipo are rare.
    await client.query(
      `INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, rfc, tipo, desde, hasta, canal, estado, deadline_at, object_key,
                              creada_en, terminada_en)
       SELECT overlay(overlay(lpad(to_hex((extract(epoch FROM x.en) * 1000)::bigint), 12, '0') || '70008000000000000000' placing lpad(to_hex(n), 12, '0') from 21)
                placing '7' from 13)::uuid,
              $1, k.id, 'k' || n, c.rfc, CASE WHEN n % 5000 = 0 THEN 'emitidos' ELSE 'recibidos' END, date '2024-01-01' + n % 300,
              date '2024-01-01' + n % 300 + 30, 'portal', e.estado, now() + interval '3 days',
              CASE e.estado WHEN 'TERMINADA' THEN 'k' END, x.en, CASE WHEN e.estado = 'EN_PROCESO' THEN NULL ELSE x.en END
       FROM generate_series(1, 100000) AS n
       CROSS JOIN LATERAL (SELECT now() - make_interval(secs => (100000 - n) * 0.8) AS en) x
       CROSS JOIN LATERAL (SELECT CASE WHEN n % 20000 = 0 THEN 'VENCIDA' WHEN n % 400 = 0 THEN 'EN_PROCESO' WHEN n % 50 = 0 THEN 'ERROR'
                                  ELSE 'TERMINADA' END AS estado) e
       CROSS JOIN LATERAL (SELECT CASE WHEN n <= 10 THEN $3::int ELSE n % ($3::int - 1) + 1 END AS place) p
       JOIN LATERAL (SELECT ($2::uuid[])[p.place] AS id) k ON true
       JOIN contribuyente c ON c.id = k.id`,
      [cuentaId, taxpayers, rfcs],
    );
    await client.query('COMMIT');
    client.release();
  }, 120_000);

  type Cursor = Parameters<ReturnType<typeof createListaSolicitudes>['page']>[2];
  const explain = (filtro: FiltroSolicitudes, cursor: Cursor, whose = cuentaId) =>
    examine(() => createListaSolicitudes(t.db).page(whose, filtro, cursor, 25));

  const DEEP = { antesDe: '' };

  // Without statistics the planner expects a handful of rows of any filter; pages must not depend on what it expects.
  describe.each([
    ['that the planner knows nothing of', () => forgetStatistics(t.db, 'solicitud'), 4_000],
    ['that were analyzed', () => t.db.pool.query('ANALYZE solicitud'), 1_500],
  ])('%s', (_, knowledge, mostWithoutMatch) => {
    beforeAll(async () => {
      await t.db.pool.query('VACUUM solicitud');
      await knowledge();
      const { rows } = await t.db.pool.query<{ id: string }>(
        'SELECT id FROM solicitud WHERE cuenta_id = $1 ORDER BY id OFFSET 3000 LIMIT 1',
        [cuentaId],
      );
      DEEP.antesDe = rows[0]?.id ?? '';
    });

    test.each<[string, () => [FiltroSolicitudes, Cursor], number]>([
      ['no filter', () => [{}, null], 400],
      ['no filter, far down', () => [{}, DEEP], 400],
      ['no filter, back up from far down', () => [{}, { despuesDe: DEEP.antesDe }], 400],
      ['a rare state', () => [{ estado: 'VENCIDA' }, null], 200],
      ['the common state', () => [{ estado: 'TERMINADA' }, null], 300],
      ['a rare tipo', () => [{ tipo: 'emitidos' }, null], 300],
      ['an RFC with few and old ones', () => [{ rfc: rareRfc }, null], 300],
      ['an RFC, a state and a tipo', () => [{ rfc: rareRfc, estado: 'TERMINADA', tipo: 'recibidos' }, null], 200],
      [
        'acceptance in one hour',
        () => [{ creada: { desde: new Date(Date.now() - 7_200_000), hasta: new Date(Date.now() - 3_600_000) } }, null],
        400,
      ],
      ['a whole id', () => [{ texto: DEEP.antesDe }, null], 200],
    ])('a page with %s reads few blocks', async (_name, input, most) => {
      const plans = await explain(...input());
      expect(plans.length).toBeGreaterThan(0);
      for (const { nodes, blocks, text } of plans) {
        expect(nodes.filter(({ kind, table }) => kind === 'Seq Scan' && table === 'solicitud')).toEqual([]);
        expect(blocks, text).toBeLessThan(most);
      }
    });

    test('a page of an account without any reads next to nothing, though all of the table be of one account', async () => {
      const other = await seedTaxpayer(t.db);
      const some: FiltroSolicitudes[] = [{}, { estado: 'TERMINADA' }, { estados: ['EN_PROCESO', 'ESPERA_EFIRMA'] }];
      for (const filtro of some)
        for (const plan of await explain(filtro, null, other.cuentaId)) expect(plan.blocks).toBeLessThan(100);
    });

    test.each<[string, FiltroSolicitudes]>([
      ['a period before all others', { periodo: { desde: '2020-01-01', hasta: '2020-12-31' } }],
      ['a period after all others', { periodo: { desde: '2040-01-01', hasta: '2040-12-31' } }],
      ['the beginning of an id that none has', { texto: 'ffff-ffff' }],
      ['the end of an id that none has', { texto: 'fffffffff' }],
    ])('a page with %s reads few blocks, and is empty', async (_name, filtro) => {
      const plans = await examine(async () => {
        expect((await createListaSolicitudes(t.db).page(cuentaId, filtro, null, 25)).filas).toEqual([]);
      });
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) expect(plan.blocks, plan.text).toBeLessThan(mostWithoutMatch);
    });
  });

  test('the counts stop where nobody counts any more', async () => {
    const counts = await createListaSolicitudes(t.db).counts(cuentaId);
    expect(counts).toMatchObject({
      TERMINADA: TOPE_CUENTA + 1,
      EN_PROCESO: 245,
      VENCIDA: 5,
      CANCELADA: 0,
      ESPERA_EFIRMA: 0,
    });
    expect(counts.ERROR).toBe(TOPE_CUENTA + 1);
  });
});

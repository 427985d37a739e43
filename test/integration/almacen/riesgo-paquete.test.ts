import { StaleEpoch } from '@acuse/core';
import { createClaims, createSolicitudes, type FinishNote } from '@acuse/db';
import type { ContraparteVista } from '@acuse/riesgo';
import { createRiesgo } from '@acuse/riesgo/db';
import { expect, test } from 'vitest';
import { newSolicitud, PAQUETE, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { claimOf, WITH_FEATURES } from '../fixtures/features.ts';
import { publish } from './listar.ts';

const t = useDatabase();

const vista = (rfc: string, monto = '100.50'): ContraparteVista => ({
  rfc,
  nombre: `Nombre de ${rfc}`,
  ingresos: { cfdi: 2, monto },
  egresos: { cfdi: 1, monto: '10.000001' },
});

/** Ends a new solicitud with a package in which these were seen. */
async function end(contrapartes: readonly ContraparteVista[] | null, quien?: Taxpayer) {
  const taxpayer = quien ?? (await seedTaxpayer(t.db));
  const id = await newSolicitud(t.db, taxpayer);
  const claimed = await claimOf(t.db, id);
  const finish = () =>
    createClaims(t.db, WITH_FEATURES).finish(claimed, {
      ...PAQUETE,
      notas: contrapartes === null ? {} : { contrapartes },
    });
  await finish();
  const cruce = async () => (await createSolicitudes(t.db).find(taxpayer.contribuyenteId, id))?.contrapartesListadas;
  return { id, taxpayer, finish, cruce };
}

const pageOf = (solicitudId: string, despuesDe: { rfc: string; lista: string } | null = null, limite = 100) =>
  createRiesgo(t.db).listPaquete({ solicitudId, despuesDe, limite });

test('of the counterparties of a package those that stand on a list now are noted, with their CFDI, as the package ends', async () => {
  await publish(t, [
    { rfc: 'PRO010101AB1', situacion: 'PRESUNTO', publicada: '2026-03-05' },
    { rfc: 'PRO020202AB2', situacion: 'DESVIRTUADO', publicada: null },
    { rfc: 'PRO010101AB1', situacion: 'DEFINITIVO', publicada: '2025-01-01' },
  ]);
  const { id, cruce } = await end([vista('PRO030303AB3'), vista('PRO020202AB2', '7'), vista('PRO010101AB1')]);
  expect(await cruce()).toEqual({ total: 2, adversas: 1 });
  const uno = {
    ...vista('PRO010101AB1'),
    lista: '69-B',
    supuesto: 'Definitivo',
    isAdverso: true,
    publicada: '2025-01-01',
  };
  const dos = {
    ...vista('PRO020202AB2', '7'),
    lista: '69-B',
    supuesto: 'Desvirtuado',
    isAdverso: false,
    publicada: null,
  };
  expect(await pageOf(id)).toEqual([uno, dos]);
  expect(await pageOf(id, null, 1)).toEqual([uno]);
  expect(await pageOf(id, uno)).toEqual([dos]);
  expect(await pageOf(id, dos)).toEqual([]);
});

test('an RFC on two lists is two rows and one counterparty, and stands on a list that is none of 69-B under all of its words', async () => {
  await publish(t, [{ rfc: 'DOS010101AB1', situacion: 'DESVIRTUADO' }]);
  await t.sql`INSERT INTO listado_version (id, archivo, fecha_corte, fuente) VALUES ('0198f000-0000-7000-8000-000000000001', 'firmes', '2026-01-01', 'prueba')`;
  await t.sql`INSERT INTO listado_fila (version_id, orden, rfc, nombre, supuesto)
    SELECT '0198f000-0000-7000-8000-000000000001', n, 'DOS010101AB1', 'Dos', s FROM unnest(ARRAY['No localizados', 'Firmes', 'Firmes']) WITH ORDINALITY AS x (s, n)`;
  await t.sql`INSERT INTO listado_vigente (archivo, lista, version_id) VALUES ('firmes', '69', '0198f000-0000-7000-8000-000000000001')`;
  const { id, cruce } = await end([vista('DOS010101AB1')]);
  expect(await cruce()).toEqual({ total: 1, adversas: 1 });
  expect((await pageOf(id)).map(({ lista, supuesto }) => [lista, supuesto])).toEqual([
    ['69', 'Firmes, No localizados'],
    ['69-B', 'Desvirtuado'],
  ]);
});

test('an uncrossed package says so, and a package without listed counterparties lists none', async () => {
  await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' }]);
  for (const [vistas, said] of [
    [null, null],
    [[], { total: 0, adversas: 0 }],
    [[vista('PRO090909AB9')], { total: 0, adversas: 0 }],
  ] as const) {
    const { id, cruce } = await end(vistas);
    expect(await cruce()).toEqual(said);
    expect(await pageOf(id)).toEqual([]);
  }
});

test('a package whose counterparties cannot be looked up ends without them', async () => {
  await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' }]);
  const { id, cruce } = await end([vista('PRO010101AB1', 'mucho')]);
  expect(await cruce()).toBeNull();
  expect(await t.sql`SELECT estado FROM solicitud WHERE id = ${id}`).toEqual([{ estado: 'TERMINADA' }]);
  expect(await pageOf(id)).toEqual([]);
});

test('a package is crossed once: who ends it again, or too late, notes nothing', async () => {
  await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'PRESUNTO' }]);
  const { id, finish, cruce } = await end([vista('PRO010101AB1')]);
  await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'DEFINITIVO' }]);
  await expect(finish()).rejects.toBeInstanceOf(StaleEpoch);
  expect((await pageOf(id)).map(({ supuesto }) => supuesto)).toEqual(['Presunto']);
  expect(await cruce()).toEqual({ total: 1, adversas: 1 });
});

test('several features note one end: each gets its own observation, and none that is missing', async () => {
  await publish(t, [{ rfc: 'PRO010101AB1', situacion: 'PRESUNTO' }]);
  const noteOf = (name: string): FinishNote => ({
    name,
    before: (observed) => `${name} AS MATERIALIZED (SELECT ${observed} AS seen), `,
    set: () => '',
    after: `, ${name}_noted AS (INSERT INTO evento (solicitud_id, tipo, detalle) SELECT fin.id, 'SIN_CFDI', '${name} ' || coalesce(seen ->> 'rows', 'none') FROM fin CROSS JOIN ${name})`,
  });
  const id = await newSolicitud(t.db, await seedTaxpayer(t.db));
  const claims = createClaims(t.db, { finishNotes: [noteOf('one'), ...WITH_FEATURES.finishNotes, noteOf('two')] });
  const notas = { two: { rows: 2 }, contrapartes: [vista('PRO010101AB1')], unknown: 3 };
  expect(await claims.finish(await claimOf(t.db, id), { ...PAQUETE, notas })).toBe(true);
  const noted =
    await t.sql`SELECT detalle FROM evento WHERE solicitud_id = ${id} AND tipo = 'SIN_CFDI' ORDER BY detalle`;
  expect(noted).toEqual([{ detalle: 'one none' }, { detalle: 'two 2' }]);
  expect((await pageOf(id)).map(({ rfc }) => rfc)).toEqual(['PRO010101AB1']);
});

import { CLAVES_LISTADO, type ClaveListado } from '@acuse/listas';
import { createListas } from '@acuse/listas/db';
import { createRiesgo } from '@acuse/riesgo/db';
import { beforeEach, expect, test } from 'vitest';
import { useDatabase } from '../fixtures/database.ts';
import { loadListado, publish, publishListado, settle } from './listar.ts';
import { cfdi, subscribeTo } from './suscrito.ts';

const t = useDatabase();
beforeEach(async () => {
  await t.sql`DELETE FROM listado_vigente`;
  await t.sql`DELETE FROM listado_carga`;
});
const PRO = ['PRO010101AB1', 'PRO020202AB2', 'ÑUÑ030303AB3', 'P&O040404AB4'] as const;

/** Whether each file is adverse, as an accountant sees it. */
const ES_ADVERSO: Record<ClaveListado, boolean> = {
  '69-b': true,
  '69-b-bis': true,
  csd: true,
  firmes: true,
  exigibles: true,
  'no-localizados': true,
  cancelados: false,
  sentencias: true,
  'entes-publicos': false,
  'reduccion-74': false,
  'condonados-146b': false,
  'condonados-21': false,
  'condonados-decreto': false,
  'condonados-2007-2015': false,
  'cancelados-2007-2015': false,
  'retorno-inversiones': false,
};

/** A subscription that is crossed to its end, with who is listed of it and what it was told. */
async function subscribe(...rfcs: string[]) {
  const { almacenId, read, told } = await subscribeTo(t, 'proveedor.listado');
  await read(rfcs.map((rfc, n) => cfdi(n, rfc)));
  const cross = async () => {
    while (!((await createRiesgo(t.db).cross(almacenId, 2))?.isOver ?? true));
  };
  const listed = async () =>
    (await createRiesgo(t.db).list({ almacenId, despuesDe: null, limite: 100, uuids: 0 })).map(
      ({ rfc, lista, supuesto, isAdverso, publicada }) => [rfc, lista, supuesto, isAdverso, publicada],
    );
  const isDue = async () => (await createRiesgo(t.db).due(almacenId - 1, 1)).includes(almacenId);
  return { almacenId, cross, listed, told, isDue };
}

test('every file of the SAT is adverse or not, by law', async () => {
  const rows = await t.sql<{ archivo: ClaveListado; adverso: boolean }>`
    SELECT archivo, supuesto_adverso(archivo, 'Alguna palabra') AS adverso FROM unnest(${CLAVES_LISTADO}::text[]) AS archivo`;
  expect(Object.fromEntries(rows.map(({ archivo, adverso }) => [archivo, adverso]))).toEqual(ES_ADVERSO);
  const words = await t.sql<{ adverso: boolean }>`
    SELECT supuesto_adverso(archivo, palabra) AS adverso FROM unnest(ARRAY['69-b', '69-b-bis']) archivo
    CROSS JOIN unnest(ARRAY['Presunto', 'Definitivo', 'Desvirtuado', 'Sentencia Favorable']) palabra`;
  expect(words.map(({ adverso }) => adverso)).toEqual([true, true, false, false, true, true, false, false]);
  // Of those that are owed still and not collected, only debtors who have nothing.
  const cancelados = await t.sql<{ adverso: boolean }>`
    SELECT supuesto_adverso('cancelados', palabra) AS adverso
    FROM unnest(ARRAY['CANCELADOS POR INSOLVENCIA', 'CANCELADOS POR INCOSTEABILIDAD', 'CANCELADOS']) palabra`;
  expect(cancelados.map(({ adverso }) => adverso)).toEqual([true, false, false]);
});

test('who stands on list 69 in several files stands there under all of their words, and is adverse if one of them is', async () => {
  await publish(t, []);
  await publishListado(t, 'firmes', [{ rfc: PRO[0], publicada: '2024-01-02' }]);
  await publishListado(t, 'cancelados', [
    { rfc: PRO[0], publicada: '2025-05-05' },
    { rfc: PRO[0], publicada: '2025-06-06' },
    { rfc: PRO[1], publicada: '2023-03-03' },
  ]);
  await publishListado(t, 'condonados-21', [{ rfc: PRO[1], supuesto: 'Condonado, en parte' }, { rfc: PRO[3] }]);
  await publishListado(t, 'no-localizados', [{ rfc: PRO[2] }]);
  const { cross, listed, told } = await subscribe(...PRO);
  await cross();
  const expected = [
    [PRO[3], '69', 'CONDONADOS ART. 21', false, null],
    [PRO[0], '69', 'CANCELADOS, FIRMES', true, '2024-01-02'],
    [PRO[1], '69', 'CANCELADOS, Condonado, en parte', false, '2023-03-03'],
    [PRO[2], '69', 'NO LOCALIZADOS', true, null],
  ];
  expect(await listed()).toEqual(expected);
  expect((await told()).map(({ proveedor_rfc, adverso }) => [proveedor_rfc, adverso]).sort()).toEqual(
    expected.map(([rfc, , , adverso]) => [rfc, adverso]).sort(),
  );
  const { rfcs } = await createListas(t.db).consultar([PRO[0], PRO[1]]);
  expect(rfcs.map(({ listas }) => listas.map(({ archivo, adverso }) => [archivo, adverso]))).toEqual([
    [
      ['cancelados', false],
      ['firmes', true],
    ],
    [
      ['cancelados', false],
      ['condonados-21', false],
    ],
  ]);
});

test('files of list 69 on their first load raise one event, and delay no other list', async () => {
  const { sql } = t;
  await publish(t, []);
  const { cross, listed, told, isDue } = await subscribe(PRO[0]);
  await cross();
  await loadListado(t, 'firmes', [{ rfc: PRO[0] }]);
  await loadListado(t, 'csd', [{ rfc: PRO[0] }]);
  await cross();
  expect(await listed()).toEqual([[PRO[0], 'CSD', 'CSD SIN EFECTOS', true, null]]);
  expect(await isDue()).toBe(false);
  await loadListado(t, 'no-localizados', [{ rfc: PRO[0] }]);
  await sql`INSERT INTO listado_carga (archivo) VALUES ('sentencias')`;
  await sql`UPDATE listado_carga SET terminada_en = terminada_en - interval '10 minutes', iniciada_en = iniciada_en - interval '10 minutes'`;
  await cross();
  expect([await isDue(), (await told()).length]).toEqual([false, 1]);
  // The process that had it in hand is gone.
  await settle(t);
  expect(await isDue()).toBe(true);
  await cross();
  expect((await told()).map(({ cambio, lista, supuesto }) => [cambio, lista, supuesto])).toEqual([
    ['entra', 'CSD', 'CSD SIN EFECTOS'],
    ['entra', '69', 'FIRMES, NO LOCALIZADOS'],
  ]);
  // A list that loads again, or fails, delays no crossing.
  await loadListado(t, 'firmes', []);
  await sql`INSERT INTO listado_carga (archivo, resultado, terminada_en) VALUES ('sentencias', 'FALLIDA', now())`;
  await cross();
  expect(await listed()).toEqual([
    [PRO[0], '69', 'NO LOCALIZADOS', true, null],
    [PRO[0], 'CSD', 'CSD SIN EFECTOS', true, null],
  ]);
});

test('on list 69 a new adverse word and the end of adverse words raise an event; others are noted', async () => {
  await publish(t, []);
  for (const clave of ['firmes', 'no-localizados', 'cancelados', 'csd'] as const) await publishListado(t, clave, []);
  const { almacenId, cross, listed, told } = await subscribe(PRO[0]);
  const since = async () =>
    (
      await t.sql<{ en: Date }>`SELECT cambiada_en AS en FROM riesgo_contraparte WHERE almacen_id = ${almacenId}`
    )[0]?.en.getTime();
  await publishListado(t, 'firmes', [{ rfc: PRO[0] }]);
  await cross();
  const entered = await since();
  await publishListado(t, 'cancelados', [{ rfc: PRO[0] }]);
  await cross();
  expect(await listed()).toEqual([[PRO[0], '69', 'CANCELADOS, FIRMES', true, null]]);
  expect(await since()).toBe(entered);
  await publishListado(t, 'no-localizados', [{ rfc: PRO[0] }]);
  await cross();
  await publishListado(t, 'no-localizados', []);
  await cross();
  await publishListado(t, 'firmes', []);
  await cross();
  expect(
    (await told()).map(({ cambio, supuesto, supuesto_anterior, adverso }) => [
      ...[cambio, supuesto, supuesto_anterior, adverso],
    ]),
  ).toEqual([
    ['entra', 'FIRMES', null, true],
    ['cambia', 'CANCELADOS, FIRMES, NO LOCALIZADOS', 'CANCELADOS, FIRMES', true],
    ['cambia', 'CANCELADOS', 'CANCELADOS, FIRMES', false],
  ]);
  expect(await listed()).toEqual([[PRO[0], '69', 'CANCELADOS', false, null]]);
});

test('a missing list removes no counterparty, and a list that comes back without the counterparty does', async () => {
  await publish(t, [{ rfc: PRO[0], situacion: 'DEFINITIVO' }]);
  await publishListado(t, 'csd', [{ rfc: PRO[0] }]);
  await publishListado(t, 'firmes', [{ rfc: PRO[0] }]);
  const { cross, listed, told } = await subscribe(PRO[0]);
  await cross();
  const [noted, before] = [await listed(), await told()];
  expect(noted).toHaveLength(3);
  await t.sql`DELETE FROM listado_vigente`;
  await t.sql`DELETE FROM efos_vigente`;
  await cross();
  expect([await listed(), await told()]).toEqual([noted, before]);
  await publishListado(t, 'csd', []);
  await cross();
  expect((await told()).slice(before.length)).toMatchObject([{ cambio: 'sale', lista: 'CSD', adverso: false }]);
  expect((await listed()).map(([, lista]) => lista)).toEqual(['69', '69-B']);
});

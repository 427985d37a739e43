import type { NuevoEvento } from '@acuse/core';
import { createClaims, createRetention, createTrazas, openDatabase, type PasoEnCurso } from '@acuse/db';
import { beforeAll, expect, it } from 'vitest';
import { newSolicitud, PAQUETE, seedTaxpayer, type Taxpayer, useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { urlAs } from '../fixtures/roles.ts';

const t = useDatabase();
/** As the workers log in: what they may not write, these tests may not. */
const worker = duringTests(async () => openDatabase({ ...t.db.settings, url: urlAs(t.url, 'worker'), poolSize: 2 }));
let ana: Taxpayer;
beforeAll(async () => {
  ana = await seedTaxpayer(t.db, { saldo: 100 });
});

const LOOK: NuevoEvento = { tipo: 'SAT_EN_PROCESO' };
const SILENCE: NuevoEvento = { tipo: 'SAT_SIN_RESPUESTA', codigo: 'HTTP 503' };
const FAILURE: NuevoEvento = { tipo: 'FALLO_INTERNO', codigo: 'FALTA_LLAVE' };
const ASKED = { host: 'cfdidescargamasiva.clouda.sat.gob.mx', resultado: 'exito', veces: 2, ms: 310 } as const;

let year = 2000;
/** A new solicitud, and how its wake-ups are answered: each claims it and gives it back with these events. */
async function newWoken(paso: PasoEnCurso | null = { proceso: 'host-a:7', consultas: [] }) {
  year += 1;
  const id = await newSolicitud(t.db, ana, { desde: `${year}-01-01`, hasta: `${year}-01-31` });
  let current = paso;
  const claims = createClaims(worker, { pasoEnCurso: () => current });
  const claim = async (queue: 'descargas' | 'ensambles' = 'descargas') => {
    await t.sql`UPDATE outbox SET rung_at = greatest(now(), due_at) WHERE solicitud_id = ${id}`;
    const [row] = await t.sql<{ gen: number }>`SELECT gen FROM solicitud WHERE id = ${id}`;
    const claimed = await claims.claim({ solicitudId: id, gen: row?.gen ?? 0, queue, leaseSeconds: 60 });
    if (claimed === null) throw new Error('not claimed');
    return claimed;
  };
  return {
    id,
    claims,
    claim,
    by(next: PasoEnCurso) {
      current = next;
    },
    async step(...eventos: NuevoEvento[]) {
      await claims.release(await claim(), { eventos }, { queue: 'descargas', inSeconds: 0 });
    },
    pasos: async () => (await createTrazas(t.db).read(id))?.pasos ?? [],
  };
}

it('keeps each step in the statement that gives its claim back: who, what it waited, what it took, noted and asked', async () => {
  const woken = await newWoken({ proceso: 'host-a:7', consultas: [ASKED] });
  await t.sql`UPDATE solicitud SET due_at = now() - interval '3 seconds' WHERE id = ${woken.id}`;
  await t.sql`UPDATE outbox SET due_at = now() - interval '3 seconds' WHERE solicitud_id = ${woken.id}`;
  await woken.step({ tipo: 'ACEPTADA' }, LOOK);
  const [first, ...others] = await woken.pasos();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ epoch: 1, cola: 'descargas', notas: 'ACEPTADA,SAT_EN_PROCESO', proceso: 'host-a:7' });
  expect(first).toMatchObject({ consultas: [ASKED], veces: 1, ultimo_en: null });
  expect(first?.bandeja_ms).toBeGreaterThanOrEqual(3_000);
  for (const ms of [first?.cola_ms, first?.ms]) expect(ms).toBeGreaterThanOrEqual(0);
});

it('counts a step that noted nothing new in the row of the one before, with the longest times and the last worker', async () => {
  const woken = await newWoken();
  await woken.step({ tipo: 'SOLICITADA', codigo: 'F' });
  for (const _ of [1, 2, 3]) await woken.step(LOOK);
  woken.by({ proceso: 'host-b:9', consultas: [ASKED] });
  await woken.step(LOOK);
  await woken.step();
  await woken.step(SILENCE);
  await woken.step(SILENCE);
  for (const _ of [1, 2]) await woken.step(FAILURE);
  // What changes something is a row of its own, however often.
  for (const _ of [1, 2]) await woken.step({ tipo: 'REPETIDA' });
  // After a change the same counts from one again.
  await woken.step(FAILURE);
  const rows = (await woken.pasos()).map(({ epoch, notas, veces, proceso }) => [epoch, notas, veces, proceso]);
  expect(rows).toEqual([
    [1, 'SOLICITADA', 1, 'host-a:7'],
    [3, 'SAT_EN_PROCESO', 4, 'host-b:9'],
    [11, '', 1, 'host-b:9'],
    [13, 'SAT_SIN_RESPUESTA', 2, 'host-b:9'],
    [17, 'FALLO_INTERNO', 2, 'host-b:9'],
    [21, 'REPETIDA', 1, 'host-b:9'],
    [23, 'REPETIDA', 1, 'host-b:9'],
    [25, 'FALLO_INTERNO', 1, 'host-b:9'],
  ]);
  const failures =
    await t.sql`SELECT veces FROM evento WHERE solicitud_id = ${woken.id} AND tipo = 'FALLO_INTERNO' ORDER BY id`;
  expect(failures).toEqual([{ veces: 2 }, { veces: 1 }]);
});

it('keeps the last step too, however a solicitud ends, waits or changes its channel', async () => {
  const [finished, failed, awaited, changed] = [await newWoken(), await newWoken(), await newWoken(), await newWoken()];
  await finished.claims.finish(await finished.claim(), PAQUETE);
  await failed.claims.fail(await failed.claim(), { estado: 'RECHAZADA', motivo: 'SAT_RECHAZADA' });
  await awaited.claims.awaitEfirma(await awaited.claim());
  const periodos = [{ inicio: '2001-01-01T00:00:00', fin: '2001-01-31T23:59:59' }];
  const avance = { nuevas: { reemplaza: null, periodos }, eventos: [{ tipo: 'CANAL_CAIDO' as const }] };
  await changed.claims.changeChannel(await changed.claim(), avance, { mayReturn: true });
  const notas = [];
  for (const { pasos } of [finished, failed, awaited, changed]) notas.push((await pasos()).map((each) => each.notas));
  expect(notas).toEqual([['TERMINADA'], ['RECHAZADA'], ['ESPERA_EFIRMA'], ['CANAL_CAIDO']]);
});

it('keeps no step under a stale epoch, and none without a process name', async () => {
  const lost = await newWoken();
  const claimed = await lost.claim();
  await t.sql`UPDATE solicitud SET epoch = epoch + 1 WHERE id = ${lost.id}`;
  await expect(lost.claims.release(claimed, {}, { queue: 'descargas', inSeconds: 0 })).rejects.toThrow(/is over/);
  const untold = await newWoken(null);
  await untold.step(LOOK);
  expect([await lost.pasos(), await untold.pasos()]).toEqual([[], []]);
});

it('keeps events and steps in 8 rows and 2,200 bytes however often a request is looked at, until its trace goes', async () => {
  const woken = await newWoken({ proceso: 'descargas-7d9c5b6f4-x2x9k:1', consultas: [ASKED] });
  await woken.step({ tipo: 'ACEPTADA' });
  await woken.step({ tipo: 'SOLICITADA', codigo: 'F' });
  for (let n = 0; n < 30; n += 1) await woken.step(LOOK);
  await woken.step({ tipo: 'SAT_TERMINADA' });
  await woken.step({ tipo: 'PAQUETE_GUARDADO' });
  await woken.claims.fail(await woken.claim(), { estado: 'ERROR', motivo: 'PAQUETE_SAT_INVALIDO' });
  // A row, its place in the page, and its entry in the index.
  const [size] = await t.sql<{ bytes: number; rows: number }>`
    SELECT sum(bytes + 4 + 40)::int AS bytes, count(*)::int AS rows FROM (
      SELECT pg_column_size(p.*) FROM paso p WHERE solicitud_id = ${woken.id} UNION ALL
      SELECT pg_column_size(e.*) FROM evento e WHERE solicitud_id = ${woken.id}) x (bytes)`;
  expect(size?.rows).toBe(8);
  expect(size?.bytes).toBeLessThan(2_200);

  await t.sql`UPDATE solicitud SET objetos_borrados_en = now(), terminada_en = now() - interval '91 days' WHERE id = ${woken.id}`;
  await createRetention(worker).prune({ traceDays: 90, auditDays: 1_830, limit: 100 });
  expect(await woken.pasos()).toEqual([]);
});

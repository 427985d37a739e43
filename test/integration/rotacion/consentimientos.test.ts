import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resellarTodo } from '@acuse/cli';
import { cuelgan } from '@acuse/db';
import { createSincronizaciones } from '@acuse/sincronizacion/db';
import { generateWorkerKeyPair, openOpener, openSealer, type Valores } from '@acuse/vault';
import { expect, it, onTestFinished } from 'vitest';
import { CIEC, newSubscriber, type Subscriber, subscribe } from '../almacen/subscriber.ts';
import { startAcuse } from '../cli/acuse.ts';
import { acuse } from '../fixtures/cli.ts';
import { testDatabase } from '../fixtures/database.ts';
import { waitFor } from '../fixtures/wait-for.ts';

const quien = { actor: 'prueba', ip: null };
const [w1, w2] = [generateWorkerKeyPair(), generateWorkerKeyPair()];
const [p1, p2] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];

/** The settings once a new id is in force beside the old one; `only` the new one when that was taken away. */
const rotated = (only = false): Valores => ({
  WORKER_KEYS: `w2:${w2.privateKey}${only ? '' : `,w1:${w1.privateKey}`}`,
  WORKER_PSKS: `p2:${p2}${only ? '' : `,p1:${p1}`}`,
  WORKER_PUBLIC_KEY: `w2:${w2.publicKey}`,
  WORKER_PSK: `p2:${p2}`,
});
const before = openSealer(`w1:${w1.publicKey}`, `p1:${p1}`);

async function open() {
  const database = await testDatabase();
  onTestFinished(() => database.close());
  const { sql } = database;
  const onlyNew = openOpener(`w2:${w2.privateKey}`, `p2:${p2}`);
  return {
    ...database,
    add: (count: number) => Promise.all(Array.from({ length: count }, () => newSubscriber(database, before))),
    hang: async () =>
      (await cuelgan(database.db, ['WORKER_KEYS', 'WORKER_PSKS'])).map(({ id, filas }) => `${id} ${filas}`),
    /** The CIEC that a worker with the new keys alone opens; null without a consent. */
    async opened({ sincronizacionId, cuentaId: cuenta, rfc, expiraEn }: Subscriber) {
      const [row] = await sql<{
        sobre: Buffer;
      }>`SELECT sobre FROM consentimiento WHERE sincronizacion_id = ${sincronizacionId}`;
      if (row === undefined) return null;
      const contexto = { solicitudId: sincronizacionId, cuenta, rfc, tipo: 'ciec', expiraEn } as const;
      const credencial = onlyNew.open(row.sobre, contexto);
      return credencial.tipo === 'ciec' ? credencial.ciec.toString() : null;
    },
    noted: async () =>
      await sql<{ contribuyenteId: string; llaves: string }>`
        SELECT contribuyente_id AS "contribuyenteId", detalle ->> 'llaves' AS llaves FROM auditoria WHERE accion = 'resellar-consentimiento'`,
  };
}

it('seals each consent anew under the keys in force, with its purpose and its end as they were, and notes it once', async () => {
  const t = await open();
  const subscribers = await t.add(3);
  const terms = () =>
    t.sql`SELECT sincronizacion_id, finalidad, otorgado_por, otorgado_en, expira_en FROM consentimiento ORDER BY 1`;
  const consented = await terms();
  expect(await t.hang()).toEqual(['w1 3', 'p1 3']);
  const seen: number[] = [];
  const options = { limit: 2, onAvance: ({ resellados }: { resellados: number }) => void seen.push(resellados) };
  await resellarTodo(t.db, 'WORKER_KEYS', rotated(), options);
  expect(seen).toEqual([2, 3]);
  expect(await t.hang()).toEqual(['w2 3', 'p2 3']);
  expect(await terms()).toEqual(consented);
  for (const subscriber of subscribers) expect(await t.opened(subscriber)).toBe(CIEC);
  // The other of the two secrets finds nothing left to do.
  await resellarTodo(t.db, 'WORKER_PSKS', rotated(true), options);
  const noted = await t.noted();
  expect(noted.map(({ contribuyenteId }) => contribuyenteId).sort()).toEqual(
    subscribers.map(({ contribuyenteId }) => contribuyenteId).sort(),
  );
  expect(new Set(noted.map(({ llaves }) => llaves))).toEqual(new Set(['w2 p2']));
});

it('leaves consents that do not open as they are, and seals none for a key that the workers do not have', async () => {
  const t = await open();
  await t.add(1);
  const stranger = generateWorkerKeyPair();
  const quiet = { limit: 10, onAvance: () => {} };
  const other = { ...rotated(), WORKER_PUBLIC_KEY: `w2:${stranger.publicKey}` };
  await expect(resellarTodo(t.db, 'WORKER_KEYS', other, quiet)).rejects.toThrow('no son pareja');
  let ilegibles = 0;
  const onAvance = (avance: { ilegibles: number }) => {
    ilegibles = avance.ilegibles;
  };
  await resellarTodo(t.db, 'WORKER_KEYS', rotated(true), { limit: 10, onAvance });
  expect([ilegibles, await t.hang(), await t.noted()]).toEqual([1, ['w1 1', 'p1 1'], []]);
});

it('brings back no consent that is revoked meanwhile, and takes nothing from who consents anew', async () => {
  const t = await open();
  const [revocada, renewed] = await t.add(2);
  if (!revocada || !renewed) throw new Error('no subscription was made');
  const after = openSealer(`w2:${w2.publicKey}`, `p2:${p2}`);
  // Both change after their page was read, and before the order writes: it waits for the rows, which are locked.
  const client = await t.db.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM consentimiento FOR NO KEY UPDATE');
  let avance = {};
  const running = resellarTodo(t.db, 'WORKER_KEYS', rotated(), {
    limit: 10,
    onAvance: (so) => {
      avance = so;
    },
  });
  await waitFor(async () => (await waiting(t)) || null);
  await client.query('DELETE FROM consentimiento WHERE sincronizacion_id = $1', [revocada.sincronizacionId]);
  await client.query(`UPDATE consentimiento SET sobre = 'otro' WHERE sincronizacion_id = $1`, [
    renewed.sincronizacionId,
  ]);
  await client.query('COMMIT');
  client.release();
  await running;
  expect(avance).toMatchObject({ resellados: 0, cambiados: 2 });
  expect([await t.opened(revocada), await t.noted()]).toEqual([null, []]);
  const again = await subscribe(t, renewed, after, { ciec: 'Nueva-2026' });
  expect(await t.opened(again)).toBe('Nueva-2026');
  expect(await createSincronizaciones(t.db).revoke(renewed.contribuyenteId, quien)).toBe(true);
});

/** Whether a statement waits for a lock in this database. */
const waiting = async ({ sql }: Awaited<ReturnType<typeof testDatabase>>) =>
  (await sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).length > 0;

it('an order that is killed in the middle leaves every consent under one key or the other, and the next one goes on', async () => {
  const t = await open();
  const subscribers = await t.add(5);
  const carpeta = await mkdtemp(join(tmpdir(), 'acuse-rotar-'));
  onTestFinished(() => rm(carpeta, { recursive: true, force: true }));
  await mkdir(join(carpeta, 'operador'));
  for (const [name, value] of Object.entries(rotated())) await writeFile(join(carpeta, 'operador', name), value);
  const rotar = (paso: string) => ['secretos', 'rotar', 'WORKER_KEYS', '--paso', paso, '--carpeta', carpeta];
  await expect(acuse({ DATABASE_URL: t.url }, ...rotar('retirar'))).rejects.toThrow(
    'del id w1 cuelgan 5 consentimientos de sincronizaciones',
  );

  const [third] = subscribers
    .map(({ sincronizacionId }) => sincronizacionId)
    .sort()
    .slice(2);
  const client = await t.db.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM consentimiento WHERE sincronizacion_id = $1 FOR NO KEY UPDATE', [third]);
  const killed = startAcuse(['operador', ...rotar('resellar')], { env: { DATABASE_URL: t.url } });
  await waitFor(async () => (await waiting(t)) || null, 60);
  killed.child.kill('SIGKILL');
  expect((await killed.ended).code).toBe(null);
  // Its statement waits until the server notices the lost client.
  await t.sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await client.query('ROLLBACK');
  client.release();
  expect([await t.hang(), (await t.noted()).length]).toEqual([['w1 3', 'w2 2', 'p1 3', 'p2 2'], 2]);

  const lines = await acuse({ DATABASE_URL: t.url }, ...rotar('resellar'));
  expect(lines[0]).toEqual({ que: 'consentimientos de sincronizaciones', resellados: 3, cambiados: 0, ilegibles: 0 });
  expect([await t.hang(), (await t.noted()).length]).toEqual([['w2 5', 'p2 5'], 5]);
  for (const subscriber of subscribers) expect(await t.opened(subscriber)).toBe(CIEC);
  await acuse({ DATABASE_URL: t.url }, ...rotar('retirar'));
  const estado = await acuse({ DATABASE_URL: t.url }, 'secretos', 'estado', '--carpeta', carpeta);
  expect(estado.filter(({ secreto }) => secreto === 'WORKER_KEYS')).toEqual([
    expect.objectContaining({ id: 'w2', vigente: true, cuelgan: { 'consentimientos de sincronizaciones': 5 } }),
  ]);
});

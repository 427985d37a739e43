import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { addDays, type Claims } from '@acuse/core';
import {
  createAccessSnapshots,
  createClaims,
  createHeartbeats,
  createListaSolicitudes,
  createOutbox,
  createSolicitudes,
  type Database,
  migrate,
  openDatabase,
} from '@acuse/db';
import { createDatabase } from '@acuse/embedded';
import { uuidV7 } from '@acuse/runtime';
import { schedule, seedOpen } from '../../integration/fixtures/abiertas.ts';
import { WITH_FEATURES } from '../../integration/fixtures/features.ts';
import { fillDatabase, type GranBase } from '../../integration/fixtures/gran-base.ts';
import { type Servers, startMeasure } from '../cpu.ts';
import { look } from '../jobs.ts';
import type { Axis, Series } from './report.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Each thing is measured so often at each size, in turns: the least counts, so that a busy minute spoils no size. */
const ROUNDS = 3;
/** Solicitudes that are looked at together, and wakes that are given out together, at every size. */
const AT_ONCE = 64;
/** Seconds until unworked rows are due: after the measurement. */
const LATER = 86_400;

/** 10^from to 10^to, as far as `most`. */
const decades = (from: number, to: number, most: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => 10 ** (from + n)).filter((size) => size <= most);

interface Subject {
  readonly size: number;
  readonly db: Database;
}

interface Measurement<S extends Subject> {
  readonly name: string;
  readonly unit: string;
  prepare?(subject: S): Promise<unknown>;
  /** Gives how many things it did. */
  run(subject: S): Promise<number>;
  readonly judgedFrom?: number;
}

/** Milliseconds of processor, here and in PostgreSQL, that one thing takes at each size. */
async function measureAll<S extends Subject>(
  servers: Servers,
  subjects: readonly S[],
  measurements: readonly Measurement<S>[],
): Promise<Series[]> {
  const all: Series[] = [];
  for (const { prepare, run, ...told } of measurements) {
    for (const subject of subjects) await prepare?.(subject);
    const least = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round += 1)
      for (const subject of subjects) {
        const measured = await startMeasure(servers);
        const { cpuMs } = await measured(await run(subject));
        const cost = cpuMs[0] + cpuMs[1];
        least.set(subject.size, Math.min(cost, least.get(subject.size) ?? Number.POSITIVE_INFINITY));
      }
    const points = [...least].map(([size, cost]) => ({ size, cost }));
    console.log(
      `growth: ${told.name}, ${told.unit}: ${points.map(({ size, cost }) => `${size}: ${cost.toFixed(3)}`).join(', ')}`,
    );
    all.push({ ...told, points });
  }
  return all;
}

/** The same, with a database for each size, which `fill` fills. */
async function measureSizes<Filled extends object>(
  servers: Servers,
  sizes: readonly number[],
  fill: (size: number, url: string, db: Database) => Promise<Filled>,
  measurements: readonly Measurement<Filled & Subject>[],
): Promise<Series[]> {
  const subjects: (Filled & Subject)[] = [];
  for (const size of sizes) subjects.push({ ...(await openFilled(servers, (url, db) => fill(size, url, db))), size });
  const series = await measureAll(servers, subjects, measurements);
  for (const { db } of subjects) await db.close();
  return series;
}

/** A migrated database of its own, filled by `fill`. */
export async function openFilled<Filled>(
  servers: Servers,
  fill: (url: string, db: Database) => Promise<Filled>,
): Promise<Filled & { db: Database; url: string }> {
  const url = await createDatabase(servers.postgres.url, `growth_${randomBytes(4).toString('hex')}`);
  await migrate(url);
  const db = openDatabase({ url, poolSize: 4, timeoutMs: 120_000, applicationName: 'bench' });
  const filled = await fill(url, db);
  await db.pool.query('VACUUM ANALYZE');
  await db.pool.query('CHECKPOINT');
  return { ...filled, db, url };
}

/** Solicitudes that are looked at again and again, each with its generation. */
type Rotation = Map<string, number>;
const rotationOf = (ids: readonly string[]): Rotation => new Map(ids.slice(0, AT_ONCE).map((id) => [id, 1]));

/** Claims and releases each of them `times` times, as a look at the SAT that finds nothing new does. */
async function lookAtAll(claims: Claims, rotation: Rotation, times: number): Promise<number> {
  for (let turn = 0; turn < times; turn += 1)
    await Promise.all(
      [...rotation].map(async ([solicitudId, gen]) => {
        const claimed = await claims.claim({ solicitudId, gen, queue: 'descargas', leaseSeconds: 60 });
        if (claimed === null) throw new Error('not claimed');
        await claims.release(claimed, look(claimed), { queue: 'descargas', inSeconds: LATER });
        rotation.set(solicitudId, gen + 1);
      }),
    );
  return times * rotation.size;
}

interface Used extends GranBase {
  readonly rotation: Rotation;
  /** Some from everywhere in the table. */
  readonly sample: readonly { id: string; contribuyenteId: string }[];
  day: number;
}

async function acceptSome(
  { db, cuentaId, contribuyenteId, apiKeyId, rfc, ...base }: Used & Subject,
  first: number,
  many: number,
) {
  const access = await createAccessSnapshots(db).load(apiKeyId);
  if (access === null) throw new Error('no pass');
  const solicitudes = createSolicitudes(db);
  const deadlineAt = new Date(Date.now() + 86_400_000);
  const sellada = { tipo: 'ciec' as const, kid: 'k', sobre: Buffer.alloc(300), expiraEn: deadlineAt };
  for (let n = first; n < first + many; n += 1) {
    const day = addDays('1900-01-01', n);
    const { resultado } = await solicitudes.accept({
      id: uuidV7(),
      cuentaId,
      contribuyenteId,
      apiKeyId,
      rfc,
      sellada,
      deadlineAt,
      version: access.version,
      tipo: 'recibidos',
      desde: day,
      hasta: day,
      formato: 'csv',
      canal: 'portal',
      costo: 1,
      otra: null,
      idemKey: randomUUID(),
    });
    if (resultado !== 'ACEPTADA') throw new Error(`${resultado} with ${base.size}`);
  }
  return many;
}

/** What one use of the service costs with so many solicitudes in the database. */
export async function measureSolicitudes(servers: Servers, most: number): Promise<Axis> {
  const fill = async (size: number, url: string, db: Database): Promise<Used> => {
    const base = await fillDatabase(url, { solicitudes: size });
    const { rows: sample } = await db.pool.query<{ id: string; contribuyenteId: string }>(
      `SELECT id, contribuyente_id AS "contribuyenteId" FROM solicitud ORDER BY md5(id::text) LIMIT 500`,
    );
    const ids = await seedOpen(db.pool, { open: AT_ONCE, cuentas: 20 });
    await schedule(db.pool, ids, LATER);
    return { ...base, sample, rotation: rotationOf(ids), day: 0 };
  };
  const series = await measureSizes(servers, decades(3, 6, most), fill, [
    { name: 'a look', unit: 'ms', run: ({ db, rotation }) => lookAtAll(createClaims(db, WITH_FEATURES), rotation, 30) },
    {
      name: 'verificar',
      unit: 'ms',
      async run({ db, sample }) {
        const solicitudes = createSolicitudes(db);
        for (let turn = 0; turn < 4; turn += 1)
          for (const { contribuyenteId, id } of sample)
            if ((await solicitudes.find(contribuyenteId, id)) === null) throw new Error('not found');
        return 4 * sample.length;
      },
    },
    {
      name: 'a page of the list',
      unit: 'ms',
      async run({ db, sample, cuentaId }) {
        const lista = createListaSolicitudes(db);
        for (const { id } of sample) await lista.page(cuentaId, {}, { antesDe: id }, 20);
        return sample.length;
      },
    },
    {
      name: 'an acceptance',
      unit: 'ms',
      async run(filled) {
        filled.day += 300;
        return acceptSome(filled, filled.day, 300);
      },
    },
  ]);
  return { title: 'Requests in the database', of: 'solicitudes', series };
}

interface Opened extends Subject {
  readonly rotation: Rotation;
}

/** Thrown to refuse wake-ups, so that the outbox stays as before. */
class Refused extends Error {}

/** Lets the relay choose and note a queue's worth of wake-ups, which are then given back. */
async function ringSome({ db }: Opened, times: number): Promise<number> {
  await createHeartbeats(db).beat({ proceso: 'bench', rol: 'descargas', consumed: true, slots: AT_ONCE - 4 });
  const outbox = createOutbox(db);
  let handed = 0;
  for (let turn = 0; turn < times; turn += 1)
    await outbox
      .drain({ graceSeconds: LATER }, async (wakeUps) => {
        handed += wakeUps.length;
        throw new Refused();
      })
      .catch((error) => {
        if (!(error instanceof Refused)) throw error;
      });
  if (handed !== times * AT_ONCE) throw new Error(`${handed} wake-ups in ${times} turns`);
  return handed;
}

/** What looks and the relay's turns cost with so many open solicitudes, of twenty accounts. */
export async function measureOpen(servers: Servers, most: number): Promise<Axis> {
  const fill = async (size: number, _: string, db: Database) => {
    const ids = await seedOpen(db.pool, { open: size, cuentas: 20 });
    await schedule(db.pool, ids, LATER);
    return { rotation: rotationOf(ids) };
  };
  const makeDue = async ({ db, rotation }: Opened, all: boolean) => {
    await db.pool.query('UPDATE outbox SET due_at = now() WHERE $1 OR solicitud_id = ANY ($2::uuid[])', [
      all,
      [...rotation.keys()],
    ]);
    await db.pool.query('VACUUM ANALYZE outbox');
  };
  const series = await measureSizes(servers, decades(2, 5, most), fill, [
    { name: 'a look', unit: 'ms', run: ({ db, rotation }) => lookAtAll(createClaims(db, WITH_FEATURES), rotation, 30) },
    {
      name: 'a turn with none due',
      unit: 'ms a turn',
      async run({ db }) {
        for (let turn = 0; turn < 1_000; turn += 1)
          await createOutbox(db).drain({ graceSeconds: LATER }, async () => {});
        return 1_000;
      },
    },
    {
      name: `a wake-up, ${AT_ONCE} due`,
      unit: 'ms',
      prepare: (opened) => makeDue(opened, false),
      run: (opened) => ringSome(opened, 60),
    },
    {
      name: 'a wake-up, all due',
      // Of fewer, the relay need not look for the oldest of each account.
      judgedFrom: 1_000,
      unit: 'ms',
      prepare: (opened) => makeDue(opened, true),
      run: (opened) => ringSome(opened, 60),
    },
  ]);
  return { title: 'Open requests', of: 'open solicitudes', series };
}

interface Assembled {
  readonly rows: number;
  readonly cpuMs: number;
  readonly rssPeakMB: number;
  /** Of the SAT's packages and of the ZIP. */
  readonly storedBytes: number;
}

/** What a million rows cost in the process that makes one ZIP of so many, and the most memory that it takes. */
export async function measureRows(most: number): Promise<Axis> {
  const all: Assembled[] = [];
  for (const rows of decades(4, 7, most)) {
    const args = ['--rows', String(rows), '--rounds', String(Math.max(1, 1e6 / rows)), '--alone'];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=acuse-source', '--import', 'tsx', 'packages/storage/src/assemble.bench.ts', ...args],
      { cwd: ROOT },
    );
    all.push(JSON.parse(stdout) as Assembled);
    console.log(`growth: rows: ${stdout.trim()}`);
  }
  const points = (cost: (one: Assembled) => number) => all.map((one) => ({ size: one.rows, cost: cost(one) }));
  return {
    title: 'Rows of one package',
    of: 'rows',
    series: [
      { name: 'a million rows', unit: 'ms', points: points(({ rows, cpuMs }) => (cpuMs / rows) * 1e6) },
      { name: 'storage', unit: 'bytes a row', points: points(({ rows, storedBytes }) => storedBytes / rows) },
      // A heap is not filled by less.
      { name: 'memory at most', unit: 'MB', points: points(({ rssPeakMB }) => rssPeakMB), judgedFrom: 1e6 },
    ],
  };
}

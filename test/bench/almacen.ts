import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Database, migrate } from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { createDatabase } from '@acuse/embedded';
import { createAlmacenes, type FiltroCfdi, openAlmacen } from '@acuse/sincronizacion/db';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { csvOf, type FilaCfdi } from '../integration/almacen/csv.ts';
import { seedTaxpayer } from '../integration/fixtures/database.ts';

/** Months over which the rows of the store are spread. */
const MESES = 60;
/** Each thing is measured so often; the least counts. */
const ROUNDS = 3;
const PERIODO = { desde: '2025-06-01', hasta: '2025-06-30' };
const YO = ['ACU200101DB1', 'La Empresa, S.A. de C.V.'] as const;

/** The `n`th CFDI of June 2025. */
const fila = (n: number, rest: Partial<FilaCfdi> = {}): FilaCfdi => ({
  uuid: `${(n * 2_654_435_761).toString(16).padStart(16, '0').slice(-8)}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
  emisor: [`PRO${String(n % 5_000).padStart(6, '0')}AB1`, `Proveedor ${n % 5_000} de México, S.A. de C.V.`],
  receptor: YO,
  emitida: `2025-06-${String(1 + (n % 30)).padStart(2, '0')}T${String(n % 24).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00`,
  monto: `${n % 100_000}.16`,
  ...rest,
});

function* paqueteOf(rows: number, change: (n: number) => Partial<FilaCfdi> | null = () => ({})): Generator<FilaCfdi> {
  for (let n = 0; n < rows; n++) {
    const rest = change(n);
    if (rest !== null) yield fila(n, rest);
  }
}

const MS = (ms: number) => `${Math.round(ms).toLocaleString('en-US')} ms`;

/** The quickest of some turns, each after what has to be there for it. */
async function least(run: () => Promise<unknown>, before: () => Promise<unknown> = async () => {}): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    await before();
    const started = performance.now();
    await run();
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

/** Rows of one store in many months, with the change that each was, as merges would have left them. */
async function fill({ pool }: Database, almacenId: number, rows: number): Promise<void> {
  await pool.query(`SELECT cfdi_meses('2021-01-01', '2026-12-31')`);
  await pool.query(
    `INSERT INTO nombrado (almacen_id, rfc, nombre) SELECT $1, 'CTE' || lpad(n::text, 6, '0') || 'AB1', 'Cliente ' || n || ' de México, S.A. de C.V.' FROM generate_series(1, 5000) n`,
    [almacenId],
  );
  for (let mes = 0; mes < MESES; mes++) {
    await pool.query(
      `WITH nueva AS (
         INSERT INTO cfdi (emitida, certificada, uuid, almacen_id, contraparte_id, pac_id, primera, recibido, vigente, efecto, monto)
         SELECT m.dia + n * interval '1 second', m.dia + n * interval '1 second', gen_random_uuid(), $1,
           (SELECT min(id) FROM nombrado WHERE almacen_id = $1) + n % 5000, (SELECT min(id) FROM nombrado WHERE almacen_id = $1), 1, false, n % 50 > 0, 'I', n % 100000 + 0.16
         FROM generate_series(1, $3::int) n, (SELECT timestamp '2021-06-01' + make_interval(months => $2::int)) AS m (dia) ORDER BY 1
         RETURNING emitida, uuid, vigente
       )
       INSERT INTO cfdi_cambio (n, emitida, uuid, almacen_id, lectura, vigente, clase)
       SELECT (SELECT cambios FROM almacen WHERE id = $1) + row_number() OVER (), emitida, uuid, $1, 1, vigente, 'N' FROM nueva`,
      [almacenId, mes, Math.ceil(rows / MESES)],
    );
    await pool.query(
      'UPDATE almacen SET cambios = (SELECT max(n) FROM cfdi_cambio WHERE almacen_id = $1) WHERE id = $1',
      [almacenId],
    );
  }
  await pool.query('VACUUM ANALYZE cfdi');
  await pool.query('VACUUM ANALYZE cfdi_cambio, nombrado');
}

/** The same bytes copied into a table of text, and from there into one with the two indexes: nothing compared, nothing told. */
async function floorOf(url: string, paquete: () => Iterable<FilaCfdi>): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const columns =
      'uuid uuid, a text, b text, c text, d text, e text, emitida timestamp(0), f timestamp(0), monto text, g text, h text, i timestamp(0), j text, k text';
    return await least(
      async () => {
        await client.query('BEGIN');
        await client.query(`CREATE TEMPORARY TABLE leida (${columns}) ON COMMIT DROP`);
        await pipeline(
          Readable.from(csvOf(paquete(), 131_072)),
          client.query(copyFrom('COPY leida FROM STDIN (FORMAT csv, HEADER)')),
        );
        await client.query('INSERT INTO piso SELECT emitida, uuid, 1, 1, monto::numeric FROM leida');
        await client.query('COMMIT');
      },
      async () => {
        await client.query('DROP TABLE IF EXISTS piso');
        await client.query(
          'CREATE TABLE piso (emitida timestamp(0), uuid uuid, almacen_id int, contraparte_id int, monto numeric, PRIMARY KEY (almacen_id, emitida, uuid))',
        );
        await client.query('CREATE INDEX ON piso (almacen_id, contraparte_id, emitida)');
      },
    );
  } finally {
    await client.end();
  }
}

/**
 * What it costs to merge a package of so many CFDI into a store, and to read its changes, with as many rows in the store
 * as `most` says (10,000,000 unless it is less), and to ask it for pages and sums, each beside a floor of plain SQL in the
 * same run; and the bytes of a row.
 */
export async function benchAlmacen(postgresUrl: string, most: number, packageRows: number): Promise<void> {
  const paquete = (change?: (n: number) => Partial<FilaCfdi> | null) => paqueteOf(packageRows, change);
  const rows = Math.min(most, 10_000_000);
  const url = await createDatabase(postgresUrl, `bench_${randomBytes(4).toString('hex')}`);
  await migrate(url);
  const db = openRecords({ url, poolSize: 4, timeoutMs: 1_200_000, applicationName: 'bench' });
  try {
    const almacenes = createAlmacenes(db);
    const { contribuyenteId } = await seedTaxpayer(db);
    const almacenId = await openAlmacen(db.pool, contribuyenteId);
    const started = performance.now();
    await db.pool.query(
      `INSERT INTO lectura (almacen_id, n, solicitud_id, tipo, desde, hasta, pedida_en, filas, nuevos, cambiados, ausentes, es_dudosa)
       VALUES ($1, 1, gen_random_uuid(), 'emitidos', '2021-01-01', '2026-12-31', now(), 0, 0, 0, 0, false)`,
      [almacenId],
    );
    await db.pool.query('UPDATE almacen SET lecturas = 1 WHERE id = $1', [almacenId]);
    await fill(db, almacenId, rows);
    console.log(
      `almacen: ${rows.toLocaleString('en-US')} rows in ${MESES} months, filled in ${MS(performance.now() - started)}`,
    );
    const { rows: sizes } = await db.pool.query<{ name: string; bytes: string }>(
      `SELECT CASE WHEN relname LIKE 'cfdi\\_20%' THEN 'cfdi' ELSE relname END AS name, sum(pg_total_relation_size(oid)) AS bytes
       FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND (relname LIKE 'cfdi%' OR relname = 'nombrado') GROUP BY 1 ORDER BY 2 DESC`,
    );
    const total = sizes.reduce((sum, { bytes }) => sum + Number(bytes), 0);
    const each = sizes.map(({ name, bytes }) => `${name} ${Math.round(Number(bytes) / rows)}`).join(', ');
    console.log(`almacen: ${Math.round(total / rows)} bytes a row with its change: ${each}`);

    const { signal } = new AbortController();
    const merge = (filas: Iterable<FilaCfdi>) =>
      almacenes.merge(
        {
          almacenId,
          solicitudId: randomUUID(),
          tipo: 'recibidos',
          ...PERIODO,
          pedidaEn: new Date(),
          isConfirmada: true,
        },
        csvOf(filas, 131_072),
        signal,
      );
    const forget = () => db.pool.query('DELETE FROM cfdi WHERE almacen_id = $1 AND recibido', [almacenId]);
    const made = await least(async () => {
      for await (const _ of csvOf(paquete(), 131_072));
    });
    const floor = (await floorOf(url, paquete)) - made;
    const told = (name: string, ms: number) =>
      console.log(`almacen: ${name}: ${MS(ms - made)}, ${((ms - made) / floor).toFixed(2)} of the floor`);
    console.log(`almacen: floor, ${packageRows.toLocaleString('en-US')} rows copied and inserted: ${MS(floor)}`);
    told('merge, all of them new', await least(() => merge(paquete()), forget));
    told('merge, nothing changed', await least(() => merge(paquete())));
    let turn = 0;
    told(
      'merge, one of a hundred cancelled or not any more',
      await least(() => {
        turn += 1;
        const cancelada = turn % 2 === 1 ? '2025-07-15T10:00:00' : null;
        return merge(paquete((n) => (n % 100 === 0 ? { cancelada } : {})));
      }),
    );
    const page = (despuesDe: bigint) => almacenes.cambios({ almacenId, despuesDe, limite: 1_000 });
    const plain = await least(() =>
      db.pool.query('SELECT * FROM cfdi_cambio WHERE almacen_id = $1 AND n > $2 ORDER BY n LIMIT 1000', [
        almacenId,
        rows / 2,
      ]),
    );
    const first = await least(() => page(0n));
    const middle = await least(() => page(BigInt(Math.floor(rows / 2))));
    console.log(
      `almacen: a page of 1,000 changes: ${MS(first)} at the beginning, ${MS(middle)} in the middle; ${MS(plain)} without their CFDI`,
    );
    await askBeside(db, almacenId);
  } finally {
    await db.close();
  }
}

const MES = { desde: '2024-03-01', hasta: '2024-03-31' };

/** Pages and sums of a store, each beside plain SQL that finds the same rows, and neither names nor places them. */
async function askBeside(db: Database, almacenId: number): Promise<void> {
  const almacenes = createAlmacenes(db);
  const tipos = ['emitidos', 'recibidos'] as const;
  const page = (filtro: Omit<FiltroCfdi, 'tipos'>) => () =>
    almacenes.page({ almacenId, filtro: { tipos, ...filtro }, despuesDe: null, limite: 1_000 });
  const plain = (text: string) => () =>
    db.pool.query(`${text}`, [
      almacenId,
      MES.desde,
      new Date(Date.parse(MES.hasta) + 86_400_000).toISOString().slice(0, 10),
    ]);
  const OF_MONTH = 'FROM cfdi WHERE almacen_id = $1 AND NOT recibido AND emitida >= $2::date AND emitida < $3::date';
  const beside = async (name: string, run: () => Promise<unknown>, floor: () => Promise<unknown>) => {
    const [took, floored] = [await least(run), await least(floor)];
    console.log(`almacen: ${name}: ${MS(took)}; plain SQL ${MS(floored)}`);
  };
  const cancelled = plain(`SELECT * ${OF_MONTH} AND NOT vigente ORDER BY emitida DESC, uuid DESC LIMIT 1000`);
  await beside('a page of 1,000 of a month, cancelled', page({ ...MES, estado: 'CANCELADO' }), cancelled);
  const newest =
    'SELECT * FROM cfdi WHERE almacen_id = $1 AND NOT recibido AND $2::date < $3::date ORDER BY emitida DESC, uuid DESC LIMIT 1000';
  await beside('a page of the newest 1,000', page({}), plain(newest));
  const summary = () => almacenes.resumen({ almacenId, filtro: { tipos: ['emitidos'], ...MES }, contrapartes: 10 });
  const sums = plain(`SELECT contraparte_id, efecto, vigente, count(*), sum(monto) ${OF_MONTH} GROUP BY 1, 2, 3`);
  await beside("a month's summary", summary, sums);
  const one = { contraparte: 'CTE000100AB1' };
  console.log(`almacen: a page of one counterparty: ${MS(await least(page(one)))}`);
  console.log(`almacen: one by its UUID: ${MS(await least(page({ uuid: randomUUID() })))}`);
  console.log(`almacen: a page that nothing matches: ${MS(await least(page({ montoMin: '1000000' })))}`);
}

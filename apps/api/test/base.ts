import { randomUUID } from 'node:crypto';
import { type Database, openDatabase } from '@acuse/db';
import type { QueryResultRow } from 'pg';
import { installClock, setClock } from '../../../test/integration/fixtures/clock.ts';
import { type TestDatabase, testDatabase } from '../../../test/integration/fixtures/database.ts';
import { urlAs } from '../../../test/integration/fixtures/roles.ts';

/** Noon in central Mexico. */
export const NOW = new Date('2026-11-20T18:00:00.000Z');
/** Operation of some tests, which costs a credit. */
export const DE_PRUEBA = 'tax/de-prueba';

const TIMEOUT_MS = 10_000;

/** A database under a clock. `pool`, `sql` and `update` are its owner's, `api` has connections of the user of the API. */
export interface Base extends Pick<TestDatabase, 'sql'> {
  readonly api: Database;
  readonly pool: Database['pool'];
  readonly now: () => Date;
  /** Sets the clock of the database and of every kit of this process. */
  setNow(now: Date): Promise<void>;
  /** Changes columns of the row with this id. */
  update(table: string, id: string, columns: Readonly<Record<string, unknown>>): Promise<void>;
}

let opened: Promise<Base> | undefined;

/** Opens the database of this process. The tests of its files share it, each with accounts of its own. */
export function openBase(): Promise<Base> {
  opened ??= open();
  return opened;
}

async function open(): Promise<Base> {
  const { db, sql, url } = await testDatabase();
  let now = NOW;
  await installClock({ db }, now);
  await sql`INSERT INTO operacion (path, costo) VALUES (${DE_PRUEBA}, 1)`;
  return {
    sql,
    pool: db.pool,
    api: openDatabase({ url: urlAs(url, 'api'), poolSize: 24, timeoutMs: TIMEOUT_MS, applicationName: 'acuse-api' }),
    now: () => new Date(now),
    async setNow(next) {
      if (next.getTime() === now.getTime()) return;
      now = next;
      await setClock({ db }, next.getTime());
    },
    async update(table, id, columns) {
      const names = Object.keys(columns);
      if (names.length === 0) return;
      const values = names.map((name, at) => `${name} = $${at + 2}`);
      await db.pool.query(`UPDATE ${table} SET ${values} WHERE id = $1`, [id, ...Object.values(columns)]);
    },
  };
}

/** Statements of an API, as a test counts them and makes them fail. */
export interface Watch {
  /** Texts of the statements, in order. */
  readonly sent: string[];
  /**
   * Fault of the next statements, or of those that match `only`: an error (`reject`), no answer (`hang`), or no answer
   * to a statement that was carried out (`lost`).
   */
  fault: { readonly kind: 'reject' | 'hang' | 'lost'; readonly only?: RegExp } | null;
  /** Runs before each statement: a change by another process at that moment. */
  before: ((text: string) => unknown) | null;
}

const never = () => new Promise<never>(() => {});
const away = () => Promise.reject(new Error('the database is away'));

/** The same pool or connection, whose statements pass by `watch`. */
export function watched<T extends object>(target: T, watch: Watch): T {
  const send = async (query: (...args: unknown[]) => unknown, [statement, ...values]: unknown[]) => {
    const text = typeof statement === 'string' ? statement : (statement as { readonly text: string }).text;
    watch.sent.push(text);
    const kind = watch.fault?.only?.test(text) === false ? undefined : watch.fault?.kind;
    if (kind === 'reject') return away();
    if (kind === 'hang') return never();
    await watch.before?.(text);
    const answer = await Reflect.apply(query, target, [statement, ...values]);
    return kind === 'lost' ? never() : answer;
  };
  const connect = async (open: () => Promise<object>) => {
    if (watch.fault?.only === undefined && watch.fault?.kind === 'reject') return away();
    if (watch.fault?.only === undefined && watch.fault?.kind === 'hang') return never();
    return watched(await Reflect.apply(open, target, []), watch);
  };
  return new Proxy(target, {
    get(_, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name === 'query') return (...args: unknown[]) => send(member as never, args);
      if (name === 'connect') return () => connect(member as never);
      return member.bind(target);
    },
  });
}

/** Ids of a taxpayer. */
interface Owner {
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly keyId: string;
}

/** Rows of a taxpayer, as its tests compare them. */
export const createFilas = ({ pool, sql }: Pick<Base, 'pool' | 'sql'>) => ({
  /** Rows of a table that belong to it, to its key or to its account, by id. */
  async filas<R extends QueryResultRow>(table: string, { cuentaId, contribuyenteId, keyId }: Owner): Promise<R[]> {
    const owner = `coalesce(${['contribuyente_id', 'api_key_id', 'cuenta_id'].map((name) => `to_jsonb(t) ->> '${name}'`)})`;
    const text = `SELECT * FROM ${table} t WHERE ${owner} = ANY ($1) ORDER BY to_jsonb(t) ->> 'id'`;
    return (await pool.query<R>(text, [[cuentaId, contribuyenteId, keyId]])).rows;
  },
  /** Credits left. */
  async saldo({ cuentaId }: { readonly cuentaId: string }): Promise<number> {
    const [row] = await sql<{ saldo: number }>`SELECT saldo FROM cuenta WHERE id = ${cuentaId}`;
    return row?.saldo ?? Number.NaN;
  },
  /** Kinds of its movements, in order, without the first credits. */
  async movimientos({ cuentaId }: { readonly cuentaId: string }): Promise<string[]> {
    const rows = await sql<{ tipo: string }>`
      SELECT tipo FROM movimiento WHERE cuenta_id = ${cuentaId} AND tipo <> 'compra' ORDER BY id`;
    return rows.map(({ tipo }) => tipo);
  },
  /** Charges whose call has neither an answer nor a refund. */
  abiertas: async ({ cuentaId }: { readonly cuentaId: string }): Promise<number> =>
    (await sql`SELECT FROM llamada WHERE cuenta_id = ${cuentaId}`).length,
});

/** Writes an account with credits, a taxpayer and its active key. */
export async function insertAlta(
  { sql }: Pick<Base, 'sql'>,
  llave: { readonly id: string; readonly modo: string; readonly hash: Buffer; readonly pepperVersion: number },
  { rfc, saldo, isRegistrada }: { readonly rfc: string; readonly saldo: number; readonly isRegistrada: boolean },
): Promise<{ readonly cuentaId: string; readonly contribuyenteId: string }> {
  const [cuentaId, contribuyenteId] = [randomUUID(), randomUUID()];
  await sql`
    WITH c AS (INSERT INTO cuenta (id, nombre, email) VALUES (${cuentaId}, 'Prueba', ${cuentaId}::text)),
    t AS (INSERT INTO contribuyente (id, cuenta_id, rfc) VALUES (${contribuyenteId}, ${cuentaId}, ${rfc}))
    INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4, registrada_en)
    VALUES (${llave.id}, ${contribuyenteId}, ${llave.modo}, ${llave.hash}, ${llave.pepperVersion}, 'abcd',
            CASE WHEN ${isRegistrada} THEN now() END)`;
  if (saldo > 0) await sql`SELECT libro_abona(${cuentaId}, ${randomUUID()}, 'compra', ${saldo}, ${cuentaId}, 'prueba')`;
  return { cuentaId, contribuyenteId };
}

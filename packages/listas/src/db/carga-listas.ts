import { randomUUID } from 'node:crypto';
import { type Autor, SatError } from '@acuse/core';
import { type Connection, type Database, execute, inTransaction, rowOf, rowsOf, SNAPSHOT } from '@acuse/db';
import type pg from 'pg';
import { type ClaveListado, LISTADOS } from '../listados.ts';
import {
  type CargaLista,
  type CargaPendiente,
  type ListaAbierta,
  ListaRechazada,
  type OpenLista,
  type ResultadoCarga,
  type VersionLista,
} from '../listas.ts';
import { CUT, EFOS, LISTADO, pendingOf, statementsOf, type Tablas } from './statements-listas.ts';

interface CargaOptions<F> {
  readonly abrir: OpenLista<F>;
  readonly minFilas: number;
  /** Takes a list however short or old it is: the operator knows why. */
  readonly forzar: boolean;
  /** Notes how it ended, in the transaction that ends it. */
  readonly note: (
    client: Connection,
    resultado: 'CARGADA' | 'SIN_CAMBIO',
    version: { fuente: string; filas: number },
  ) => Promise<unknown>;
}

/** Orders of the loader of a list. */
export interface PeticionCarga<F> extends Pick<CargaOptions<F>, 'abrir' | 'minFilas'> {
  /** Absent: as the wish that stands says. */
  readonly forzar?: boolean;
  /** Who put it in by hand, for the audit log. */
  readonly autor?: Autor;
}

function refuseOlder({ fechaCorte }: ListaAbierta<unknown>, previa: VersionLista | null): void {
  if (previa === null || fechaCorte >= previa.fechaCorte) return;
  throw new ListaRechazada(
    'LISTA_ANTERIOR',
    `su corte es del ${fechaCorte} y el de la vigente, del ${previa.fechaCorte}`,
  );
}

function refuseShort(filas: number, least: number): void {
  if (filas >= least) return;
  throw new ListaRechazada('LISTA_MENGUADA', `tiene ${filas} renglones y se esperaban al menos ${least}`);
}

/**
 * Brings a list up to date while the caller holds the lock of loading. The next loader removes the rows of one that lost
 * the lock, which then fails. Readers see the earlier version until the one transaction that ends this.
 */
function createLoader<F>(
  pool: pg.Pool,
  { clave, tablas, sql }: { clave: ClaveListado; tablas: Tablas<F>; sql: ReturnType<typeof statementsOf<F>> },
) {
  const readVigente = (client: Connection, text = sql.current) => rowOf<VersionLista>(client, text, [clave]);
  const clean = () => execute(pool, sql.clean, [clave]);

  async function requireVigente(): Promise<VersionLista> {
    const version = await readVigente(pool);
    if (version === null) throw new Error('the list has no current version');
    return version;
  }

  async function insertVersion(lista: ListaAbierta<F>): Promise<string> {
    const id = randomUUID();
    const { fechaCorte, fuente, etag, ultimaModificacion } = lista;
    await execute(pool, sql.insertVersion, [clave, id, fechaCorte, fuente, etag, ultimaModificacion]);
    return id;
  }

  async function insertRows(id: string, lista: ListaAbierta<F>, signal: AbortSignal) {
    let filas = 0;
    for await (const batch of lista.batches) {
      signal.throwIfAborted();
      const orden = batch.map((_, index) => filas + index + 1);
      await execute(pool, sql.insertRows, [id, orden, ...tablas.columns.map((column) => batch.map(column))]);
      filas += batch.length;
    }
    return filas;
  }

  /** Swaps the version. Reads the current version again under a lock: this check decides which one is older. */
  async function swap(
    { id, filas, sha256 }: { id: string; filas: number; sha256: string },
    lista: ListaAbierta<F>,
    { forzar, note }: CargaOptions<F>,
  ): Promise<VersionLista> {
    await inTransaction(pool, async (client) => {
      const current = await readVigente(client, sql.currentLocked);
      if (!forzar) refuseOlder(lista, current);
      await execute(client, sql.close, [id, filas, sha256]);
      await execute(client, sql.point, [clave, id, tablas.vigente.de(clave)]);
      await note(client, 'CARGADA', { fuente: lista.fuente, filas });
    });
    await clean();
    return await requireVigente();
  }

  /** The source has nothing newer: the current version counts as looked at now. */
  async function confirm(
    previa: VersionLista,
    { note }: CargaOptions<F>,
    lista?: ListaAbierta<F>,
  ): Promise<ResultadoCarga> {
    await inTransaction(pool, async (client) => {
      const source = [lista?.fuente ?? null, lista?.etag ?? null, lista?.ultimaModificacion ?? null];
      await execute(client, sql.confirm, [previa.id, ...source]);
      await note(client, 'SIN_CAMBIO', { fuente: lista?.fuente ?? previa.fuente, filas: previa.filas });
    });
    return { resultado: 'SIN_CAMBIO', version: await requireVigente() };
  }

  return {
    readVigente,
    async load(options: CargaOptions<F>, signal: AbortSignal): Promise<ResultadoCarga> {
      await clean();
      const previa = await readVigente(pool);
      const lista = await options.abrir(previa, signal);
      if (lista === null) {
        if (previa === null) throw new Error('the source says unchanged, and there is nothing to compare with');
        return await confirm(previa, options);
      }
      try {
        if (!options.forzar) refuseOlder(lista, previa);
        const id = await insertVersion(lista);
        const filas = await insertRows(id, lista, signal);
        const sha256 = lista.sha256();
        if (previa !== null && previa.sha256 === sha256) {
          await execute(pool, sql.dropVersion, [id]);
          return await confirm(previa, options, lista);
        }
        const least = Math.max(options.minFilas, Math.ceil((previa?.filas ?? 0) * LISTADOS[clave].resto));
        if (!options.forzar) refuseShort(filas, least);
        // Before the first read of the new version, so that no plan is made for the one before.
        await execute(pool, sql.analyze);
        return { resultado: 'CARGADA', version: await swap({ id, filas, sha256 }, lista, options) };
      } finally {
        lista.close();
      }
    },
  };
}

/**
 * One at a time in the whole installation, list by list; that of 69-B is a number that processes of the version before
 * take too.
 */
const LOCK = `CASE WHEN $1::text = '69-b' THEN 7211964069 ELSE hashtextextended('listado ' || $1, 0) END`;
/** Attempts that are kept of each. */
const KEPT = 50;
/** Seconds before a failed attempt is repeated the first time, and at most. */
const FIRST_RETRY = 60;
const LAST_RETRY = 3_600;
const PENDING = `${pendingOf('efos')} UNION ALL ${pendingOf('listado')}`;

/** Those of some lists that should be fetched now, and why. */
export async function readPendientes(
  pool: Connection,
  { claves, maxHoras }: { readonly claves: readonly ClaveListado[]; readonly maxHoras: number },
): Promise<{ clave: ClaveListado; motivo: CargaPendiente }[]> {
  return rowsOf(pool, PENDING, [claves, maxHoras, FIRST_RETRY, LAST_RETRY]);
}

/** The workers' and the operator's side of one list. */
function createCarga<F>({ pool }: Pick<Database, 'pool'>, clave: ClaveListado, tablas: Tablas<F>) {
  const sql = statementsOf(tablas);
  const loader = createLoader(pool, { clave, tablas, sql });

  /** One attempt, noted from its beginning to its end. */
  async function attempt({ autor, ...options }: PeticionCarga<F>, signal: AbortSignal): Promise<ResultadoCarga> {
    const wish = await rowOf<{ forzar: boolean; en: string }>(pool, sql.wish, [clave]);
    const en = wish?.en ?? null;
    const carga = (await rowOf<{ id: string }>(pool, sql.begin, [clave, KEPT - 1]))?.id ?? '';
    const note: CargaOptions<F>['note'] = async (client, resultado, { fuente, filas }) => {
      await execute(client, sql.end, [clave, carga, resultado, null, en]);
      if (autor) await execute(client, sql.imported, [autor.actor, autor.ip, clave, fuente, filas]);
    };
    try {
      const forzar = options.forzar ?? wish?.forzar ?? false;
      return await loader.load({ ...options, forzar, note }, signal);
    } catch (error) {
      // The list that came is an answer to the wish; a source that failed, or a process that is going, is none.
      const answered = error instanceof ListaRechazada ? en : null;
      const motivo = signal.aborted ? CUT : motivoOf(error);
      // The database may be what failed; the attempt then counts as one that never ended.
      await execute(pool, sql.end, [clave, carga, 'FALLIDA', motivo, answered]).catch(() => {});
      throw error;
    }
  }

  return {
    /**
     * Fetches the list by `abrir` and puts it in the place of the current one: all of it or nothing. One at a time in
     * the whole installation. Rejects with {@link ListaRechazada} when it is older than the current one or has fewer
     * rows than `minFilas` or than the part of the current one that has to remain (the operator may allow both, by
     * `forzar` or by `askFor`), and with what `abrir` and the rows reject with. Every failure is noted.
     */
    loadList: (options: PeticionCarga<F>, signal: AbortSignal): Promise<ResultadoCarga> =>
      inTransaction(pool, async (holder) => {
        const row = await rowOf<{ ok: boolean }>(holder, `SELECT pg_try_advisory_xact_lock(${LOCK}) AS ok`, [clave]);
        if (row?.ok !== true) return { resultado: 'OTRA_EN_CURSO' };
        // A source may say nothing for minutes.
        await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        return await attempt(options, signal);
      }),

    /**
     * Whether the list should be fetched now; failed attempts are repeated after a minute, then two, four… up to an
     * hour.
     */
    async pendiente({ maxHoras }: { readonly maxHoras: number }): Promise<CargaPendiente | null> {
      const [pendiente] = await readPendientes(pool, { claves: [clave], maxHoras });
      return pendiente?.motivo ?? null;
    },

    /**
     * Asks the workers to fetch the list now. `forzar` lets it be shorter, or older, than it should. The wish stands
     * until a list came, taken or refused: while the source fails it is tried again as every failed attempt is.
     */
    async askFor({ forzar, actor, ip }: { readonly forzar: boolean } & Autor): Promise<void> {
      await execute(pool, sql.ask, [actor, ip, clave, forzar]);
    },

    /** The version that answers are given from, the last attempts, the newest first, and the wish that stands. */
    estado: () =>
      inTransaction(
        pool,
        async (client) => {
          const cargas = await rowsOf<CargaLista>(client, sql.attempts, [clave]);
          const pedido = await rowOf<{ en: Date }>(client, sql.wished, [clave]);
          return { vigente: await loader.readVigente(client), cargas, pedidaEn: pedido?.en ?? null };
        },
        SNAPSHOT,
      ),
  };
}

/** The list of article 69-B. */
export const createCargaListas = (database: Pick<Database, 'pool'>) => createCarga(database, '69-b', EFOS);

/** Any other list that the SAT publishes. */
export const createCargaListado = (database: Pick<Database, 'pool'>, clave: Exclude<ClaveListado, '69-b'>) =>
  createCarga(database, clave, LISTADO);

/** Codes and counts of what went wrong; the text of a foreign error may hold anything. */
function motivoOf(error: unknown): string {
  if (error instanceof SatError || error instanceof ListaRechazada) return error.message;
  return error instanceof Error ? error.name : 'Error';
}

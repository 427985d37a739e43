import { randomUUID } from 'node:crypto';
import {
  type Autor,
  type CargaEfos,
  type CargaPendiente,
  type FilaEfos,
  type ListaEfosAbierta,
  ListaRechazada,
  type OpenListaEfos,
  type ResultadoCarga,
  SatError,
  type VersionEfos,
} from '@acuse/core';
import type pg from 'pg';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { execute, rowOf, rowsOf } from '../statements.ts';
import { inTransaction, SNAPSHOT, transactionOn } from '../transaction.ts';

const CURRENT = `
SELECT v.id, v.fecha_corte::text AS "fechaCorte", v.fuente, v.etag, v.ultima_modificacion AS "ultimaModificacion", v.filas, v.sha256,
       v.cargada_en AS "cargadaEn", v.revisada_en AS "revisadaEn"
FROM efos_vigente g JOIN efos_version v ON v.id = g.version_id WHERE g.unica`;

/**
 * The version that answers are given from, or null. With `isLocked` it stays the current one until the transaction
 * ends.
 */
function readVigente(client: pg.ClientBase, { isLocked = false } = {}): Promise<VersionEfos | null> {
  return rowOf<VersionEfos>(client, isLocked ? `${CURRENT} FOR UPDATE OF g` : CURRENT);
}

/** Removes what is not the current version. */
const CLEAN = 'DELETE FROM efos_version v WHERE NOT EXISTS (SELECT FROM efos_vigente g WHERE g.version_id = v.id)';

/** Part of the current version's rows that a new one has to have: the list hardly ever loses any. */
const REMAINING_PART = 0.9;

const INSERT_ROWS = `
INSERT INTO efos_fila (version_id, orden, rfc, nombre, situacion, historial)
SELECT $1, f.orden, f.rfc, f.nombre, f.situacion, f.historial
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) AS f (orden, rfc, nombre, situacion, historial)`;

interface CargaOptions {
  readonly abrir: OpenListaEfos;
  readonly minFilas: number;
  /** Takes a list however short or old it is: the operator knows why. */
  readonly forzar: boolean;
  /** Notes how it ended, in the transaction that ends it. */
  readonly note: (resultado: 'CARGADA' | 'SIN_CAMBIO') => Promise<unknown>;
}

/**
 * Brings the list up to date over one connection, which holds the lock of loading: when it drops, whatever it would
 * still do fails, and the next loader removes what it left. Readers see the earlier version until the one transaction
 * that ends this.
 */
async function loadVersion(client: pg.ClientBase, options: CargaOptions, signal: AbortSignal): Promise<ResultadoCarga> {
  await execute(client, CLEAN);
  const previa = await readVigente(client);
  const lista = await options.abrir(previa, signal);
  if (lista === null) {
    if (previa === null) throw new Error('the source says unchanged, and there is nothing to compare with');
    return await confirm(client, previa, options);
  }
  try {
    if (!options.forzar) refuseOlder(lista, previa);
    const id = await insertVersion(client, lista);
    const filas = await insertRows(client, id, lista, signal);
    const sha256 = lista.sha256();
    if (previa !== null && previa.sha256 === sha256) {
      await execute(client, 'DELETE FROM efos_version WHERE id = $1', [id]);
      return await confirm(client, previa, options, lista);
    }
    if (!options.forzar) refuseShort(filas, options.minFilas, previa);
    // Before anybody reads the new version, so that nobody's plan is made for the one before.
    await execute(client, "SELECT lista_analiza('efos_fila')");
    return { resultado: 'CARGADA', version: await swap(client, { id, filas, sha256 }, lista, options) };
  } finally {
    lista.close();
  }
}

function refuseOlder({ fechaCorte }: ListaEfosAbierta, previa: VersionEfos | null): void {
  if (previa === null || fechaCorte >= previa.fechaCorte) return;
  throw new ListaRechazada(
    'LISTA_ANTERIOR',
    `su corte es del ${fechaCorte} y el de la vigente, del ${previa.fechaCorte}`,
  );
}

function refuseShort(filas: number, minFilas: number, previa: VersionEfos | null): void {
  const least = Math.max(minFilas, Math.ceil((previa?.filas ?? 0) * REMAINING_PART));
  if (filas >= least) return;
  throw new ListaRechazada('LISTA_MENGUADA', `tiene ${filas} renglones y se esperaban al menos ${least}`);
}

async function insertVersion(client: pg.ClientBase, lista: ListaEfosAbierta): Promise<string> {
  const id = randomUUID();
  await execute(
    client,
    'INSERT INTO efos_version (id, fecha_corte, fuente, etag, ultima_modificacion) VALUES ($1, $2, $3, $4, $5)',
    [id, lista.fechaCorte, lista.fuente, lista.etag, lista.ultimaModificacion],
  );
  return id;
}

async function insertRows(
  client: pg.ClientBase,
  id: string,
  lista: ListaEfosAbierta,
  signal: AbortSignal,
): Promise<number> {
  let filas = 0;
  for await (const batch of lista.batches) {
    signal.throwIfAborted();
    const column = <T>(of: (fila: FilaEfos, index: number) => T) => batch.map(of);
    await execute(client, INSERT_ROWS, [
      id,
      column((_, index) => filas + index + 1),
      column((fila) => fila.rfc),
      column((fila) => fila.nombre),
      column((fila) => fila.situacion),
      column((fila) => JSON.stringify(fila.historial)),
    ]);
    filas += batch.length;
  }
  return filas;
}

/** The swap itself. The current version is read again under a lock: the last word on what is older is said here. */
async function swap(
  client: pg.ClientBase,
  { id, filas, sha256 }: { id: string; filas: number; sha256: string },
  lista: ListaEfosAbierta,
  { forzar, note }: CargaOptions,
): Promise<VersionEfos> {
  await transactionOn(client, async () => {
    const current = await readVigente(client, { isLocked: true });
    if (!forzar) refuseOlder(lista, current);
    await execute(
      client,
      'UPDATE efos_version SET filas = $2, sha256 = $3, cargada_en = now(), revisada_en = now() WHERE id = $1',
      [id, filas, sha256],
    );
    await execute(
      client,
      `INSERT INTO efos_vigente (unica, version_id) VALUES (true, $1)
       ON CONFLICT (unica) DO UPDATE SET version_id = excluded.version_id`,
      [id],
    );
    await note('CARGADA');
  });
  await execute(client, CLEAN);
  return await requireVigente(client);
}

/** The source has nothing newer: the current version counts as looked at now. */
async function confirm(
  client: pg.ClientBase,
  previa: VersionEfos,
  { note }: CargaOptions,
  lista?: ListaEfosAbierta,
): Promise<ResultadoCarga> {
  await transactionOn(client, async () => {
    await execute(
      client,
      `UPDATE efos_version SET revisada_en = now(), fuente = coalesce($2, fuente),
         etag = CASE WHEN $2::text IS NULL THEN etag ELSE $3 END,
         ultima_modificacion = CASE WHEN $2::text IS NULL THEN ultima_modificacion ELSE $4 END
       WHERE id = $1`,
      [previa.id, lista?.fuente ?? null, lista?.etag ?? null, lista?.ultimaModificacion ?? null],
    );
    await note('SIN_CAMBIO');
  });
  return { resultado: 'SIN_CAMBIO', version: await requireVigente(client) };
}

async function requireVigente(client: pg.ClientBase): Promise<VersionEfos> {
  const version = await readVigente(client);
  if (version === null) throw new Error('the list has no current version');
  return version;
}

/** Any number: what matters is that every loader takes the same one. */
const LOCK = 7_211_964_069;
/** Attempts that are kept. */
const KEPT = 50;
/** Seconds before a failed attempt is repeated the first time, and at most. */
const FIRST_RETRY = 60;
const LAST_RETRY = 3_600;
/** Why an attempt failed whose process was going: it says nothing of the source. */
const CUT = 'INTERRUMPIDA';

const PENDING = `
WITH ultima AS (SELECT resultado, motivo, iniciada_en, coalesce(terminada_en, iniciada_en) AS en FROM efos_carga ORDER BY id DESC LIMIT 1),
fallos AS (
  SELECT count(*)::int AS n FROM efos_carga
  WHERE id > coalesce((SELECT max(id) FROM efos_carga WHERE resultado IN ('CARGADA', 'SIN_CAMBIO')), 0)
), vigente AS (SELECT v.revisada_en FROM efos_vigente g JOIN efos_version v ON v.id = g.version_id WHERE g.unica)
SELECT CASE
  WHEN EXISTS (SELECT FROM efos_pedido p WHERE NOT EXISTS (
    SELECT FROM ultima WHERE resultado = 'FALLIDA' AND motivo <> '${CUT}' AND iniciada_en >= date_trunc('milliseconds', p.pedido_en))) THEN 'PEDIDA'
  WHEN EXISTS (SELECT FROM ultima WHERE resultado IN ('FALLIDA', 'EN_CURSO')) THEN
    (SELECT 'REINTENTO' FROM ultima, fallos
     WHERE ultima.en < now() - make_interval(secs => least($2 * power(2, least(fallos.n, 20) - 1), $3)))
  WHEN NOT EXISTS (SELECT FROM vigente) THEN 'SIN_LISTA'
  WHEN EXISTS (SELECT FROM vigente WHERE revisada_en < now() - make_interval(hours => $1)) THEN 'VENCIDA'
END AS pendiente`;

/** Ends an attempt, and with it the wish of this moment: one that came while it ran stays. */
const END = `
WITH fin AS (UPDATE efos_carga SET resultado = $2, motivo = $3, terminada_en = clock_timestamp() WHERE id = $1)
DELETE FROM efos_pedido WHERE pedido_en = $4::timestamptz`;

const ASK = `
WITH pedido AS (
  INSERT INTO efos_pedido (pedido_en, forzar) VALUES (clock_timestamp(), $3)
  ON CONFLICT (unica) DO UPDATE SET pedido_en = excluded.pedido_en, forzar = excluded.forzar RETURNING forzar
)
${nota({
  accion: 'pedir-lista-69b',
  de: 'pedido',
  cuenta: 'NULL::uuid',
  detalle: `jsonb_build_object('forzar', forzar)`,
  actor: '$1',
  ip: '$2',
})}`;

/** The workers' and the operator's side of the list of article 69-B. */
export function createCargaListas({ pool }: Pick<Database, 'pool'>) {
  async function begin(): Promise<string> {
    const row = await rowOf<{ id: string }>(
      pool,
      `WITH viejas AS (DELETE FROM efos_carga WHERE id <= (SELECT max(id) - $1 FROM efos_carga))
       INSERT INTO efos_carga DEFAULT VALUES RETURNING id`,
      [KEPT],
    );
    return row?.id ?? '';
  }

  /** One attempt, noted from its beginning to its end. */
  async function attempt(
    client: pg.PoolClient,
    options: Pick<CargaOptions, 'abrir' | 'minFilas'>,
    signal: AbortSignal,
  ): Promise<ResultadoCarga> {
    const row = await rowOf<{ forzar: boolean; en: string }>(
      client,
      'SELECT forzar, pedido_en::text AS en FROM efos_pedido',
    );
    const { forzar = false, en = null } = row ?? {};
    const carga = await begin();
    const note = (resultado: 'CARGADA' | 'SIN_CAMBIO') => execute(client, END, [carga, resultado, null, en]);
    try {
      return await loadVersion(client, { ...options, forzar, note }, signal);
    } catch (error) {
      // The list that came is an answer to the wish; a source that failed, or a process that is going, is none.
      const answered = error instanceof ListaRechazada ? en : null;
      // The database may be what failed; the attempt then counts as one that never ended.
      await execute(pool, END, [carga, 'FALLIDA', signal.aborted ? CUT : motivoOf(error), answered]).catch(() => {});
      throw error;
    }
  }

  return {
    /**
     * Fetches the list by `abrir` and puts it in the place of the current one: all of it or nothing. One at a time in
     * the whole installation. Rejects with {@link ListaRechazada} when it is older than the current one or has fewer
     * rows than `minFilas` or than nine tenths of the current one (the operator may allow both, see `askFor`), and with
     * what `abrir` and the rows reject with. Every failure is noted.
     */
    async loadList(
      { abrir, minFilas }: Pick<CargaOptions, 'abrir' | 'minFilas'>,
      signal: AbortSignal,
    ): Promise<ResultadoCarga> {
      const client = await pool.connect();
      let isLocked = false;
      try {
        const row = await rowOf<{ ok: boolean }>(client, 'SELECT pg_try_advisory_lock($1) AS ok', [LOCK]);
        isLocked = row?.ok === true;
        if (!isLocked) return { resultado: 'OTRA_EN_CURSO' };
        return await attempt(client, { abrir, minFilas }, signal);
      } finally {
        // A connection that cannot give the lock back ends, and the lock with it.
        client.release(isLocked && !(await unlock(client)));
      }
    },

    /**
     * Whether the list should be fetched now; failed attempts are repeated after a minute, then two, four… up to an
     * hour.
     */
    async pendiente({ maxHoras }: { readonly maxHoras: number }): Promise<CargaPendiente | null> {
      const values = [maxHoras, FIRST_RETRY, LAST_RETRY];
      return (await rowOf<{ pendiente: CargaPendiente | null }>(pool, PENDING, values))?.pendiente ?? null;
    },

    /**
     * Asks the workers to fetch the list now. `forzar` lets it be shorter, or older, than it should. The wish stands
     * until a list came, taken or refused: while the source fails it is tried again as every failed attempt is.
     */
    async askFor({ forzar, actor, ip }: { readonly forzar: boolean } & Autor): Promise<void> {
      await execute(pool, ASK, [actor, ip, forzar]);
    },

    /** The version that answers are given from, the last attempts, the newest first, and the wish that stands. */
    estado: () =>
      inTransaction(
        pool,
        async (client) => {
          const cargas = await rowsOf<CargaEfos>(
            client,
            'SELECT iniciada_en AS "iniciadaEn", terminada_en AS "terminadaEn", resultado, motivo FROM efos_carga ORDER BY id DESC LIMIT 10',
          );
          const pedido = await rowOf<{ en: Date }>(client, 'SELECT pedido_en AS en FROM efos_pedido');
          return { vigente: await readVigente(client), cargas, pedidaEn: pedido?.en ?? null };
        },
        SNAPSHOT,
      ),
  };
}

async function unlock(client: pg.PoolClient): Promise<boolean> {
  try {
    return (await rowOf<{ ok: boolean }>(client, 'SELECT pg_advisory_unlock($1) AS ok', [LOCK]))?.ok === true;
  } catch {
    return false;
  }
}

/** Codes and counts of what went wrong; the text of a foreign error may hold anything. */
function motivoOf(error: unknown): string {
  if (error instanceof SatError || error instanceof ListaRechazada) return error.message;
  return error instanceof Error ? error.name : 'Error';
}

import {
  type CargaEfos,
  type CargaListas,
  type CargaPendiente,
  ListaRechazada,
  type ResultadoCarga,
  SatError,
} from '@acuse/core';
import type pg from 'pg';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { execute, rowOf, rowsOf } from '../statements.ts';
import { inTransaction, SNAPSHOT } from '../transaction.ts';
import { type CargaOptions, cargarVersion } from './cargar.ts';
import { readVigente } from './version.ts';

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

/** The loading of the list of article 69-B over PostgreSQL. */
export function createCargaListas({ pool }: Pick<Database, 'pool'>): CargaListas {
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
      return await cargarVersion(client, { ...options, forzar, note }, signal);
    } catch (error) {
      // The list that came is an answer to the wish; a source that failed, or a process that is going, is none.
      const answered = error instanceof ListaRechazada ? en : null;
      // The database may be what failed; the attempt then counts as one that never ended.
      await execute(pool, END, [carga, 'FALLIDA', signal.aborted ? CUT : motivoOf(error), answered]).catch(() => {});
      throw error;
    }
  }

  return {
    async cargar({ abrir, minFilas }, signal) {
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

    async pendiente({ maxHoras }) {
      const values = [maxHoras, FIRST_RETRY, LAST_RETRY];
      return (await rowOf<{ pendiente: CargaPendiente | null }>(pool, PENDING, values))?.pendiente ?? null;
    },

    async pedir({ forzar, actor, ip }) {
      await execute(pool, ASK, [actor, ip, forzar]);
    },

    estado: () =>
      inTransaction(
        pool,
        async (client) => {
          const cargas = await rowsOf<CargaEfos>(
            client,
            'SELECT iniciada_en AS "iniciadaEn", terminada_en AS "terminadaEn", resultado, motivo FROM efos_carga ORDER BY id DESC LIMIT 10',
          );
          const pedido = await rowOf<{ en: Date }>(client, 'SELECT pedido_en AS en FROM efos_pedido');
          return {
            vigente: await readVigente(client),
            cargas,
            pedidaEn: pedido?.en ?? null,
          };
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

import { type CanalMedido, CUBETAS, cubetaDe, type ResultadoMedido, type SatMetrics } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute, rowsOf } from '../statements.ts';
import { type FlushOptions, startFlush } from './flush.ts';

const MINUTO_MS = 60_000;
/** Rows kept in memory while the database is away: hours of traffic to all hosts. The oldest give way. */
const MAX_RENGLONES = 5_000;
/** Milliseconds between two deletions of old rows by this process, the first of them an hour after its start. */
const PRUNE_MS = 3_600_000;

const SAVE = `
INSERT INTO salud_sat AS s (minuto, host, canal, exitos, rechazos, fallos, canceladas, evitadas, cubetas)
SELECT to_timestamp(r.minuto / 1000), r.host, r.canal, r.exito, r.rechazo, r.fallo, r.cancelada, r.evitada, r.cubetas
FROM jsonb_to_recordset($1::jsonb) AS r (minuto bigint, host text, canal text, exito int, rechazo int, fallo int, cancelada int, evitada int,
  cubetas int[])
ORDER BY r.minuto, r.host, r.canal
ON CONFLICT (minuto, host, canal) DO UPDATE SET exitos = s.exitos + excluded.exitos, rechazos = s.rechazos + excluded.rechazos,
  fallos = s.fallos + excluded.fallos, canceladas = s.canceladas + excluded.canceladas, evitadas = s.evitadas + excluded.evitadas,
  cubetas = (SELECT array_agg(a + b ORDER BY i) FROM unnest(s.cubetas, excluded.cubetas) WITH ORDINALITY AS u (a, b, i))`;

interface Renglon extends Record<Exclude<ResultadoMedido, 'desmentida'>, number> {
  readonly minuto: number;
  readonly host: string;
  readonly canal: CanalMedido;
  readonly cubetas: number[];
}

export interface SatMetricsOptions extends FlushOptions {
  /** Hours that are kept. Prometheus has the longer history. Default: 25. */
  readonly horas?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Sums the requests to the SAT in memory and writes them to PostgreSQL in one statement. While the database is away
 * the sums wait, bounded.
 */
export function createSatMetrics({ pool }: Pick<Database, 'pool'>, options: SatMetricsOptions = {}) {
  const { horas = 25, now = Date.now, onError = () => {} } = options;
  let pending = new Map<string, Renglon>();
  let prunedAt = now();

  function renglonDe(minuto: number, host: string, canal: CanalMedido): Renglon {
    const key = `${minuto} ${canal} ${host}`;
    const known = pending.get(key);
    if (known) return known;
    const nuevo: Renglon = {
      minuto,
      host,
      canal,
      exito: 0,
      rechazo: 0,
      fallo: 0,
      cancelada: 0,
      evitada: 0,
      cubetas: new Array<number>(CUBETAS).fill(0),
    };
    const [oldest] = pending.keys();
    if (pending.size >= MAX_RENGLONES && oldest !== undefined) pending.delete(oldest);
    pending.set(key, nuevo);
    return nuevo;
  }

  function keep(batch: ReadonlyMap<string, Renglon>): void {
    const newer = pending;
    pending = new Map(batch);
    for (const r of newer.values()) {
      const mine = renglonDe(r.minuto, r.host, r.canal);
      for (const campo of ['exito', 'rechazo', 'fallo', 'cancelada', 'evitada'] as const) mine[campo] += r[campo];
      for (const [i, n] of r.cubetas.entries()) mine.cubetas[i] = (mine.cubetas[i] ?? 0) + n;
    }
  }

  async function prune(): Promise<void> {
    if (now() - prunedAt < PRUNE_MS) return;
    prunedAt = now();
    await execute(pool, `DELETE FROM salud_sat WHERE minuto < now() - make_interval(hours => $1)`, [horas]);
  }

  async function write(): Promise<void> {
    if (pending.size === 0) return;
    const batch = pending;
    pending = new Map();
    try {
      await execute(pool, SAVE, [JSON.stringify([...batch.values()])]);
    } catch (error) {
      keep(batch);
      onError(error);
      return;
    }
    // A failure here leaves the written sums as they are.
    await prune().catch(onError);
  }

  return {
    record({ host, canal, ms, resultado }: Parameters<SatMetrics['record']>[0]): void {
      const renglon = renglonDe(Math.floor(now() / MINUTO_MS) * MINUTO_MS, host, canal);
      if (resultado === 'desmentida') {
        renglon.exito -= 1;
        renglon.fallo += 1;
        return;
      }
      renglon[resultado] += 1;
      if (resultado === 'evitada' || resultado === 'cancelada') return;
      const cubeta = cubetaDe(ms);
      renglon.cubetas[cubeta] = (renglon.cubetas[cubeta] ?? 0) + 1;
    },
    ...startFlush(write, options),
  };
}

/** Circuit breakers of the servers of the authority. */
export function createSaludSat({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Hosts that get no requests at this moment. */
    async abiertos(): Promise<string[]> {
      const rows = await rowsOf<{ host: string }>(
        pool,
        'SELECT host FROM estado_host WHERE abierto_hasta > extract(epoch FROM now()) * 1000 ORDER BY host',
      );
      return rows.map(({ host }) => host);
    },
  };
}

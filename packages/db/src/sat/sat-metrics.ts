import type { CanalMedido, ResultadoMedido, SatMetrics } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute } from '../statements.ts';
import { CUBETAS, cubetaDe } from './cubetas.ts';

const MINUTO_MS = 60_000;
/** Rows kept in memory while the database is away: hours of traffic to all hosts. The oldest give way. */
const MAX_RENGLONES = 5_000;
/** Minutes between two times that this process drops what is old. */
const PODA_MS = 3_600_000;

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

export interface SatMetricsOptions {
  /** Milliseconds between two writes. Default: 10,000. */
  readonly everyMs?: number;
  /** Days that are kept. Default: 7. */
  readonly dias?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Told of each write that failed; what it held is written with the next. */
  readonly onError?: (error: unknown) => void;
}

export interface StoredSatMetrics extends SatMetrics {
  /** Writes what was seen since the last time. */
  flush(): Promise<void>;
  /** Writes for the last time. */
  close(): Promise<void>;
}

/**
 * Adds up the requests to the authority in memory and writes them to PostgreSQL every `everyMs`, one statement whatever
 * the traffic. A database that is away costs nobody anything: the sums wait, bounded.
 */
export function createSatMetrics(
  { pool }: Pick<Database, 'pool'>,
  { everyMs = 10_000, dias = 7, now = Date.now, onError = () => {} }: SatMetricsOptions = {},
): StoredSatMetrics {
  let pending = new Map<string, Renglon>();
  let podadoEn = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();

  function renglonDe(minuto: number, host: string, canal: CanalMedido): Renglon {
    const key = `${minuto} ${canal} ${host}`;
    const known = pending.get(key);
    if (known) return known;
    const nuevo: Renglon = {
      ...{ minuto, host, canal, exito: 0, rechazo: 0, fallo: 0, cancelada: 0, evitada: 0 },
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
    if (now() - podadoEn < PODA_MS) return;
    podadoEn = now();
    await execute(pool, `DELETE FROM salud_sat WHERE minuto < now() - make_interval(days => $1)`, [dias]);
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
    // What was written is written, whatever becomes of this.
    await prune().catch(onError);
  }

  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

  return {
    record({ host, canal, ms, resultado }) {
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
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

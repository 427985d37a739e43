import { type CanalMedido, CUBETAS, cubetaDe, percentil, type ResultadoMedido, type SatMetrics } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute, rowsOf } from '../statements.ts';

const MINUTO_MS = 60_000;
/** Rows kept in memory while the database is away: hours of traffic to all hosts. The oldest give way. */
const MAX_RENGLONES = 5_000;
/** Minutes between two deletions of old rows by this process. */
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
  /** Hours that are kept: what the panel shows, a day, and one more. Longer lines are Prometheus'. Default: 25. */
  readonly horas?: number;
  /** Milliseconds that the last write may take. Default: 2,000. */
  readonly lastMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Told of each write that failed; what it held is written with the next. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Sums the requests to the SAT in memory and writes them to PostgreSQL every `everyMs`, in one statement. While the
 * database is away the sums wait, bounded.
 */
export function createSatMetrics(
  { pool }: Pick<Database, 'pool'>,
  { everyMs = 10_000, horas = 25, lastMs = 2_000, now = Date.now, onError = () => {} }: SatMetricsOptions = {},
) {
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

  const flush = () => {
    writing = writing.then(write);
    return writing;
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();

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
    /** Writes the sums since the last write. */
    flush,
    /** Writes for the last time. What the database does not take within `lastMs` is given up: a process that ends has no next time. */
    async close() {
      clearInterval(timer);
      let giveUp: NodeJS.Timeout | undefined;
      const tooLate = new Promise<void>((resolve) => {
        giveUp = setTimeout(() => {
          onError(new Error(`the last sums were not written within ${lastMs} ms`));
          resolve();
        }, lastMs);
      });
      await Promise.race([flush(), tooLate]);
      clearTimeout(giveUp);
    },
  };
}

/** Requests to the authority in a stretch of time. */
export interface MedidasSat {
  /** Requests that were sent: answered, refused, failed or given up. */
  readonly peticiones: number;
  readonly exitos: number;
  readonly rechazos: number;
  readonly fallos: number;
  readonly canceladas: number;
  /** Requests that an open breaker held back. */
  readonly evitadas: number;
  /** Share of failures among answered and failed requests, 0 to 1; null without any. */
  readonly fallosParte: number | null;
  /** Milliseconds; null where nothing was answered. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export type EstadoCortacircuito = 'CERRADO' | 'ABIERTO' | 'A_PRUEBA';

/** One host of the authority. */
export interface SaludHost extends MedidasSat {
  readonly host: string;
  readonly canal: CanalMedido;
  readonly estado: EstadoCortacircuito;
  /** Failures in a row. */
  readonly seguidos: number;
  /** Until when the host is left alone, while its breaker is open. */
  readonly abiertoHasta: Date | null;
}

/** One point of the lines: the measures of each channel in `[desde, desde + paso)`. */
export interface PuntoSalud {
  readonly desde: Date;
  readonly canales: ReadonlyMap<CanalMedido, MedidasSat>;
}

export interface SaludSat {
  readonly hosts: readonly SaludHost[];
  readonly puntos: readonly PuntoSalud[];
  /** Minutes between two points. */
  readonly pasoMinutos: number;
}

interface Fila
  extends Pick<SaludHost, 'host' | 'canal' | 'exitos' | 'rechazos' | 'fallos' | 'canceladas' | 'evitadas'> {
  readonly desde: Date;
  readonly cubetas: readonly number[];
}

/** Each element of the counts by itself: to take every array apart would take ten times as long. */
const SUMS = Array.from({ length: CUBETAS }, (_, i) => `sum(cubetas[${i + 1}])::int`).join(', ');

const READ = `
SELECT date_bin($2 * interval '1 minute', minuto, 'epoch') AS desde, host, canal, sum(exitos)::int AS exitos, sum(rechazos)::int AS rechazos,
       sum(fallos)::int AS fallos, sum(canceladas)::int AS canceladas, sum(evitadas)::int AS evitadas, ARRAY[${SUMS}] AS cubetas
FROM salud_sat WHERE minuto >= $1 GROUP BY 1, 2, 3 ORDER BY 1`;

const BREAKERS = `
SELECT host, fallos, abierto_hasta::float8 AS "abiertoHasta", extract(epoch FROM now())::float8 * 1000 AS ahora FROM estado_host`;

/** Health of the authority as the last hour's or day's real traffic shows it. */
export function createSaludSat({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Hosts with traffic or failures, and a line of points up to `now`: minutes of an hour, or half hours of a day. */
    async read({ now, periodo }: { now: Date; periodo: 'hora' | 'dia' }): Promise<SaludSat> {
      const pasoMinutos = periodo === 'hora' ? 1 : 30;
      const paso = pasoMinutos * 60_000;
      const cuantos = periodo === 'hora' ? 60 : 48;
      const ultimo = Math.floor(now.getTime() / paso) * paso;
      const primero = ultimo - (cuantos - 1) * paso;
      const [filas, breakers] = await Promise.all([
        rowsOf<Fila>(pool, READ, [new Date(primero), pasoMinutos]),
        rowsOf<{ host: string; fallos: number; abiertoHasta: number; ahora: number }>(pool, BREAKERS),
      ]);
      const puntos = Array.from({ length: cuantos }, (_, n) => {
        const desde = new Date(primero + n * paso);
        const suyas = filas.filter((fila) => fila.desde.getTime() === desde.getTime());
        return { desde, canales: measure(suyas, ({ canal }) => canal) };
      });
      const byHost = measure(filas, ({ host, canal }) => `${canal} ${host}`);
      const known = new Map(filas.map(({ host, canal }) => [`${canal} ${host}`, { host, canal }]));
      const hosts = [...known].map(([key, { host, canal }]): SaludHost => {
        const breaker = breakers.find((row) => row.host === host);
        return { host, canal, ...(byHost.get(key) ?? EMPTY), ...stateOf(breaker) };
      });
      hosts.sort((a, b) => a.canal.localeCompare(b.canal) || a.host.localeCompare(b.host));
      return { hosts, puntos, pasoMinutos };
    },

    /** Hosts that are left alone at this moment. */
    async abiertos(): Promise<string[]> {
      const rows = await rowsOf<{ host: string }>(
        pool,
        'SELECT host FROM estado_host WHERE abierto_hasta > extract(epoch FROM now()) * 1000 ORDER BY host',
      );
      return rows.map(({ host }) => host);
    },
  };
}

/** A breaker's row has `abierto_hasta` only while it is open, or waits for the request that will try the host. */
function stateOf(
  row: { fallos: number; abiertoHasta: number; ahora: number } | undefined,
): Pick<SaludHost, 'estado' | 'seguidos' | 'abiertoHasta'> {
  if (row === undefined || row.abiertoHasta === 0)
    return { estado: 'CERRADO', seguidos: row?.fallos ?? 0, abiertoHasta: null };
  const isOpen = row.abiertoHasta > row.ahora;
  return {
    estado: isOpen ? 'ABIERTO' : 'A_PRUEBA',
    seguidos: row.fallos,
    abiertoHasta: isOpen ? new Date(row.abiertoHasta) : null,
  };
}

function measure<K>(filas: readonly Fila[], keyOf: (fila: Fila) => K): Map<K, MedidasSat> {
  const groups = new Map<K, Fila[]>();
  for (const fila of filas) groups.set(keyOf(fila), [...(groups.get(keyOf(fila)) ?? []), fila]);
  return new Map([...groups].map(([key, group]) => [key, medidasOf(group)]));
}

function medidasOf(filas: readonly Fila[]): MedidasSat {
  const sum = (campo: 'exitos' | 'rechazos' | 'fallos' | 'canceladas' | 'evitadas') =>
    filas.reduce((total, fila) => total + fila[campo], 0);
  const cubetas = Array.from({ length: CUBETAS }, (_, i) =>
    filas.reduce((total, fila) => total + (fila.cubetas[i] ?? 0), 0),
  );
  const [exitos, rechazos, fallos] = [sum('exitos'), sum('rechazos'), sum('fallos')];
  const canceladas = sum('canceladas');
  const contestadas = exitos + rechazos + fallos;
  return {
    peticiones: contestadas + canceladas,
    ...{ exitos, rechazos, fallos, canceladas },
    evitadas: sum('evitadas'),
    fallosParte: contestadas > 0 ? Math.max(0, fallos) / contestadas : null,
    p50: percentil(cubetas, 0.5),
    p95: percentil(cubetas, 0.95),
  };
}

const EMPTY: MedidasSat = medidasOf([]);

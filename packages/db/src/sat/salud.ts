import type { CanalMedido } from '@acuse/core';
import type { Database } from '../database.ts';
import { rowsOf } from '../statements.ts';
import { CUBETAS, percentil } from './cubetas.ts';

/** What was seen of the authority in some stretch of time. */
export interface MedidasSat {
  /** Requests that were sent: answered, refused, failed or given up. */
  readonly peticiones: number;
  readonly exitos: number;
  readonly rechazos: number;
  readonly fallos: number;
  readonly canceladas: number;
  /** Requests that an open breaker held back. */
  readonly evitadas: number;
  /** Share of failures among what was answered or failed, 0 to 1; null without any. */
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

interface Fila {
  readonly desde: Date;
  readonly host: string;
  readonly canal: CanalMedido;
  readonly exitos: number;
  readonly rechazos: number;
  readonly fallos: number;
  readonly canceladas: number;
  readonly evitadas: number;
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
  const [exitos, rechazos, fallos, canceladas] = [
    ...([sum('exitos'), sum('rechazos'), sum('fallos'), sum('canceladas')] as const),
  ];
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

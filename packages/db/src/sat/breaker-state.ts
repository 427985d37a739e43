import { type BreakerState, ESTADO_INICIAL, type EstadoHost } from '@acuse/core';
import type { Database } from '../database.ts';
import { isOne, rowOf } from '../statements.ts';

const ESTADO = `fallos, fallos_antes AS "fallosAntes", titulares, titulares_antes AS "titularesAntes",
  abierto_hasta::float8 AS "abiertoHasta", sonda_hasta::float8 AS "sondaHasta"`;
const READ = `
SELECT ${ESTADO} FROM estado_host WHERE host = $1`;

/** Expression for the hosts that are not as at first, as JSON: null without any. */
export const UNHEALTHY_HOSTS = `(SELECT json_agg(h) FROM (SELECT host, ${ESTADO} FROM estado_host
  WHERE (fallos, fallos_antes, titulares, titulares_antes, abierto_hasta, sonda_hasta) <> (0, 0, '', '', 0, 0)) h)`;

/** State of a host, as {@link UNHEALTHY_HOSTS} gives it. */
export type UnhealthyHost = EstadoHost & { readonly host: string };

/** Writes the new state only over the one it was computed from. */
const SWAP = `
INSERT INTO estado_host AS e (host, fallos, fallos_antes, titulares, titulares_antes, abierto_hasta, sonda_hasta)
SELECT $1, $8, $9, $10, $11, $12, $13
WHERE EXISTS (SELECT FROM estado_host WHERE host = $1) OR ($2, $3, $4, $5, $6, $7) = (0, 0, '', '', 0::bigint, 0::bigint)
ON CONFLICT (host) DO UPDATE SET fallos = excluded.fallos, fallos_antes = excluded.fallos_antes, titulares = excluded.titulares,
  titulares_antes = excluded.titulares_antes, abierto_hasta = excluded.abierto_hasta, sonda_hasta = excluded.sonda_hasta
WHERE (e.fallos, e.fallos_antes, e.titulares, e.titulares_antes, e.abierto_hasta, e.sonda_hasta)
  = ($2::int, $3::int, $4::text, $5::text, $6::bigint, $7::bigint)`;

const valuesOf = (e: EstadoHost) => [
  e.fallos,
  e.fallosAntes,
  e.titulares,
  e.titularesAntes,
  e.abiertoHasta,
  e.sondaHasta,
];
const isSame = (a: EstadoHost, b: EstadoHost) => valuesOf(a).every((value, i) => value === valuesOf(b)[i]);

interface Memoria {
  estado: EstadoHost;
  leidoEn: number;
  /** Changes of this process to one host follow one another: they would only get in each other's way. */
  queue: Promise<unknown>;
}

export interface BreakerStateOptions {
  /** A state read less than this many milliseconds ago is not read again. Default: 1,000. */
  readonly cacheMs?: number;
  /** Longest wait for the database, milliseconds. Default: 500. */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * The breakers' memory over PostgreSQL, shared by all processes. A change that changes nothing is not written, so a
 * healthy host costs one read by key a second at most, and none in the second after a claim. A database that is away, or
 * slow, stops nothing: for `cacheMs` this process goes on from its last read.
 */
export function createBreakerState(
  { pool }: Pick<Database, 'pool'>,
  { cacheMs = 1_000, timeoutMs = 500, now = Date.now }: BreakerStateOptions = {},
): BreakerState & { learn(unhealthy: readonly UnhealthyHost[], askedAt: number): void } {
  const hosts = new Map<string, Memoria>();
  let ausenteHasta = Number.NEGATIVE_INFINITY;
  let learned: { readonly unhealthy: ReadonlyMap<string, EstadoHost>; readonly askedAt: number } = {
    unhealthy: new Map(),
    askedAt: Number.NEGATIVE_INFINITY,
  };

  async function changeShared(host: string, memoria: Memoria, change: (e: EstadoHost) => EstadoHost) {
    const until = performance.now() + timeoutMs;
    // A round is lost only to a change of another process: many that fail at once at the same host need many.
    for (let ronda = 0; performance.now() < until; ronda += 1) {
      if (ronda > 0 || now() - memoria.leidoEn >= cacheMs) {
        memoria.estado = (await rowOf<EstadoHost>(pool, READ, [host])) ?? ESTADO_INICIAL;
        memoria.leidoEn = now();
      }
      const from = memoria.estado;
      const to = change(from);
      if (isSame(from, to)) return;
      if (await isOne(pool, SWAP, [host, ...valuesOf(from), ...valuesOf(to)])) {
        memoria.estado = to;
        memoria.leidoEn = now();
        return;
      }
    }
    throw new Error('the state of the host changes too fast');
  }

  async function changeAnyway(host: string, memoria: Memoria, change: (e: EstadoHost) => EstadoHost) {
    if (now() >= ausenteHasta) {
      try {
        return await withTimeout(changeShared(host, memoria, change), timeoutMs);
      } catch {
        ausenteHasta = now() + cacheMs;
      }
    }
    memoria.estado = change(memoria.estado);
  }

  return {
    update(host, change) {
      const memoria = hosts.get(host) ?? {
        estado: ESTADO_INICIAL,
        leidoEn: Number.NEGATIVE_INFINITY,
        queue: Promise.resolve(),
      };
      hosts.set(host, memoria);
      if (learned.askedAt > memoria.leidoEn) {
        memoria.estado = learned.unhealthy.get(host) ?? ESTADO_INICIAL;
        memoria.leidoEn = learned.askedAt;
      }
      const done = memoria.queue.then(() => changeAnyway(host, memoria, change));
      memoria.queue = done.catch(() => {});
      return done;
    },
    /** Takes over the hosts of another statement, which was sent at `askedAt` by `now`. */
    learn(unhealthy, askedAt) {
      if (askedAt < learned.askedAt) return;
      learned = { unhealthy: new Map(unhealthy.map(({ host, ...estado }) => [host, estado])), askedAt };
    },
  };
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), ms);
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

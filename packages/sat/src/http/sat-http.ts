import { AsyncResource } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { type BreakerState, type ResultadoMedido, SatError, type SatMetrics } from '@acuse/core';
import { type Dispatcher, Pool } from 'undici';
import { createCircuitBreaker, createMemoryBreakerState, type Outcome } from './circuit-breaker.ts';
import { connectionOf } from './connection-of.ts';
import { guardStream, type Plazo, readText, startTimeLimit, toSatError } from './cuerpo.ts';
import {
  canalDeHost,
  createDirecciones,
  type DireccionSat,
  SAT_HTTP_DEFAULTS,
  type SatHttpSettings,
} from './direcciones.ts';

export interface SatHttpRequest<E extends 'text' | 'stream' = 'text' | 'stream'> extends DireccionSat {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly signal: AbortSignal;
  /** `text`: the whole body, decoded. `stream`: its bytes as they arrive; read it to the end or destroy it. */
  readonly expect: E;
  /** Largest body, bytes. Default: `maxBodyBytes` for text, no limit for a stream. */
  readonly maxBytes?: number;
  /** Statuses of 400 and above that are answers to the caller. All others reject with SERVICIO_CON_ERROR. */
  readonly acceptStatus?: readonly number[];
  /**
   * Whose account it is about: an error in the answer is then not held against the host for all. See {@link inNameOf}.
   */
  readonly titular?: string;
}

export interface SatHttpResponse<E extends 'text' | 'stream' = 'text' | 'stream'> {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: E extends 'text' ? string : Readable;
  /** Tells the breaker that this answer, though it arrived, was a failure of the service (a maintenance page). */
  markFailed(): Promise<void>;
}

/**
 * Requests to the authority. Redirects are never followed: a 3xx is an answer, and its `Location` goes through {@link
 * SatHttp.resolve}. Rejects with a SatError: NO_RESPONDE, TIEMPO_AGOTADO, SERVICIO_CON_ERROR (codigo `HTTP 503`),
 * RESPUESTA_ILEGIBLE, HOST_NO_PERMITIDO, CORTACIRCUITOS_ABIERTO, CANCELADA; a streamed body errors with the same.
 */
export interface SatHttp {
  request<E extends 'text' | 'stream'>(request: SatHttpRequest<E>): Promise<SatHttpResponse<E>>;
  /** Reads a URL found in a page or a `Location` header: see {@link createDirecciones}. */
  resolve(url: string, desde?: DireccionSat): DireccionSat;
  /** Rejects with OCUPADO what would have to wait for a connection to a host; where waiting is no matter, nothing. */
  assertRoom(host: string): void;
  /** Ends every connection. */
  close(): Promise<void>;
}

export interface SatHttpDeps {
  /** Memory of the breakers. Default: of this process. */
  readonly estado?: BreakerState;
  /** Receives every request with its outcome. Default: none. */
  readonly metrics?: SatMetrics;
  readonly now?: () => number;
}

export function createSatHttp(settings: SatHttpSettings = {}, deps: SatHttpDeps = {}): SatHttp {
  const s = { ...SAT_HTTP_DEFAULTS, ...settings };
  const direcciones = createDirecciones(settings);
  const agentes = createAgentes(settings);
  const circuitBreaker = createCircuitBreaker(
    { failures: s.breakerFailures, openMs: s.breakerOpenMs, now: deps.now ?? Date.now },
    deps.estado ?? createMemoryBreakerState(),
  );

  const mediciones = createMediciones(deps.metrics);
  const rounds = createRounds(s.maxConcurrentPerHost, deps.now ?? Date.now);

  async function send(request: SatHttpRequest, plazo: Plazo): Promise<Dispatcher.ResponseData> {
    const { origin, path } = direcciones.locate(request);
    const answer = await agentes.of(request.host, origin).request({
      method: request.method,
      path,
      headers: { 'user-agent': 'acuse', 'accept-encoding': 'identity', ...request.headers },
      body: request.body ?? null,
      headersTimeout: request.expect === 'stream' ? s.streamHeadersTimeoutMs : s.headersTimeoutMs,
      signal: plazo.signal,
    });
    answer.body.on('error', () => {});
    const encoding = answer.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') {
      answer.body.destroy();
      throw new SatError('RESPUESTA_ILEGIBLE', { detalle: 'content-encoding' });
    }
    if (answer.statusCode >= 400 && !request.acceptStatus?.includes(answer.statusCode)) {
      answer.body.destroy();
      throw new SatError('SERVICIO_CON_ERROR', { codigo: `HTTP ${answer.statusCode}` });
    }
    return answer;
  }

  async function readBody(
    request: SatHttpRequest,
    answer: Dispatcher.ResponseData,
    plazo: Plazo,
    measurement: Measurement,
  ) {
    if (request.expect === 'stream') {
      const stream = guardStream(answer.body, {
        maxBytes: request.maxBytes ?? Number.POSITIVE_INFINITY,
        toError: (error) => plazo.reason() ?? toSatError(error),
        // The callback runs in the context of the caller's step, not of the socket.
        onClose: AsyncResource.bind((guarded: Readable) => {
          plazo.release();
          const reason = plazo.reason();
          const outcome = outcomeOfStream(guarded, reason);
          const error = reason ?? (guarded.errored === null ? undefined : toSatError(guarded.errored));
          measurement.end(outcome === 'neutral' ? 'cancelada' : outcome, outcome === 'exito' ? undefined : error);
          void circuitBreaker.report(request.host, outcome);
        }),
      });
      plazo.signal.addEventListener('abort', () => stream.destroy(plazo.reason()), { once: true });
      return stream;
    }
    const contentType = answer.headers['content-type'];
    const text = await readText(
      answer.body,
      Array.isArray(contentType) ? contentType[0] : contentType,
      request.maxBytes ?? s.maxBodyBytes,
    );
    plazo.release();
    return text;
  }

  async function request(request: SatHttpRequest): Promise<SatHttpResponse> {
    direcciones.locate(request);
    const plazo = startTimeLimit(request.signal, request.expect === 'stream' ? s.streamTimeoutMs : s.totalTimeoutMs);
    try {
      const already = plazo.reason();
      if (already !== undefined) throw already;
      await circuitBreaker.admit(request.host);
    } catch (error) {
      plazo.release();
      if (error instanceof SatError && error.motivo === 'CORTACIRCUITOS_ABIERTO') mediciones.avoided(request.host);
      throw error;
    }
    const measurement = mediciones.start(request.host);
    try {
      const answer = await send(request, plazo);
      if (request.expect === 'stream') measurement.stopClock();
      const body = await readBody(request, answer, plazo, measurement);
      if (request.expect === 'text') measurement.end('exito');
      if (request.expect === 'text') await circuitBreaker.report(request.host, 'exito');
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body,
        markFailed() {
          measurement.withdraw();
          return circuitBreaker.withdraw(request.host, request.titular);
        },
      };
    } catch (error) {
      plazo.release();
      const mapped = plazo.reason() ?? toSatError(error);
      measurement.end(resultadoOf(mapped), mapped);
      await circuitBreaker.report(request.host, outcomeOf(mapped), request.titular);
      throw mapped;
    }
  }

  return {
    // `readBody` gives what `expect` asks for; the compiler cannot follow that through one implementation for both.
    request: request as SatHttp['request'],
    resolve: direcciones.resolve,
    assertRoom(host) {
      if (s.rejectWhenBusy) rounds.assertRoom(host, agentes.underWay(host));
    },
    close: () => agentes.close(),
  };
}

/** The same client, with all requests about the account of one taxpayer. */
export function inNameOf(http: SatHttp, titular: string): SatHttp {
  return {
    ...http,
    request: <E extends 'text' | 'stream'>(request: SatHttpRequest<E>) => http.request<E>({ ...request, titular }),
  };
}

/** A 4xx is an answer of a working host; a request that the caller gave up says nothing about it. */
function outcomeOf(error: SatError): Outcome {
  if (error.motivo === 'CANCELADA') return 'neutral';
  if (error.codigo?.startsWith('HTTP 4')) return 'exito';
  return error.motivo === 'SERVICIO_CON_ERROR' || error.motivo === 'RESPUESTA_ILEGIBLE' ? 'error' : 'fallo';
}

function resultadoOf(error: SatError): Final {
  const outcome = outcomeOf(error);
  if (outcome === 'neutral') return 'cancelada';
  return outcome === 'exito' ? 'rechazo' : 'fallo';
}

/** A stream that its reader left early says nothing about the host. */
function outcomeOfStream(guarded: Readable, reason: SatError | undefined): Exclude<Outcome, 'error'> {
  if (guarded.readableEnded) return 'exito';
  return guarded.errored === null || reason?.motivo === 'CANCELADA' ? 'neutral' : 'fallo';
}

/**
 * One pool of connections per host of the SAT, even where several hosts share an address, so that each has its own
 * cap and its own TLS. Certificates are always verified.
 */
function createAgentes(settings: SatHttpSettings) {
  const pools = new Map<string, Pool>();
  const s = { ...SAT_HTTP_DEFAULTS, ...settings };

  function open(host: string, origin: string): Pool {
    return new Pool(origin, {
      connections: s.maxConcurrentPerHost,
      pipelining: 1,
      bodyTimeout: s.bodyTimeoutMs,
      connect: connectionOf(host, settings),
    });
  }

  return {
    /** The connections of one host; opened at the first use. */
    of(host: string, origin: string): Pool {
      const pool = pools.get(host) ?? open(host, origin);
      pools.set(host, pool);
      return pool;
    },
    /** Requests to a host that are sent or wait for a connection. */
    underWay: (host: string) => pools.get(host)?.stats.size ?? 0,
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** What an answer of the authority takes about, milliseconds: so fast does a host's room come back. */
const RESPUESTA_MS = 1_000;

/**
 * When those come again whom a busy host sent away: one after the other, as room comes back, so that few of them are
 * sent away twice.
 */
export function createRounds(maxPerHost: number, now: () => number) {
  const next = new Map<string, number>();
  return {
    /** Throws OCUPADO for a host with so many requests under way that another one would wait. */
    assertRoom(host: string, underWay: number): void {
      if (underWay < maxPerHost) return;
      const at = Math.max(now(), next.get(host) ?? 0) + RESPUESTA_MS / maxPerHost;
      next.set(host, at);
      throw new SatError('OCUPADO', { detalle: host, esperaMs: Math.ceil(at - now()) });
    },
  };
}

/** How a request that was sent can end. */
type Final = Exclude<ResultadoMedido, 'evitada' | 'desmentida'>;

/** The measuring of one request. Only the first call of `end` counts. */
interface Measurement {
  /** What follows is the body of a stream, which takes as long as its reader likes. */
  stopClock(): void;
  end(resultado: Final, error?: SatError): void;
  /** What ended as a success was none. A request that has not ended yet will end as a failure. */
  withdraw(): void;
}

/** Reports every request to `metrics`. Ignores an observer that throws. */
function createMediciones(metrics: SatMetrics | undefined) {
  function record(host: string, ms: number, resultado: ResultadoMedido, error?: SatError): void {
    const codigo = error && { codigo: error.codigo ?? error.motivo };
    try {
      metrics?.record({ host, canal: canalDeHost(host), ms, resultado, ...codigo });
    } catch {
      // An observer must not fail the request.
    }
  }

  return {
    /** A request that the breaker held back. */
    avoided: (host: string) => record(host, 0, 'evitada'),
    start(host: string): Measurement {
      const startedAt = performance.now();
      let ms: number | null = null;
      let ended: ResultadoMedido | null = null;
      let isWithdrawn = false;
      const stopClock = () => {
        ms ??= performance.now() - startedAt;
      };
      return {
        stopClock,
        end(resultado, error) {
          if (ended !== null) return;
          stopClock();
          ended = isWithdrawn ? 'fallo' : resultado;
          record(host, ms ?? 0, ended, error);
        },
        withdraw() {
          if (ended === 'exito' && !isWithdrawn) record(host, ms ?? 0, 'desmentida');
          isWithdrawn = true;
        },
      };
    },
  };
}

import { AcuseError, esPasajero } from './errors.ts';
import type { DatosFallo, Fallo } from './generated/openapi.ts';

/** Options of one call. */
export interface OpcionesLlamada {
  /** Ends the call; it throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Own `Idempotency-Key`, 1 to 255 visible characters: the same call repeated within 24 hours, by any process, gets
   * the same answer and is charged once. Calls that charge or change something have one of their own without it.
   */
  readonly claveIdempotencia?: string | undefined;
  /** Milliseconds that one try of this call may take; those of the client by default. */
  readonly plazoMs?: number | undefined;
  /** Repetitions of this call, beside the first try; those of the client by default. */
  readonly reintentos?: number | undefined;
  /** Gets each try of this call, after the function of the client. */
  readonly alIntentar?: AlIntentar | undefined;
}

/** Gets a try once it has ended, before the next one; what it throws ends the call. */
export type AlIntentar = (intento: Intento) => void;

/** One try of a call, and the headers of its answer. It holds neither key nor body. */
export interface Intento {
  /** `tax/facturas`. */
  readonly operacion: string;
  /** 1 for the first try. */
  readonly numero: number;
  /** Milliseconds that it took. */
  readonly ms: number;
  /** HTTP status; null without an answer. */
  readonly http: number | null;
  /** Null for a success. */
  readonly error: AcuseError | null;
  /** `X-Request-Id`: the operator of the service asks for it. */
  readonly requestId: string | null;
  /** `RateLimit`: calls that the key may make at once now, and seconds until it may make all; null where the answer has none. */
  readonly limite: { readonly quedan: number; readonly segundos: number } | null;
  /** `Idempotent-Replayed`: the answer is that of an earlier call with the same `Idempotency-Key`. */
  readonly esRepetida: boolean;
  /** Null without an answer. */
  readonly encabezados: Headers | null;
}

/** How a client reaches its service. */
export interface Transport {
  /** With `/api/v1/`. */
  readonly base: string;
  readonly llave: string;
  readonly userAgent: string | null;
  readonly fetch: typeof fetch;
  /** Repetitions of a call, beside the first try. */
  readonly reintentos: number;
  /** Milliseconds that a single try may take. */
  readonly plazoMs: number;
  readonly alIntentar: AlIntentar | undefined;
  readonly pausa: Pausa;
}

/** How long to wait between tries. What waits and what draws can be given, for tests. */
export interface Pausa {
  /** Milliseconds of the first pause at most; each next one may be twice as long. */
  readonly primeraMs: number;
  /** Milliseconds of any pause at most. An answer that asks for more is thrown instead of waited for. */
  readonly maximaMs: number;
  readonly esperar: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** 0 to 1. */
  readonly azar: () => number;
}

/** Waits; throws the reason of the signal when that comes first. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Milliseconds that an earlier try of the same call is waited for at most: longer than the service lets one run. */
const RUNNING_MS = 120_000;

/**
 * Runs `attempt` again while what it throws may pass by itself: after the seconds that the service asks for, and a
 * pause drawn between zero and a bound that doubles each time (full jitter), so that clients do not come back together.
 * An earlier try of the same call that still runs is waited for, beside the repetitions.
 */
export async function withRetries<T>(
  { reintentos, pausa }: Pick<Transport, 'reintentos' | 'pausa'>,
  attempt: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  let running = RUNNING_MS;
  for (let [pauses, tries] = [0, 0]; ; pauses += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof AcuseError) || !esPasajero(error)) throw error;
      const asked = (error.reintentarEn ?? 0) * 1_000;
      const bound = Math.min(pausa.maximaMs, pausa.primeraMs * 2 ** pauses);
      if (error.nombre === 'IDEMPOTENCIA_EN_CONFLICTO') {
        if (running <= 0) throw error;
        const ms = Math.min(running, Math.max(asked, pausa.azar() * bound));
        running -= ms;
        await pausa.esperar(ms, signal);
        continue;
      }
      tries += 1;
      if (tries > reintentos || asked > pausa.maximaMs) throw error;
      await pausa.esperar(asked + pausa.azar() * bound, signal);
    }
  }
}

/**
 * Calls an operation. What charges or changes something carries an `Idempotency-Key`, the same one in each try, so that
 * the service does it once and charges it once however often an answer gets lost. The others are read again.
 *
 * @returns The answer as documented, with `cfdi_codigo` 1.
 */
export async function call<T>(
  transport: Transport,
  path: string,
  changes: boolean,
  peticion: object,
  { signal, claveIdempotencia, alIntentar, plazoMs, reintentos }: OpcionesLlamada = {},
): Promise<T> {
  const own = { ...transport, plazoMs: plazoMs ?? transport.plazoMs, reintentos: reintentos ?? transport.reintentos };
  const clave = claveIdempotencia ?? (changes ? crypto.randomUUID() : null);
  const headers = {
    authorization: `Bearer ${transport.llave}`,
    'content-type': 'application/json',
    ...(transport.userAgent === null ? {} : { 'user-agent': transport.userAgent }),
    ...(clave === null ? {} : { 'idempotency-key': clave }),
  };
  const init = { method: 'POST', headers, body: JSON.stringify(peticion) };
  let numero = 0;
  const attempt = async () => {
    numero += 1;
    const { answer, ...rest } = await once<T>(own, path, init, signal);
    const intento = { operacion: path, numero, ...rest };
    transport.alIntentar?.(intento);
    alIntentar?.(intento);
    if (answer === null) throw intento.error;
    return answer;
  };
  return withRetries(own, attempt, signal);
}

/** What a try gave, or its error. @throws the reason of the signal. */
async function once<T>(
  { base, fetch, plazoMs }: Transport,
  path: string,
  init: RequestInit,
  signal: AbortSignal | undefined,
): Promise<Omit<Intento, 'operacion' | 'numero'> & { readonly answer: T | null }> {
  signal?.throwIfAborted();
  const started = performance.now();
  const timeout = AbortSignal.timeout(plazoMs);
  let response: Response | null = null;
  let answer: T | null = null;
  let error: AcuseError | null = null;
  try {
    response = await fetch(base + path, {
      ...init,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      redirect: 'error',
    });
    answer = read<T>(response, await response.text());
  } catch (cause) {
    signal?.throwIfAborted();
    error = cause instanceof AcuseError ? cause : new AcuseError({ nombre: 'SIN_CONEXION', cause });
  }
  const encabezados = response?.headers ?? null;
  const [, quedan, segundos] = /;r=(\d+);t=(\d+)/.exec(encabezados?.get('ratelimit') ?? '') ?? [];
  return {
    answer,
    error,
    encabezados,
    ms: performance.now() - started,
    http: response?.status ?? null,
    requestId: encabezados?.get('x-request-id') ?? null,
    limite: quedan === undefined ? null : { quedan: Number(quedan), segundos: Number(segundos) },
    esRepetida: encabezados?.get('idempotent-replayed') === 'true',
  };
}

function read<T>({ status, headers }: Response, text: string): T {
  const requestId = headers.get('x-request-id');
  const answer = parse(text);
  if (answer?.cfdi_codigo === 1) return answer as T;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const wait: DatosFallo = Number.isFinite(seconds) ? { reintentar_en: seconds } : {};
  if (typeof answer?.error !== 'string')
    throw new AcuseError({ nombre: 'RESPUESTA_ILEGIBLE', http: status, datos: wait, requestId });
  const { error: nombre, cfdi_codigo: codigo, cfdi_texto: texto, data } = answer as Fallo;
  throw new AcuseError({ nombre, codigo, texto, http: status, datos: { ...wait, ...data }, requestId });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

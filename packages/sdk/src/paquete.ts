import { AcuseError } from './errors.ts';
import type { DatosDescargaPaquete } from './generated/openapi.ts';
import { createSha256 } from './sha256.ts';
import { type Transport, withRetries } from './transport.ts';

/** Options of reading a package. */
export interface OpcionesPaquete {
  readonly signal?: AbortSignal | undefined;
  /** Told after each piece: bytes so far, and of the whole package. */
  readonly alRecibir?: ((recibidos: number, total: number) => void) | undefined;
}

/** A package whose bytes come as they are read. */
export interface PaqueteAbierto {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Ends with `PAQUETE_DANADO` unless exactly the bytes came that the service stored. */
  readonly flujo: ReadableStream<Uint8Array>;
}

type Lector = Pick<Transport, 'fetch' | 'plazoMs' | 'reintentos' | 'pausa'>;

/**
 * Reads a package by its URL. A connection that breaks is taken up where it broke, by a new URL: a byte that came is not
 * asked for again. `locate` gives the data of `descarga/paquete`.
 */
export async function abrirPaquete(
  lector: Lector,
  locate: () => Promise<DatosDescargaPaquete>,
  { signal, alRecibir }: OpcionesPaquete,
): Promise<PaqueteAbierto> {
  const { bytes, sha256, paquete_url } = await locate();
  const hash = createSha256();
  let url: string | null = paquete_url;
  let body: Body | null = null;

  async function read(): Promise<Uint8Array> {
    try {
      body ??= await openBody(lector, url ?? (await locate()).paquete_url, hash.bytes, signal);
      const chunk = await body.read();
      if (chunk === null) throw new AcuseError({ nombre: 'SIN_CONEXION' });
      return chunk;
    } catch (error) {
      body = null;
      // It may have expired meanwhile.
      url = null;
      throw error;
    }
  }

  const flujo = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await withRetries(lector, read, signal);
        hash.update(chunk);
        alRecibir?.(hash.bytes, bytes);
        const isEnd = hash.bytes >= bytes;
        if (isEnd && (hash.bytes > bytes || hash.hex() !== sha256)) throw new AcuseError({ nombre: 'PAQUETE_DANADO' });
        controller.enqueue(chunk);
        if (isEnd) controller.close();
      },
      cancel: (reason) => body?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { bytes, sha256, flujo };
}

interface Body {
  /** Null at the end. */
  read(): Promise<Uint8Array | null>;
  cancel(reason?: unknown): Promise<void>;
}

/** The bytes of an address from one on. Silence longer than the time of a try is a broken connection. */
async function openBody(
  { fetch, plazoMs }: Lector,
  url: string,
  from: number,
  signal: AbortSignal | undefined,
): Promise<Body> {
  const silence = new AbortController();
  const within = async <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => silence.abort(), plazoMs);
    try {
      return await work;
    } catch (cause) {
      signal?.throwIfAborted();
      throw new AcuseError({ nombre: 'SIN_CONEXION', cause });
    } finally {
      clearTimeout(timer);
    }
  };
  const response = await within(
    fetch(url, {
      headers: from === 0 ? {} : { range: `bytes=${from}-` },
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    }),
  );
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new AcuseError({ nombre: 'RESPUESTA_ILEGIBLE', http: response.status });
  }
  const reader = response.body.getReader();
  // A server may give everything instead of the rest.
  let toSkip = response.status === 206 ? 0 : from;
  return {
    async read() {
      for (;;) {
        const { done, value } = await within(reader.read());
        if (done) return null;
        if (value.length > toSkip) {
          const rest = value.subarray(toSkip);
          toSkip = 0;
          return rest;
        }
        toSkip -= value.length;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

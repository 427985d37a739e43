import { Readable, type ReadableOptions } from 'node:stream';
import { TextDecoder } from 'node:util';
import { SatError } from '@acuse/core';
import { linkSignals, untilAborted } from '@acuse/runtime';
import { ilegible } from '../texto.ts';

/** Reads a body whole, as text in its declared charset, and gives up with RESPUESTA_ILEGIBLE past `maxBytes`. */
export async function readText(body: Readable, contentType: string | undefined, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return decoderFor(contentType).decode(Buffer.concat(chunks));
}

function decoderFor(contentType: string | undefined): TextDecoder {
  const charset = /charset="?([\w-]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset);
  } catch {
    // An unknown charset name: what the SAT writes is UTF-8 wherever it was seen.
    return new TextDecoder('utf-8');
  }
}

/**
 * A stream that asks `next` for its bytes or objects, null at the end, and calls `release` when it is over, however it
 * ended. Unlike `Readable.from`, it can be destroyed while `next` is still waiting.
 */
export function pullStream(
  next: () => Promise<object | null>,
  release: () => void,
  options: Pick<ReadableOptions, 'objectMode' | 'highWaterMark'> = {},
): Readable {
  const stream = new Readable({
    ...options,
    read() {
      next().then(
        (chunk) => this.push(chunk),
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      release();
      callback(error);
    },
  });
  // An abandoned stream must not crash the process at its time-out; readers still see the error.
  stream.on('error', () => {});
  return stream;
}

/** A body whose errors are `SatError`s, with a limit. `onClose` is called once, when it is over. */
export function guardStream(
  body: Readable,
  options: { maxBytes: number; toError: (error: unknown) => SatError; onClose: (guarded: Readable) => void },
): Readable {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let size = 0;
  const guarded = pullStream(
    async () => {
      try {
        const { value, done } = await chunks.next();
        if (done) return null;
        size += value.length;
        if (size > options.maxBytes) throw tooLarge(options.maxBytes);
        return value;
      } catch (error) {
        throw options.toError(error);
      }
    },
    () => body.destroy(),
  );
  body.on('error', () => {});
  guarded.once('close', () => options.onClose(guarded));
  return guarded;
}

/** Ends a stream with CANCELADA even if all of it has arrived and waits to be read. */
export function endWithSignal(stream: Readable, signal: AbortSignal): void {
  const cancel = () => stream.destroy(new SatError('CANCELADA'));
  stream.once('close', () => signal.removeEventListener('abort', cancel));
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
}

function tooLarge(maxBytes: number): SatError {
  return ilegible(`más de ${maxBytes} bytes`);
}

export type Plazo = ReturnType<typeof startTimeLimit>;

/** The life of one request: ends with the caller's signal or with the clock, whichever comes first. */
export function startTimeLimit(caller: AbortSignal, totalMs: number) {
  const { signal, release } = linkSignals([caller], totalMs);
  return {
    signal,
    /** Why it ended early; undefined while it has not. */
    reason(): SatError | undefined {
      if (!signal.aborted) return undefined;
      const isCaller = signal.reason === caller.reason;
      return isCaller ? new SatError('CANCELADA') : new SatError('TIEMPO_AGOTADO', { detalle: 'total' });
    },
    /** Lets go of the timer and of the caller's signal. */
    release,
  };
}

/** What `run` gives or throws, but CANCELADA as soon as the signal aborts. */
export async function untilCancelled<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(run, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? new SatError('CANCELADA') : error;
  }
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const MALFORMED = new Set([
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_HEADERS_OVERFLOW',
  // A parser error without a code of its own.
  'HTTPParserError',
]);

/**
 * Turns an error of the HTTP client into a SatError that names its code only. The original is not attached as `cause`:
 * a parser error of undici holds a piece of the answer.
 */
export function toSatError(error: unknown): SatError {
  if (error instanceof SatError) return error;
  const codigo = codeOf(error);
  if (TIMEOUTS.has(codigo)) return new SatError('TIEMPO_AGOTADO', { detalle: codigo });
  if (MALFORMED.has(codigo) || codigo.startsWith('HPE_')) {
    return new SatError('RESPUESTA_ILEGIBLE', { detalle: codigo });
  }
  return new SatError('NO_RESPONDE', { detalle: codigo });
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code.slice(0, 64);
  return error instanceof Error ? error.name : 'desconocido';
}

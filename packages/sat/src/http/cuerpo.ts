import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { SatError } from '@acuse/core';

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
 * A stream that asks `next` for its bytes, null at the end, and calls `release` when it is over, however it ended.
 * Unlike `Readable.from`, it can be destroyed while `next` is still waiting.
 */
export function pullStream(next: () => Promise<Buffer | null>, release: () => void): Readable {
  const stream = new Readable({
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
  // A stream that nobody reads any more must not bring the process down when its time ends; readers still see the
  // error.
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
  return new SatError('RESPUESTA_ILEGIBLE', { detalle: `más de ${maxBytes} bytes` });
}

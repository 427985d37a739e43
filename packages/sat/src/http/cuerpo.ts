import { Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { SatError } from '@acuse/core';

/** Reads a body whole, as text in its declared charset, and gives up with RESPUESTA_ILEGIBLE past `maxBytes`. */
export async function readText(
  body: Readable,
  contentType: string | undefined,
  maxBytes: number,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new SatError('RESPUESTA_ILEGIBLE', { detalle: `más de ${maxBytes} bytes` });
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
 * A copy of a body stream whose errors are `SatError`s and whose end, by whatever way, calls `onClose` once.
 * Backpressure reaches the socket.
 */
export function guardStream(
  body: Readable,
  options: {
    maxBytes: number;
    toError: (error: unknown) => SatError;
    onClose: (guarded: Readable) => void;
  },
): Readable {
  async function* read(): AsyncGenerator<Buffer> {
    let size = 0;
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > options.maxBytes) {
          throw new SatError('RESPUESTA_ILEGIBLE', { detalle: `más de ${options.maxBytes} bytes` });
        }
        yield chunk;
      }
    } catch (error) {
      throw options.toError(error);
    }
  }
  const guarded = Readable.from(read(), { objectMode: false });
  // A stream that nobody reads any more must not bring the process down when its time ends; readers still see the error.
  guarded.on('error', () => {});
  body.on('error', () => {});
  guarded.once('close', () => {
    options.onClose(guarded);
    if (!body.destroyed) body.destroy();
  });
  return guarded;
}

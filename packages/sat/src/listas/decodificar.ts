import { TextDecoder } from 'node:util';
import { listaIlegible } from './ilegible.ts';

/** Bytes after which the encoding is settled; the header, with its accents, stands in the first two thousand. */
const SAMPLE_BYTES = 64 * 1_024;

/**
 * Text of the list's bytes as they come. The SAT writes windows-1252; a copy in UTF-8 is told by its mark or by the accents of its head, which
 * are no UTF-8 in the other. Bytes that do not belong to what the head was written in reject with RESPUESTA_ILEGIBLE.
 */
export async function* decodificar(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  let decoder: TextDecoder | null = null;
  for await (const chunk of chunks) {
    if (decoder !== null) {
      yield read(decoder, chunk, true);
      continue;
    }
    held.push(chunk);
    size += chunk.length;
    if (size < SAMPLE_BYTES) continue;
    decoder = decoderOf(Buffer.concat(held));
    yield read(decoder, Buffer.concat(held), true);
    held = [];
  }
  const rest = Buffer.concat(held);
  decoder ??= decoderOf(rest);
  yield read(decoder, rest, false);
}

function decoderOf(sample: Buffer): TextDecoder {
  const isMarked = sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf;
  return isMarked || isUtf8(sample)
    ? new TextDecoder('utf-8', { fatal: true })
    : new TextDecoder('windows-1252');
}

/** Valid UTF-8 with something beyond ASCII; a character cut by the end of the sample does not count against it. */
function isUtf8(sample: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return /[^\0-\x7f]/.test(text);
  } catch {
    return false;
  }
}

function read(decoder: TextDecoder, chunk: Buffer, isMore: boolean): string {
  try {
    return decoder.decode(chunk, { stream: isMore });
  } catch {
    throw listaIlegible('codificación');
  }
}

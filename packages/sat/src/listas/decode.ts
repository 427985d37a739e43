import { TextDecoder } from 'node:util';
import { SatError } from '@acuse/core';

/** What came is not the list of article 69-B, or not all of it. */
export function listaIlegible(detalle: string): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle: `lista 69-B: ${detalle}`.slice(0, 200) });
}

/** Bytes after which the encoding is settled; the header, with its accents, stands in the first two thousand. */
const SAMPLE_BYTES = 64 * 1_024;

/** What stands for the bytes 80 to 9f (WHATWG Encoding, index windows-1252); all others are as in ISO 8859-1. */
const C1 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

/** Some versions of Node read windows-1252 as ISO 8859-1 in their TextDecoder, so it is not asked. */
function windows1252(chunk: Buffer): string {
  return chunk.toString('latin1').replace(/[\x80-\x9f]/g, (c) => C1.charAt(c.charCodeAt(0) - 0x80));
}

type Decode = (chunk: Buffer, isMore: boolean) => string;

/**
 * Text of the list's bytes as they come. The SAT writes windows-1252; a copy in UTF-8 is told by its mark or by the
 * accents of its head, which are no UTF-8 in the other. Bytes that do not belong to what the head was written in reject
 * with RESPUESTA_ILEGIBLE.
 */
export async function* decodeText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  let decode: Decode | null = null;
  for await (const chunk of chunks) {
    if (decode !== null) {
      yield decode(chunk, true);
      continue;
    }
    held.push(chunk);
    size += chunk.length;
    if (size < SAMPLE_BYTES) continue;
    const sample = Buffer.concat(held);
    decode = decoderOf(sample);
    yield decode(sample, true);
    held = [];
  }
  const rest = Buffer.concat(held);
  decode ??= decoderOf(rest);
  yield decode(rest, false);
}

function decoderOf(sample: Buffer): Decode {
  const isMarked = sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf;
  if (!isMarked && !isUtf8(sample)) return windows1252;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return (chunk, isMore) => {
    try {
      return decoder.decode(chunk, { stream: isMore });
    } catch {
      throw listaIlegible('codificación');
    }
  };
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

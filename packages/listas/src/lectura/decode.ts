import { isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { SatError } from '@acuse/core';

/** What came is not the list that was asked for, or not all of it. */
export function listaIlegible(detalle: string): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle: `lista: ${detalle}`.slice(0, 200) });
}

/** Bytes that the encoding is settled from: the first of the list, or the first that are not all of ASCII. */
const SAMPLE_BYTES = 64 * 1_024;
const ZERO_PART = 0.05;

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
 * Decodes a list while it arrives. The SAT writes windows-1252; a copy in UTF-8 shows by its mark or its first accents.
 * Bytes outside the detected encoding, and bytes of no text (UTF-16, a spreadsheet), reject with RESPUESTA_ILEGIBLE.
 */
export async function* decodeText(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  let decode: Decode | null = null;
  let isBegun = false;
  for await (const chunk of chunks) {
    if (!isBegun && /^\s*</.test(chunk.toString('latin1', 0, 64))) throw listaIlegible('una página y no un CSV');
    isBegun = true;
    if (decode !== null) {
      yield decode(chunk, true);
      continue;
    }
    held.push(chunk);
    size += chunk.length;
    if (size < SAMPLE_BYTES) continue;
    const sample = Buffer.concat(held);
    // Without accents it reads the same in both.
    decode = isAscii(sample) && !isMarked(sample) ? null : decoderOf(sample);
    yield decode === null ? asciiOf(sample) : decode(sample, true);
    held = [];
    size = 0;
  }
  const rest = Buffer.concat(held);
  decode ??= decoderOf(rest);
  yield decode(rest, false);
}

const isMarked = (sample: Buffer) => sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf;

/** A text of one byte a sign has next to no zeros: UTF-16 and archives are full of them. */
function assertBytes(sample: Buffer): void {
  const zeros = sample.reduce((count, byte) => (byte === 0 ? count + 1 : count), 0);
  if (zeros > sample.length * ZERO_PART) throw listaIlegible('codificación');
}

function asciiOf(sample: Buffer): string {
  assertBytes(sample);
  return sample.toString('latin1');
}

function decoderOf(sample: Buffer): Decode {
  assertBytes(sample);
  if (!isMarked(sample) && !isUtf8(sample)) return windows1252;
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

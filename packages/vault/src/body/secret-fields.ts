import { isUtf8 } from 'node:buffer';
import { secretBytes } from '../crypto/secret-bytes.ts';
import { CuerpoIlegible, JsonScanner, type JsonSpan, walkJsonString } from './json-scanner.ts';

interface SecretFields<Field extends string> {
  /** The decoded bytes (UTF-8) of each field; null when it is missing or not a string. The caller zeroes them. */
  readonly secrets: Readonly<Record<Field, Buffer | null>>;
  /**
   * The same memory as the body, with each secret string replaced by `""` and each other secret value by `0`, and
   * blanks behind: safe for `JSON.parse(rest.toString())`, which still shows whether the field was there and was a
   * string.
   */
  readonly rest: Buffer;
}

const QUOTE = 0x22;
const BLANK = 0x20;
const ZERO = 0x30;

/**
 * Takes string fields out of a JSON object without making JavaScript strings of them, which no one could erase: `raw`
 * is changed in place, so that afterwards the secrets exist in the returned buffers only. Only members of the outermost
 * object count. Throws {@link CuerpoIlegible} for whatever JSON.parse would refuse, for anything but an object, for
 * half a surrogate pair, for nesting beyond 32, and for a field that is there twice; `raw` is then all zeros.
 */
export function takeSecretFields<Field extends string>(raw: Buffer, fields: readonly Field[]): SecretFields<Field> {
  const secrets = Object.fromEntries(fields.map((field) => [field, null])) as Record<Field, Buffer | null>;
  const spans = new Map<Field, JsonSpan>();
  try {
    if (!isUtf8(raw)) throw new CuerpoIlegible('JSON_INVALIDO');
    new JsonScanner(raw).readObject((name, value) => {
      const text = decodeString(raw, name).toString('utf8');
      const field = fields.find((candidate) => candidate === text);
      if (field === undefined) return;
      if (spans.has(field)) throw new CuerpoIlegible('CAMPO_REPETIDO', field);
      spans.set(field, value);
    });
  } catch (error) {
    raw.fill(0);
    throw error;
  }
  for (const [field, span] of spans) {
    if (raw[span.start] === QUOTE) secrets[field] = decodeString(raw, span);
    blank(raw, span);
  }
  return { secrets, rest: raw };
}

function decodeString(bytes: Buffer, { start }: JsonSpan): Buffer {
  const length = walkJsonString(bytes, start, null)?.length ?? 0;
  const decoded = secretBytes(length);
  walkJsonString(bytes, start, decoded);
  return decoded;
}

function blank(bytes: Buffer, { start, end }: JsonSpan): void {
  const isString = bytes[start] === QUOTE;
  bytes.fill(BLANK, start, end);
  if (isString) bytes.fill(QUOTE, start, start + 2);
  else bytes[start] = ZERO;
}

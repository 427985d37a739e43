import { CfdiError } from '@acuse/contract';

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in one bit, and so do `]` and `}`. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON object from UTF-8 bytes. Throws `JSON_INVALIDO` for anything else, and for more than 32 levels. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (isTooDeep(bytes)) throw new CfdiError('JSON_INVALIDO', { motivo: `más de ${MAX_DEPTH} niveles` });
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch {
    // The parser's message quotes the body: it is left behind.
    throw new CfdiError('JSON_INVALIDO');
  }
  if (!isObject(value)) throw new CfdiError('JSON_INVALIDO');
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts brackets outside of strings; bytes of UTF-8 beyond ASCII never look like one. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if ((byte | CASE_BIT) === OPENING) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if ((byte | CASE_BIT) === CLOSING) depth -= 1;
  }
  return false;
}

import * as z from 'zod';

/** What a field says about itself beyond its type; `describeConfig` reads it. */
export interface FieldMeta {
  readonly description: string;
  /** Never printed, and read from a file when `NAME_FILE` is set. */
  readonly secret?: boolean;
  /** What the name of the variable must end with. */
  readonly suffix?: string;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const TRUE = new Set(['true', '1', 'yes', 'si', 'sí', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** Free text of one line, trimmed, not empty. */
export function text(description: string) {
  return z.string().trim().min(1, { error: 'no puede estar vacía' }).meta({ description });
}

/** A whole number, by default not negative. */
export function integer(description: string, range: Range = {}) {
  return whole(range).meta({ description });
}

/** A number that may have decimals. */
export function decimal(description: string, range: Range = {}) {
  return numeric(/^-?\d+(\.\d+)?$/, 'un número', range).meta({ description });
}

/** A TCP port; 0 lets the system choose. */
export function port(description: string) {
  return whole({ max: 65_535 }).meta({ description });
}

/** A duration in whole seconds. The variable's name must end in `_SECONDS`. */
export function durationSeconds(description: string, range: Range = {}) {
  return whole(range).meta({ description, suffix: '_SECONDS' });
}

/** A duration in whole milliseconds. The variable's name must end in `_MS`. */
export function durationMs(description: string, range: Range = {}) {
  return whole(range).meta({ description, suffix: '_MS' });
}

/**
 * An absolute URL, kept as the text that was given.
 * @param options.protocols accepted schemes without the colon; by default http and https.
 * @param options.secret true when the address carries a password (a database's).
 */
export function url(
  description: string,
  options: { readonly protocols?: readonly string[]; readonly secret?: boolean } = {},
) {
  const protocols = options.protocols ?? ['http', 'https'];
  return z
    .string()
    .trim()
    .refine((value) => protocols.includes(protocolOf(value)), {
      error: `debe ser una dirección completa que empiece con ${protocols.map((p) => `${p}://`).join(' o ')}`,
    })
    .meta({ description, ...(options.secret ? { secret: true } : {}) });
}

/** A list separated by commas; the empty items are left out. */
export function list(description: string) {
  return z
    .string()
    .transform((value): readonly string[] =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .meta({ description });
}

/** Yes or no: true, 1, yes, si, on / false, 0, no, off. */
export function bool(description: string) {
  return z
    .string()
    .transform((value, context) => {
      const word = value.trim().toLowerCase();
      if (TRUE.has(word)) return true;
      if (FALSE.has(word)) return false;
      context.addIssue({ code: 'custom', message: 'debe ser true o false' });
      return z.NEVER;
    })
    .meta({ description });
}

/** One word of a closed set. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words, description: string) {
  return z.enum(words, { error: `debe ser una de: ${words.join(', ')}` }).meta({ description });
}

/** A secret: never printed, and `NAME_FILE` may name the file that holds it. */
export function secret(description: string, options: { readonly minLength?: number } = {}) {
  const minLength = options.minLength ?? 1;
  return z
    .string()
    .min(minLength, { error: `debe tener al menos ${minLength} caracteres` })
    .meta({ description, secret: true });
}

function whole(range: Range) {
  return numeric(/^-?\d+$/, 'un número entero', { min: 0, ...range });
}

function numeric(pattern: RegExp, kind: string, { min, max }: Range) {
  const limits = [min === undefined ? '' : ` desde ${min}`, max === undefined ? '' : ` hasta ${max}`].join('');
  return z.string().transform((value, context) => {
    const trimmed = value.trim();
    const parsed = Number(trimmed);
    const fits = pattern.test(trimmed) && parsed >= (min ?? -Infinity) && parsed <= (max ?? Infinity);
    if (fits) return parsed;
    context.addIssue({ code: 'custom', message: `debe ser ${kind}${limits}` });
    return z.NEVER;
  });
}

function protocolOf(value: string): string {
  return URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : '';
}

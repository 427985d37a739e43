import { z } from 'zod';

/**
 * Letters (3 for a legal person, 4 for a natural one), a date yyMMdd, and three characters of which the last is the
 * check digit. Ñ and & are letters of an RFC. Pattern of the SAT's CFDI schema (`t_RFC`).
 */
const RFC = /^([A-ZÑ&]{3,4})(\d{2})(\d{2})(\d{2})([A-Z\d]{2})([A\d])$/;
/** The same for whoever reads the interface's description. */
export const RFC_PATTERN = '^[A-ZÑ&]{3,4}\\d{6}[A-Z\\d]{2}[A\\d]$';

function isRealDate(yy: string, mm: string, dd: string): boolean {
  const month = Number(mm);
  const day = Number(dd);
  if (month < 1 || month > 12 || day < 1) return false;
  // The century is not in the RFC: 29 February counts when either century has it (2000 was a leap year, 1900 was not).
  const leap = Number(yy) % 4 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

/**
 * Normalises and checks an RFC: trimmed, upper case, composed Unicode (Ñ as one character). The check digit is not
 * enforced, since the SAT has issued RFCs that fail it. Returns null when it is none.
 */
export function parseRfc(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 64) return null;
  const rfc = value.trim().normalize('NFC').toUpperCase();
  const match = RFC.exec(rfc);
  if (!match) return null;
  const [, , yy = '', mm = '', dd = ''] = match;
  return isRealDate(yy, mm, dd) ? rfc : null;
}

const DIGITS = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';
/** What the SAT writes for the public in general and for foreigners: their last character is no check digit. */
const GENERICOS = new Set(['XAXX010101000', 'XEXX010101000']);

/**
 * Whether the last character of a normal RFC is its check digit: the weighted sum of the others modulo 11 (annex of the
 * SAT's rules for the RFC). False is a hint of a slip of the pen and no proof, since a few RFCs were issued with
 * another one.
 */
export function hasCheckDigit(rfc: string): boolean {
  if (GENERICOS.has(rfc)) return true;
  const others = [...rfc.slice(0, -1).padStart(12, ' ')];
  const sum = others.reduce((total, letter, at) => total + DIGITS.indexOf(letter) * (13 - at), 0);
  const digit = (11 - (sum % 11)) % 11;
  return rfc.endsWith(digit === 10 ? 'A' : String(digit));
}

/** A taxpayer id: 12 characters (persona moral) or 13 (persona física). */
export const rfcField = z
  .string({ error: 'debe ser un texto' })
  .transform((value, ctx) => {
    const rfc = parseRfc(value);
    if (rfc !== null) return rfc;
    ctx.addIssue({ code: 'custom', message: 'debe tener 12 o 13 caracteres con el formato de un RFC' });
    return z.NEVER;
  })
  .meta({
    description: 'RFC: 12 caracteres (persona moral) o 13 (persona física).',
    example: 'ACU200101DB1',
    pattern: RFC_PATTERN,
  });

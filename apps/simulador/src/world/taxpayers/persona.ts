import { mix, word } from './mix.ts';

const FORM = /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}$/;
const VALUES = '0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789';

/** Whether the text has the form of an RFC; the check digit is not looked at, as test RFCs often break it. */
export function isRfc(text: string): boolean {
  return FORM.test(text);
}

/** Check digit of the first 11 or 12 characters of an RFC (weights 13 to 2, modulo 11). */
export function checkDigit(base: string): string {
  const padded = base.padStart(12, ' ');
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += VALUES.indexOf(padded.charAt(i)) * (13 - i);
  const rest = 11 - (sum % 11);
  return rest === 11 ? '0' : rest === 10 ? 'A' : String(rest);
}

/** An RFC made from a key: of a legal person, or of a natural one. */
export function generateRfc(key: Uint32Array, n: number, isMoral: boolean): string {
  const random = (slot: number, size: number) => mix(word(key, slot), n * 16 + slot) % size;
  const letters = Array.from({ length: isMoral ? 3 : 4 }, (_, i) => LETTERS.charAt(random(i, 26))).join('');
  const year = String(60 + random(4, 40)).padStart(2, '0');
  const month = String(1 + random(5, 12)).padStart(2, '0');
  const day = String(1 + random(6, 28)).padStart(2, '0');
  const homoclave = ALPHANUMERIC.charAt(random(7, 35)) + ALPHANUMERIC.charAt(random(8, 35));
  const base = letters + year + month + day + homoclave;
  return base + checkDigit(base);
}

const GIROS = ['COMERCIALIZADORA', 'TRANSPORTES', 'SERVICIOS', 'CONSTRUCTORA', 'DISTRIBUIDORA', 'ALIMENTOS'];
const SITIOS = ['DEL BAJÍO', 'DE OCCIDENTE', 'PENÍNSULA', 'DEL NORTE', 'LA CAÑADA', 'DEL GOLFO', 'SIERRA ALTA'];
const NOMBRES = ['MARÍA', 'JOSÉ', 'LUCÍA', 'RAÚL', 'ITZEL', 'HUGO', 'BEGOÑA', 'TOMÁS'];
const APELLIDOS = ['MUÑOZ', 'PEÑA', 'CORTÉS', 'IBARRA', 'LUNA', 'ROJAS', 'ZÚÑIGA', 'OCHOA', 'VEGA'];

/** Name of a legal person (without the capital regime, as CFDI 4.0 writes it) or of a natural one. */
export function generateName(key: Uint32Array, n: number, isMoral: boolean): string {
  const pick = (slot: number, list: readonly string[]) => list[mix(word(key, slot), n * 8 + slot) % list.length] ?? '';
  return isMoral
    ? `${pick(0, GIROS)} ${pick(1, APELLIDOS)} ${pick(2, SITIOS)}`
    : `${pick(3, NOMBRES)} ${pick(4, APELLIDOS)} ${pick(5, APELLIDOS)}`;
}

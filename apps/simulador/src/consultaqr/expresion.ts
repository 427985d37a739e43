import { isRfc } from '../world/taxpayers/rfc.ts';

/** What a printed expression names. */
export type Expresion = {
  re: string;
  rr: string;
  tt: string;
  /** Upper case. */
  id: string;
  /** Last eight characters of the issuer's seal; empty when it is not given. */
  fe: string;
};

const UUID = /^[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}$/;
const TOTAL = /^\d{1,18}(?:\.\d{1,6})?$/;

/**
 * Reads `?re=…&rr=…&tt=…&id=…&fe=…`, with or without an address before the question mark; `&` inside a value is written
 * `&amp;`. Null when it is no such expression. Order of the parts is free (`id` comes first in those of CFDI 3.3 and
 * later).
 */
export function readExpresion(text: string): Expresion | null {
  const query = text.trim().split('?').slice(1).join('?');
  const parts = new Map(
    query.split(/&(?!amp;)/).map((part) => {
      const [name = '', value = ''] = part.split(/=(.*)/s);
      return [name, value.replaceAll('&amp;', '&')];
    }),
  );
  const [re, rr, tt, fe] = ['re', 'rr', 'tt', 'fe'].map((name) => parts.get(name) ?? '');
  const id = (parts.get('id') ?? '').toUpperCase();
  if (re === undefined || rr === undefined || tt === undefined || fe === undefined) return null;
  return isRfc(re) && isRfc(rr) && TOTAL.test(tt) && UUID.test(id) ? { re, rr, tt, id, fe } : null;
}

/**
 * The two ways of writing a total: of CFDI 3.3 and 4.0 (`1160.5`, `1.0`, `0.0`), and of CFDI 3.2 (`0000001160.500000`).
 */
export function totalForms(monto: string): readonly [string, string] {
  const [whole = '0', decimals = ''] = monto.split('.');
  const trimmed = decimals.replace(/0+$/, '');
  return [`${BigInt(whole)}.${trimmed || '0'}`, `${whole.padStart(10, '0')}.${trimmed.padEnd(6, '0')}`];
}

import { SatError } from '@acuse/core';

/** Error of an undocumented page of the portal. `detalle` names the missing part, never the text. */
export function ilegible(detalle: string, codigo: string | null = null): SatError {
  return new SatError('RESPUESTA_ILEGIBLE', { detalle, codigo });
}

/** Lower case, without accents, runs of white space as one blank: how texts of the authority are compared. */
export function toForma(texto: string): string {
  return texto.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The same of a heading or label, without the blanks, colons and asterisks at its end. */
export function toLabel(texto: string): string {
  // Looks at each run of such characters from its first one only: otherwise a long run inside of a text takes the
  // square of its length.
  return toForma(texto).replace(/(?<![\s:*])[\s:*]+$/, '');
}

/**
 * Throws RESPUESTA_ILEGIBLE for a text that was decoded with the wrong charset: it would be a wrong name, not a strange
 * one. `Ã` before a letter outside of ASCII is UTF-8 read as windows-1252, U+FFFD is windows-1252 read as UTF-8;
 * neither occurs in what the SAT writes.
 */
export function assertCleanText(texto: string): void {
  if (/\uFFFD|[ÃÂ][^\x20-\x7E]/u.test(texto)) {
    throw ilegible('texto en otra codificación que la declarada');
  }
}

/** The order of two texts by code units, as that of an array without comparator. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

type ObjetoJson = Readonly<Record<string, unknown>>;

/** The JSON object that a text is; null for any other text. */
export function parseObjeto(json: string): ObjetoJson | null {
  try {
    return toObjeto(JSON.parse(json));
  } catch {
    return null;
  }
}

/** A value of JSON as an object; null when it is none. */
export function toObjeto(valor: unknown): ObjetoJson | null {
  return typeof valor === 'object' && valor !== null && !Array.isArray(valor) ? (valor as ObjetoJson) : null;
}

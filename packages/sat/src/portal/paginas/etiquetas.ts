import { load } from 'cheerio';
import { ilegible } from './ilegible.ts';

/** One tag of a page and the text that follows it up to the next tag (for a script: its whole source). Both as written. */
export interface Etiqueta {
  /** Lower case. */
  readonly nombre: string;
  readonly cierra: boolean;
  readonly atributos: string;
  readonly texto: string;
}

const MAX_CARACTERES = 16 * 1024 * 1024;
const MAX_ETIQUETAS = 200_000;
const TEXTO_LITERAL = new Set(['script', 'style', 'textarea', 'title', 'noscript']);
const NOMBRE = /[a-z][^\s/>]*/iy;

/**
 * Reads a page as a flat list of tags, in time linear in its length whatever is in it. A tree builder is quadratic in the
 * depth of hostile nesting (a minute for half a megabyte), and nothing that is read from the portal's pages needs a tree.
 * Throws RESPUESTA_ILEGIBLE past 16 Mi characters or 200,000 tags.
 */
export function readEtiquetas(html: string): readonly Etiqueta[] {
  if (html.length > MAX_CARACTERES) throw ilegible('pagina demasiado grande');
  const etiquetas: Etiqueta[] = [];
  let pending: { nombre: string; cierra: boolean; atributos: string } | null = null;
  let textFrom = 0;
  const flush = (textTo: number) => {
    if (pending !== null) etiquetas.push({ ...pending, texto: html.slice(textFrom, textTo) });
    if (etiquetas.length > MAX_ETIQUETAS) throw ilegible('pagina con demasiadas etiquetas');
    pending = null;
  };
  let at = html.indexOf('<');
  while (at !== -1) {
    const next = html[at + 1] ?? '';
    const cierra = next === '/';
    NOMBRE.lastIndex = at + (cierra ? 2 : 1);
    const found = NOMBRE.exec(html)?.[0];
    const isMarkup = cierra || next === '!' || next === '?';
    if (found === undefined && !isMarkup) {
      at = html.indexOf('<', at + 1);
      continue;
    }
    const end = tagEnd(html, at);
    if (end === -1) break;
    if (found === undefined) {
      at = html.indexOf('<', end);
      continue;
    }
    flush(at);
    const nombre = found.toLowerCase();
    pending = { nombre, cierra, atributos: html.slice(at + (cierra ? 2 : 1) + found.length, end - 1) };
    textFrom = end;
    at = html.indexOf('<', cierra ? end : literalEnd(html, nombre, end));
  }
  flush(html.length);
  return etiquetas;
}

/** Where the tag that begins at `at` ends (after its `>`), quoted attribute values skipped; -1 when it never does. */
function tagEnd(html: string, at: number): number {
  if (html.startsWith('<!--', at)) {
    const end = html.indexOf('-->', at + 4);
    return end === -1 ? -1 : end + 3;
  }
  let i = at + 1;
  let close = -1;
  for (;;) {
    if (close < i) close = html.indexOf('>', i);
    if (close === -1) return -1;
    const quote = firstQuote(html, i, close);
    if (quote === -1) return close + 1;
    const closing = html.indexOf(html.charAt(quote), quote + 1);
    if (closing === -1) return -1;
    i = closing + 1;
  }
}

/** A quote opens a value only after `=`, as in `value="a>b"`; the apostrophe of a text is none. */
function firstQuote(html: string, from: number, to: number): number {
  for (let i = from; i < to; i += 1) {
    const char = html.charCodeAt(i);
    if ((char === 34 || char === 39) && isTrasIgual(html, from, i)) return i;
  }
  return -1;
}

/** Whether only blanks, fifteen at most, stand between an equals sign and this place. */
function isTrasIgual(html: string, from: number, at: number): boolean {
  const first = Math.max(from, at - 16);
  for (let i = at - 1; i >= first; i -= 1) {
    const char = html.charAt(i);
    if (char === '=') return true;
    if (char.trim() !== '') return false;
  }
  return false;
}

function literalEnd(html: string, nombre: string, from: number): number {
  if (!TEXTO_LITERAL.has(nombre)) return from;
  const end = new RegExp(`</${nombre}`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

const ATRIBUTO = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/** The value of an attribute with its entities decoded; '' for one without value, undefined when it is not there. */
export function readAtributo(etiqueta: Etiqueta, nombre: string): string | undefined {
  if (!mayHave(etiqueta.atributos, nombre)) return undefined;
  for (const match of etiqueta.atributos.matchAll(ATRIBUTO)) {
    if (match[1]?.toLowerCase() === nombre) return decodeEntidades(match[2] ?? match[3] ?? match[4] ?? '');
  }
  return undefined;
}

const BUSCADOS = new Map<string, RegExp>();

/** Whether the name stands there at all: asked of tens of thousands of tags, of which few have it. */
function mayHave(atributos: string, nombre: string): boolean {
  if (atributos === '') return false;
  let buscado = BUSCADOS.get(nombre);
  if (buscado === undefined) {
    buscado = new RegExp(`(?:^|[\\s"'>/=])${nombre}(?:[\\s"'>/=]|$)`, 'i');
    BUSCADOS.set(nombre, buscado);
  }
  return buscado.test(atributos);
}

/** Decodes HTML entities, all of them, in a text without tags. */
export function decodeEntidades(texto: string): string {
  return texto.includes('&') ? load(texto.replaceAll('<', '&lt;'), null, false).text() : texto;
}

/** The text of a list of tags without scripts, styles and comments, entities decoded, runs of white space as one blank. */
export function readTexto(etiquetas: readonly Etiqueta[]): string {
  const visible = etiquetas.filter((e) => e.cierra || (e.nombre !== 'script' && e.nombre !== 'style'));
  return decodeEntidades(visible.map((e) => dropComentarios(e.texto)).join(' '))
    .replace(/\s+/g, ' ')
    .trim();
}

function dropComentarios(texto: string): string {
  if (!texto.includes('<!--')) return texto;
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const from = texto.indexOf('<!--', at);
    if (from === -1) return kept.join('') + texto.slice(at);
    kept.push(texto.slice(at, from));
    const to = texto.indexOf('-->', from + 4);
    if (to === -1) return kept.join('');
    at = to + 3;
  }
}

/** The tags from the element with this id to its end (to the end of the page when it is not closed); null when it is not there. */
export function findElemento(etiquetas: readonly Etiqueta[], id: RegExp): readonly Etiqueta[] | null {
  const from = etiquetas.findIndex((e) => !e.cierra && id.test(readAtributo(e, 'id') ?? ''));
  return from === -1 ? null : elementoEn(etiquetas, from);
}

/** The tags of the element that begins at a place, to its end (to the end of the page when it is not closed). */
export function elementoEn(etiquetas: readonly Etiqueta[], from: number): readonly Etiqueta[] {
  const nombre = etiquetas[from]?.nombre;
  let depth = 0;
  for (let i = from; i < etiquetas.length; i += 1) {
    const etiqueta = etiquetas[i];
    if (etiqueta?.nombre !== nombre) continue;
    depth += etiqueta?.cierra ? -1 : 1;
    if (depth === 0) return etiquetas.slice(from, i);
  }
  return etiquetas.slice(from);
}

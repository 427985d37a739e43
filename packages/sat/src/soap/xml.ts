import { SatError } from '@acuse/core';
import { SaxesParser } from 'saxes';
import { ilegible } from '../texto.ts';

export const NS_SOAP = 'http://schemas.xmlsoap.org/soap/envelope/';
export const MAX_DEPTH = 32;
/**
 * The longest answer in truth, a verification, has an element for each of some hundred packages, and six attributes.
 */
export const MAX_ELEMENTOS = 10_000;
export const MAX_ATTRIBUTES = 64;
/** Characters of one text or of one attribute. The longest in truth is a token of some two thousand. */
export const MAX_TEXTO = 64 * 1024;

/** An element of an answer. Names without prefix. */
export interface Elemento {
  readonly nombre: string;
  readonly ns: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly children: readonly Elemento[];
  /** Its own text, children left out. */
  readonly texto: string;
}

interface Abierto extends Elemento {
  readonly children: Elemento[];
  texto: string;
}

/**
 * A strict, namespaced parser that throws RESPUESTA_ILEGIBLE at the first element, attribute or value over the limits,
 * before keeping it. Uses the events `opentagstart` and `attribute`; the keeper of the open elements limits the depth.
 */
export function createParser(): SaxesParser<{ xmlns: true }> {
  const parser = new SaxesParser({ xmlns: true });
  let elementos = 0;
  let attrs = 0;
  parser.on('opentagstart', () => {
    elementos += 1;
    attrs = 0;
    if (elementos > MAX_ELEMENTOS) throw ilegible('demasiados elementos');
  });
  parser.on('attribute', ({ value }) => {
    attrs += 1;
    if (attrs > MAX_ATTRIBUTES) throw ilegible('demasiados atributos');
    if (value.length > MAX_TEXTO) throw ilegible('atributo demasiado largo');
  });
  return parser;
}

/**
 * Reads an answer of the SAT as strict, namespaced XML. Knows only the five entities of XML; refuses a document type, a
 * text larger than any answer, and any text that is not well-formed to its last byte: a truncated answer is not a
 * shorter answer. Throws RESPUESTA_ILEGIBLE.
 */
export function parseXml(text: string): Elemento {
  if (/<!(doctype|entity)/i.test(text)) throw ilegible('DOCTYPE');
  const stack: Abierto[] = [];
  let root: Elemento | undefined;
  const parser = createParser();
  parser.on('opentag', (tag) => {
    if (stack.length >= MAX_DEPTH) throw ilegible('demasiada profundidad');
    const attrs = attributesOf(tag.attributes);
    const elemento: Abierto = { nombre: tag.local, ns: tag.uri, attrs, children: [], texto: '' };
    stack.at(-1)?.children.push(elemento);
    root ??= elemento;
    stack.push(elemento);
  });
  parser.on('closetag', () => {
    stack.pop();
  });
  const addText = (piece: string) => {
    const open = stack.at(-1);
    if (open === undefined) return;
    open.texto += piece;
    if (open.texto.length > MAX_TEXTO) throw ilegible('texto demasiado largo');
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  runParser(() => parser.write(text).close());
  if (root === undefined) throw ilegible('respuesta vacía');
  return root;
}

/** Attributes without a namespace, by name, without a prototype. */
export function attributesOf(
  attributes: Readonly<Record<string, { local: string; uri: string; value: string }>>,
): Record<string, string> {
  const own: Record<string, string> = Object.create(null);
  for (const { local, uri, value } of Object.values(attributes)) if (uri === '') own[local] = value;
  return own;
}

/** Runs a step of the parser. Its errors quote the document, so only the fact that there was one goes on. */
export function runParser(step: () => void): void {
  try {
    step();
  } catch (error) {
    throw error instanceof SatError ? error : ilegible('XML mal formado');
  }
}

/** The only child of that name in that namespace, or RESPUESTA_ILEGIBLE. */
export function onlyChild(padre: Elemento, ns: string, nombre: string): Elemento {
  const [child, otro] = padre.children.filter((h) => h.nombre === nombre);
  if (child?.ns !== ns || otro !== undefined) throw ilegible(`falta ${nombre}`);
  return child;
}

/** The result of an operation, as WCF names it: `…Response` around `…Result`, both in the operation's namespace. */
export function resultOf(contenido: Elemento, ns: string, operacion: string): Elemento {
  if (contenido.nombre !== `${operacion}Response` || contenido.ns !== ns) throw ilegible(`falta ${operacion}Response`);
  return onlyChild(contenido, ns, `${operacion}Result`);
}

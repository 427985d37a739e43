import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import { ilegible } from '../../texto.ts';

/** One tag of a page and the text that follows it up to the next tag. */
export interface Etiqueta {
  /** Lower case. */
  readonly nombre: string;
  readonly closes: boolean;
  /** By lower-case name, the first of several with one name; '' for one without value. */
  readonly attrs: ReadonlyMap<string, string>;
  /** Without comments; of a script or style its source. */
  readonly texto: string;
}

interface EtiquetaAbierta extends Etiqueta {
  texto: string;
}

const MAX_CARACTERES = 16 * 1024 * 1024;
const MAX_ETIQUETAS = 200_000;
const MAX_ATTRIBUTES = 1_000_000;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/**
 * Reads a page as a flat list of tags with entities decoded, in time linear in its length whatever is in it. A tree
 * builder is quadratic in the depth of hostile nesting (a minute for half a megabyte), and nothing that is read from
 * the portal's pages needs a tree. `noscript` counts as text, as in a browser that runs scripts. Throws
 * RESPUESTA_ILEGIBLE past 16 Mi characters, 200,000 tags or a million attributes.
 */
export function readTags(html: string): readonly Etiqueta[] {
  if (html.length > MAX_CARACTERES) throw ilegible('pagina demasiado grande');
  const etiquetas: EtiquetaAbierta[] = [];
  let textFrom = 0;
  let textTo = 0;
  const flush = () => {
    const last = etiquetas.at(-1);
    if (last !== undefined && textFrom < textTo) {
      const texto = html.slice(textFrom, textTo);
      last.texto += !last.closes && isCodigo(last.nombre) ? texto : decodeHTML(texto);
    }
    textFrom = textTo;
  };
  let inNoscript = false;
  const push = (nombre: string, closes: boolean, attrs = NO_ATTRIBUTES) => {
    const isNoscript = nombre === 'noscript';
    if (inNoscript && !(isNoscript && closes)) return;
    inNoscript = isNoscript && !closes;
    flush();
    if (etiquetas.length === MAX_ETIQUETAS) throw ilegible('pagina con demasiadas etiquetas');
    etiquetas.push({ nombre, closes, attrs, texto: '' });
  };
  let nombre = '';
  let attrs: Map<string, string> | undefined;
  let attr = '';
  let valor = '';
  let total = 0;
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(from, to) {
        nombre = html.slice(from, to).toLowerCase();
        attrs = undefined;
      },
      onattribname(from, to) {
        attr = html.slice(from, to).toLowerCase();
        valor = '';
      },
      onattribdata(from, to) {
        valor = html.slice(from, to);
      },
      onattribend() {
        attrs ??= new Map();
        if (attrs.has(attr)) return;
        total += 1;
        if (total > MAX_ATTRIBUTES) throw ilegible('pagina con demasiados atributos');
        attrs.set(attr, decodeHTMLAttribute(valor));
      },
      onopentagend: () => push(nombre, false, attrs),
      onselfclosingtag: () => push(nombre, false, attrs),
      onclosetag: (from, to) => push(html.slice(from, to).toLowerCase(), true),
      ontext(from, to) {
        if (from !== textTo) {
          flush();
          textFrom = from;
        }
        textTo = to;
      },
      ontextentity() {},
      onattribentity() {},
      oncomment() {},
      oncdata() {},
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  flush();
  return etiquetas;
}

function isCodigo(nombre: string): boolean {
  return nombre === 'script' || nombre === 'style';
}

/** The text of a list of tags without scripts and styles, runs of white space as one blank. */
export function readTexto(etiquetas: readonly Etiqueta[]): string {
  const visible = etiquetas.filter(({ nombre, closes }) => closes || !isCodigo(nombre));
  return visible
    .map(({ texto }) => texto)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * The tags from the element with this id to its end (to the end of the page when it is not closed); null when it is not
 * there.
 */
export function findElement(etiquetas: readonly Etiqueta[], id: RegExp): readonly Etiqueta[] | null {
  const from = etiquetas.findIndex((e) => !e.closes && id.test(e.attrs.get('id') ?? ''));
  return from === -1 ? null : elementoEn(etiquetas, from);
}

/** The tags of the element that begins at a place, to its end (to the end of the page when it is not closed). */
export function elementoEn(etiquetas: readonly Etiqueta[], from: number): readonly Etiqueta[] {
  const nombre = etiquetas[from]?.nombre;
  let depth = 0;
  for (let i = from; i < etiquetas.length; i += 1) {
    const etiqueta = etiquetas[i];
    if (etiqueta?.nombre !== nombre) continue;
    depth += etiqueta?.closes ? -1 : 1;
    if (depth === 0) return etiquetas.slice(from, i);
  }
  return etiquetas.slice(from);
}

/**
 * Whether the page has an element with this id that is not hidden by its own style, attribute or class (Bootstrap's).
 */
export function isVisible(etiquetas: readonly Etiqueta[], id: RegExp): boolean {
  const elemento = etiquetas.find((e) => !e.closes && id.test(e.attrs.get('id') ?? ''));
  if (elemento === undefined) return false;
  const hidden =
    /display\s*:\s*none/i.test(elemento.attrs.get('style') ?? '') ||
    elemento.attrs.get('hidden') !== undefined ||
    /(?:^|\s)(?:hidden|hide|d-none)(?:\s|$)/i.test(elemento.attrs.get('class') ?? '');
  return !hidden;
}

/** The text of an element that is shown; '' when it is hidden or not there. */
export function readTextoVisible(etiquetas: readonly Etiqueta[], id: RegExp): string {
  return isVisible(etiquetas, id) ? readTexto(findElement(etiquetas, id) ?? []) : '';
}

/** Tags that begin or end a line of a page as a reader sees it; the cells of a table's row are one line. */
const LINEA = new Set(
  'address article aside body br button dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr html iframe legend li main nav ol option p section select summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);
const SIN_TEXTO = new Set(['script', 'style', 'title', 'noscript', 'textarea', 'template']);

/** The lines of text of a page, in order, without empty ones; runs of white space as one blank. */
export function readBloques(etiquetas: readonly Etiqueta[]): readonly string[] {
  const bloques: string[] = [];
  let partes: string[] = [];
  const flush = () => {
    const texto = partes.join(' ').replace(/\s+/g, ' ').trim();
    if (texto !== '') bloques.push(texto);
    partes = [];
  };
  for (const { nombre, closes, texto } of etiquetas) {
    if (LINEA.has(nombre)) flush();
    if (closes || !SIN_TEXTO.has(nombre)) partes.push(texto);
  }
  flush();
  return bloques;
}

/** Whether a page came to its end: what follows a cut would be missing without a trace. */
export function isEntera(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some(({ nombre, closes }) => closes && (nombre === 'html' || nombre === 'body'));
}

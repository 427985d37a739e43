import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import { ilegible } from './ilegible.ts';

/** One tag of a page and the text that follows it up to the next tag. */
export interface Etiqueta {
  /** Lower case. */
  readonly nombre: string;
  readonly cierra: boolean;
  /** By lower-case name, the first of several with one name; '' for one without value. */
  readonly atributos: ReadonlyMap<string, string>;
  /** Without comments; of a script or style its source. */
  readonly texto: string;
}

interface EtiquetaAbierta extends Etiqueta {
  texto: string;
}

const MAX_CARACTERES = 16 * 1024 * 1024;
const MAX_ETIQUETAS = 200_000;
const MAX_ATRIBUTOS = 1_000_000;
const SIN_ATRIBUTOS: ReadonlyMap<string, string> = new Map();

/**
 * Reads a page as a flat list of tags with entities decoded, in time linear in its length whatever is in it. A tree
 * builder is quadratic in the depth of hostile nesting (a minute for half a megabyte), and nothing that is read from
 * the portal's pages needs a tree. `noscript` counts as text, as in a browser that runs scripts. Throws
 * RESPUESTA_ILEGIBLE past 16 Mi characters, 200,000 tags or a million attributes.
 */
export function readEtiquetas(html: string): readonly Etiqueta[] {
  if (html.length > MAX_CARACTERES) throw ilegible('pagina demasiado grande');
  const etiquetas: EtiquetaAbierta[] = [];
  let textFrom = 0;
  let textTo = 0;
  const flush = () => {
    const last = etiquetas.at(-1);
    if (last !== undefined && textFrom < textTo) {
      const texto = html.slice(textFrom, textTo);
      last.texto += !last.cierra && isCodigo(last.nombre) ? texto : decodeHTML(texto);
    }
    textFrom = textTo;
  };
  let inNoscript = false;
  const push = (nombre: string, cierra: boolean, atributos = SIN_ATRIBUTOS) => {
    const isNoscript = nombre === 'noscript';
    if (inNoscript && !(isNoscript && cierra)) return;
    inNoscript = isNoscript && !cierra;
    flush();
    if (etiquetas.length === MAX_ETIQUETAS) throw ilegible('pagina con demasiadas etiquetas');
    etiquetas.push({ nombre, cierra, atributos, texto: '' });
  };
  let nombre = '';
  let atributos: Map<string, string> | undefined;
  let atributo = '';
  let valor = '';
  let total = 0;
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(from, to) {
        nombre = html.slice(from, to).toLowerCase();
        atributos = undefined;
      },
      onattribname(from, to) {
        atributo = html.slice(from, to).toLowerCase();
        valor = '';
      },
      onattribdata(from, to) {
        valor = html.slice(from, to);
      },
      onattribend() {
        atributos ??= new Map();
        if (atributos.has(atributo)) return;
        total += 1;
        if (total > MAX_ATRIBUTOS) throw ilegible('pagina con demasiados atributos');
        atributos.set(atributo, decodeHTMLAttribute(valor));
      },
      onopentagend: () => push(nombre, false, atributos),
      onselfclosingtag: () => push(nombre, false, atributos),
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
  const visible = etiquetas.filter(({ nombre, cierra }) => cierra || !isCodigo(nombre));
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
export function findElemento(etiquetas: readonly Etiqueta[], id: RegExp): readonly Etiqueta[] | null {
  const from = etiquetas.findIndex((e) => !e.cierra && id.test(e.atributos.get('id') ?? ''));
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

import { type Etiqueta, readEtiquetas, readTexto } from './etiquetas.ts';
import { readCampos, readFormularios } from './formulario.ts';
import { ilegible } from './ilegible.ts';

/** One package that `ConsultaDescargaMasiva.aspx` offers. */
export interface DescargaListada {
  /** Upper case. */
  readonly folio: string;
  /** Opaque; goes back to the portal as it came. */
  readonly url: string;
  /** `Cantidad de documentos`, when the page has that column. */
  readonly registros: number | null;
}

export interface ListaDescargas {
  readonly descargas: readonly DescargaListada[];
  /** Fields of the page for the postback. */
  readonly campos: ReadonlyMap<string, string>;
}

export const CAMPO_FOLIO = 'ctl00$MainContent$hfFolioDescargaActual';
export const CAMPO_URL = 'ctl00$MainContent$hfUrlDescargaActual';

const ACCION =
  /AccionRetencion\(\s*'([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'\s*,\s*'([^']{1,8192})'\s*,\s*'(\w{0,64})'\s*\)/gi;

/**
 * Reads the list of packages ready to be fetched (three days back). A package shows as a call
 * `AccionRetencion('folio','url','Recuperacion')` in an attribute or a script (phpcfdi/cfdi-sat-scraper, pull request
 * 97). Throws RESPUESTA_ILEGIBLE for a page without the two hidden fields of the list, or with a call that cannot be
 * read.
 */
export function readListaDescargas(html: string): ListaDescargas {
  const etiquetas = readEtiquetas(html);
  const formulario = readFormularios(etiquetas).find((f) => readCampos(f.etiquetas).has(CAMPO_FOLIO));
  const campos = formulario && readCampos(formulario.etiquetas);
  if (campos === undefined || !campos.has(CAMPO_URL)) throw ilegible('lista de descargas');
  const found = new Map<string, DescargaListada>();
  const cuenta = createCuenta();
  let calls = 0;
  for (const etiqueta of etiquetas) {
    cuenta.see(etiqueta);
    const source = sourceOf(etiqueta);
    calls += source.split(/AccionRetencion\(\s*'/).length - 1;
    for (const [, folio = '', url = '', accion] of source.matchAll(ACCION)) {
      calls -= 1;
      if (accion !== 'Recuperacion') continue;
      const descarga = { folio: folio.toUpperCase(), url, registros: null };
      const key = `${descarga.folio} ${descarga.url}`;
      if (found.has(key)) continue;
      found.set(key, descarga);
      cuenta.claim((registros) => found.set(key, { ...descarga, registros }));
    }
  }
  cuenta.close();
  if (calls !== 0) throw ilegible('lista de descargas: AccionRetencion');
  return { descargas: [...found.values()], campos };
}

/** What of a tag may hold a call: the source of a script, else its attributes. */
function sourceOf(etiqueta: Etiqueta): string {
  if (etiqueta.cierra) return '';
  return etiqueta.nombre === 'script' ? etiqueta.texto : [...etiqueta.atributos.values()].join('\n');
}

interface Tabla {
  headings: string[];
  cells: Etiqueta[][];
  waiting: Array<(registros: number) => void>;
}

const MAX_TABLAS_ANIDADAS = 32;

/**
 * Follows tables, rows and cells and gives the number under the heading `Cantidad …` to the packages of its row. The
 * buttons of a row may sit in a table of their own inside a cell: a package that finds no number there asks the row
 * around.
 */
function createCuenta() {
  const tablas: Tabla[] = [{ headings: [], cells: [], waiting: [] }];
  const closeRow = () => {
    const tabla = tablas.at(-1);
    if (tabla === undefined) return;
    const texts = tabla.cells.map(readTexto);
    if (tabla.cells.some(([first]) => first?.nombre === 'th')) tabla.headings = texts;
    const column = tabla.headings.findIndex((heading) => /^cantidad/i.test(heading));
    const digits = /^(?:\d{1,3}(?:,\d{3})+|\d{1,12})$/.exec(texts[column] ?? '')?.[0].replaceAll(',', '');
    if (digits !== undefined) for (const set of tabla.waiting) set(Number(digits));
    else tablas.at(-2)?.waiting.push(...tabla.waiting);
    tabla.cells = [];
    tabla.waiting = [];
  };
  return {
    see(etiqueta: Etiqueta): void {
      const { nombre, cierra } = etiqueta;
      if (nombre === 'table' && cierra) {
        closeRow();
        if (tablas.length > 1) tablas.pop();
      } else if (nombre === 'table') {
        if (tablas.length < MAX_TABLAS_ANIDADAS) tablas.push({ headings: [], cells: [], waiting: [] });
      } else if (nombre === 'tr') closeRow();
      else if (!cierra && (nombre === 'td' || nombre === 'th')) tablas.at(-1)?.cells.push([etiqueta]);
      else tablas.at(-1)?.cells.at(-1)?.push(etiqueta);
    },
    claim(set: (registros: number) => void): void {
      tablas.at(-1)?.waiting.push(set);
    },
    close: closeRow,
  };
}

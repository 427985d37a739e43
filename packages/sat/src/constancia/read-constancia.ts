import type { Constancia, ObligacionFiscal, RegimenFiscal } from '@acuse/core';
import { type LineaPdf, lineasDe, type PaginaPdf } from '../pdf/pagina-pdf.ts';
import { ilegible, toLabel } from '../texto.ts';
import { type Campo, claveDeRegimen, toDatos } from './campos.ts';
import { readPares } from './pares.ts';
import { readTabla } from './tabla.ts';

/**
 * Reads the text of a constancia de situación fiscal by its headings and labels (public texts of it:
 * phpcfdi/csf-scraper, tests/_files/csf-content.txt).
 *
 * A regime with an end date is over and left out, as on the SAT's QR page. A taxpayer without obligations has no such
 * section: the list is empty when the document goes on from its regimes to its closing words, or when the table has no
 * row. Throws RESPUESTA_ILEGIBLE when the document is not complete, names another RFC than `rfc`, or a part of it
 * cannot be told; an active taxpayer without regimes counts as that.
 */
export function readConstancia(paginas: readonly PaginaPdf[], rfc: string): Constancia {
  const secciones = splitSections(paginas);
  const campos = new Map<Campo, string>([
    ...readPares(need(secciones, 'identificacion')),
    ...readPares(need(secciones, 'domicilio')),
  ]);
  const titular = rfc.toUpperCase();
  if (campos.get('rfc') !== titular || !isSealedFor(need(secciones, 'pie'), titular)) throw ilegible('constancia: RFC');
  const datos = toDatos(campos);
  const regimenes = readRegimenes(secciones.get('regimenes'));
  if (regimenes.length === 0 && datos.estatus === 'ACTIVO') throw ilegible('constancia: regímenes');
  return {
    rfc: titular,
    idCif: readIdCif(need(secciones, 'cedula')),
    ...datos,
    regimenes,
    obligaciones: readObligaciones(secciones.get('obligaciones')),
  };
}

function need(secciones: Secciones, nombre: Seccion): readonly LineaPdf[] {
  const lineas = secciones.get(nombre);
  if (lineas === undefined) throw ilegible(`constancia: ${nombre}`);
  return lineas;
}

function readRegimenes(lineas: readonly LineaPdf[] | undefined): RegimenFiscal[] {
  if (lineas === undefined) return [];
  return readTabla(lineas, ['Régimen'])
    .filter(({ hasta }) => hasta === null)
    .map(({ textos: [nombre = ''], desde }) => ({ clave: claveDeRegimen(nombre), nombre, desde }));
}

function readObligaciones(lineas: readonly LineaPdf[] | undefined): ObligacionFiscal[] {
  if (lineas === undefined) return [];
  return readTabla(lineas, ['Descripción de la Obligación', 'Descripción Vencimiento']).map(
    ({ textos: [descripcion = '', vencimiento = ''], desde, hasta }) => ({ descripcion, vencimiento, desde, hasta }),
  );
}

function readIdCif(lineas: readonly LineaPdf[]): string | null {
  return /idCIF ?: ?(\d{5,15})(?!\d)/i.exec(lineas.map(({ texto }) => texto).join('\n'))?.[1] ?? null;
}

/**
 * The seal's original string names the RFC after the date: `||2026/10/02 10:00:00|RFC|CONSTANCIA DE SITUACIÓN
 * FISCAL|…||`.
 */
function isSealedFor(lineas: readonly LineaPdf[], rfc: string): boolean {
  const texto = lineas.map((linea) => linea.texto).join(' ');
  const sellado = /\|\|\s*\d{4}\/\d{2}\/\d{2}[ \d:]*\|\s*([A-ZÑ&\d]+)\s*\|/u.exec(texto)?.[1];
  return sellado === undefined || sellado === rfc;
}

/**
 * The document by its own headings. A section that the document leaves out is absent; `pie` is what comes after the
 * last one.
 */
type Secciones = ReadonlyMap<Seccion, readonly LineaPdf[]>;
type Seccion = 'cedula' | 'identificacion' | 'domicilio' | 'actividades' | 'regimenes' | 'obligaciones' | 'pie';

const TITULOS: Readonly<Record<string, Seccion>> = {
  'datos de identificacion del contribuyente': 'identificacion',
  'datos del domicilio registrado': 'domicilio',
  'actividades economicas': 'actividades',
  regimenes: 'regimenes',
  obligaciones: 'obligaciones',
};
const PIE = /^(?:sus datos personales|si desea modificar|.?la corrupcion tiene|cadena original sello)/;
/**
 * Greatest number of cells: a constancia of many pages has some thousands, and reading takes the square of their
 * number.
 */
const MAX_CELDAS = 8_000;
const NUMERO = /^pagina \[?(\d+)\]? de \[?(\d+)\]?$/;

/**
 * Divides a constancia. Throws RESPUESTA_ILEGIBLE for a document that is no constancia, that lacks pages by its own
 * count, or whose end (the seal's original string) is missing.
 */
function splitSections(paginas: readonly PaginaPdf[]): Secciones {
  const cuantas = lineasDe(paginas).reduce((suma, { celdas }) => suma + celdas.length, 0);
  if (cuantas > MAX_CELDAS) throw ilegible('constancia: demasiado texto');
  const secciones = new Map<Seccion, LineaPdf[]>([['cedula', []]]);
  let abierta: Seccion = 'cedula';
  for (const linea of lineasDe(paginas)) {
    const forma = toLabel(linea.texto);
    const numero = NUMERO.exec(forma);
    if (numero !== null) {
      if (Number(numero[1]) !== linea.pagina || Number(numero[2]) !== paginas.length)
        throw ilegible('constancia: páginas');
      continue;
    }
    const titulo: Seccion | undefined = Object.hasOwn(TITULOS, forma) ? TITULOS[forma] : undefined;
    const nueva: Seccion | undefined = titulo ?? (abierta !== 'pie' && PIE.test(forma) ? 'pie' : undefined);
    if (nueva !== undefined) {
      if (secciones.has(nueva) || abierta === 'pie') throw ilegible(`constancia: ${nueva} dos veces`);
      secciones.set(nueva, titulo === undefined ? [linea] : []);
      abierta = nueva;
    } else secciones.get(abierta)?.push(linea);
  }
  const todo = lineasDe(paginas).map(({ texto }) => toLabel(texto));
  if (!todo.some((forma) => forma.includes('constancia de situacion fiscal'))) throw ilegible('constancia: título');
  if (!todo.some((forma) => forma.startsWith('cadena original sello'))) throw ilegible('constancia: cadena original');
  return secciones;
}

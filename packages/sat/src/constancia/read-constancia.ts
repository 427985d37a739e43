import type { Constancia, ObligacionFiscal, RegimenFiscal } from '@acuse/core';
import type { LineaPdf, PaginaPdf } from '../pdf/pagina-pdf.ts';
import { type Campo, toDatos, unreadable } from './campos.ts';
import { readPares } from './pares.ts';
import { claveDeRegimen } from './regimenes.ts';
import { type Seccion, type Secciones, splitSecciones } from './secciones.ts';
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
  const secciones = splitSecciones(paginas);
  const campos = new Map<Campo, string>([
    ...readPares(need(secciones, 'identificacion')),
    ...readPares(need(secciones, 'domicilio')),
  ]);
  const titular = rfc.toUpperCase();
  if (campos.get('rfc') !== titular || !isSealedFor(need(secciones, 'pie'), titular)) throw unreadable('RFC');
  const datos = toDatos(campos);
  const regimenes = readRegimenes(secciones.get('regimenes'));
  if (regimenes.length === 0 && datos.estatus === 'ACTIVO') throw unreadable('regímenes');
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
  if (lineas === undefined) throw unreadable(nombre);
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
    ({ textos: [descripcion = '', vencimiento = ''], desde, hasta }) => ({
      descripcion,
      vencimiento,
      desde,
      hasta,
    }),
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

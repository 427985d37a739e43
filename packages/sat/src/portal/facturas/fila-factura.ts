import type { FacturaRecibida } from '@acuse/core';
import { ilegible } from '../paginas/ilegible.ts';
import type { Fila } from '../paginas/tablas/tablas.ts';
import { readEstado, readImporte, readInstante, readRfc, readUuid } from '../paginas/tablas/valores.ts';

/**
 * Headings of the columns that are read, in their comparable form. Of those about a cancellation the portal showed the
 * date of its process until May 2025 and has shown the dates of request and of cancellation since
 * (phpcfdi/cfdi-sat-scraper, MetadataExtractor and pull request 87). Third party, motive and substitute, which came in
 * January 2023, are not read, nor is any column that may come.
 */
export const ROTULOS = {
  uuid: ['folio fiscal'],
  emisorRfc: ['rfc emisor'],
  emisorNombre: ['nombre o razon social del emisor'],
  receptorRfc: ['rfc receptor'],
  receptorNombre: ['nombre o razon social del receptor'],
  fechaEmision: ['fecha de emision'],
  fechaCertificacion: ['fecha de certificacion'],
  pacRfc: ['pac que certifico'],
  total: ['total'],
  efecto: ['efecto del comprobante'],
  estado: ['estado del comprobante'],
  estadoCancelacion: ['estatus de proceso de cancelacion'],
  fechaProceso: ['fecha de proceso de cancelacion'],
  fechaCancelacion: ['fecha de cancelacion'],
} as const;

export type Columna = keyof typeof ROTULOS;

/** Without these a row is not known. */
export const NECESARIAS = ['uuid', 'emisorRfc', 'receptorRfc', 'fechaEmision', 'total', 'estado'] as const;

/**
 * Reads one row. Throws RESPUESTA_ILEGIBLE for a cell that does not hold what its heading says, and for a CFDI whose
 * receiver is another RFC than `rfc`: the page was not asked for it.
 */
export function readFactura(fila: Fila, columnas: ReadonlyMap<Columna, number>, rfc: string): FacturaRecibida {
  const texto = (columna: Columna): string => {
    const place = columnas.get(columna);
    return place === undefined ? '' : (fila[place]?.textoEntero ?? '');
  };
  const opcional = <T>(columna: Columna, read: (texto: string) => T): T | null => {
    const valor = texto(columna);
    return valor === '' ? null : read(valor);
  };
  const receptorRfc = readRfc(texto('receptorRfc'));
  if (receptorRfc !== rfc.toUpperCase()) throw ilegible('busqueda: CFDI de otro receptor');
  const estado = readEstado(texto('estado'));
  const fechaProceso = estado === 'CANCELADO' ? opcional('fechaProceso', readInstante) : null;
  return {
    uuid: readUuid(texto('uuid')),
    emisorRfc: readRfc(texto('emisorRfc')),
    emisorNombre: opcional('emisorNombre', same),
    receptorRfc,
    receptorNombre: opcional('receptorNombre', same),
    fechaEmision: readInstante(texto('fechaEmision')),
    fechaCertificacion: opcional('fechaCertificacion', readInstante),
    pacRfc: opcional('pacRfc', same),
    total: readImporte(texto('total')),
    efecto: opcional('efecto', same),
    estado,
    estadoCancelacion: opcional('estadoCancelacion', same),
    fechaCancelacion: opcional('fechaCancelacion', readInstante) ?? fechaProceso,
  };
}

function same(texto: string): string {
  return texto;
}

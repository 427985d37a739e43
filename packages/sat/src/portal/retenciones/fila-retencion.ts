import type { Retencion } from '@acuse/core';
import type { FilaReunible } from '../busqueda/reunir.ts';
import { ilegible } from '../paginas/ilegible.ts';
import type { Fila } from '../paginas/tablas/tablas.ts';
import { readEstado, readFecha, readImporte, readRfc, readUuid } from '../paginas/tablas/valores.ts';

/** A row with the instant of issue, where the portal shows one. */
export interface FilaRetencion extends Omit<Retencion, 'fecha'>, FilaReunible {}

/**
 * Headings under which a column is looked for, in their comparable form and order of preference. The portal's own are
 * not known from a public source: these are the headings of the CFDI portal and of the SAT's page that verifies a
 * retención (phpcfdi/sat-estado-retenciones, ResultConverter), and plain variants of them.
 */
export const ROTULOS = {
  uuid: ['folio fiscal', 'uuid'],
  emisorRfc: ['rfc emisor', 'rfc del emisor'],
  receptorRfc: ['rfc receptor', 'rfc del receptor'],
  fechaEmision: ['fecha de emision', 'fecha de expedicion', 'fecha emision', 'fecha expedicion'],
  total: [
    'monto total de la operacion',
    'monto total de operacion',
    'monto total operacion',
    'monto de la operacion',
    'total de la operacion',
    'total del cfdi retencion',
    'total',
  ],
  estado: ['estado del comprobante', 'estado cfdi retencion', 'estado del cfdi', 'estado comprobante', 'estado'],
} as const;

export type Columna = keyof typeof ROTULOS;

export type Lado = 'RECIBIDA' | 'EMITIDA';

/** Without these a row is not known. The side of the taxpayer may be left out by the page: it is the taxpayer's. */
export const NECESARIAS: Readonly<Record<Lado, readonly Columna[]>> = {
  RECIBIDA: ['uuid', 'emisorRfc', 'fechaEmision', 'total', 'estado'],
  EMITIDA: ['uuid', 'receptorRfc', 'fechaEmision', 'total', 'estado'],
};

/**
 * Reads one row; RESPUESTA_ILEGIBLE for a cell that does not hold what its heading says, and for a document of another
 * taxpayer.
 */
export function readRetencion(
  fila: Fila,
  columnas: ReadonlyMap<Columna, number>,
  lado: Lado,
  rfc: string,
): FilaRetencion {
  const texto = (columna: Columna): string | null => {
    const place = columnas.get(columna);
    return place === undefined ? null : (fila[place]?.textoEntero ?? '');
  };
  const propio = rfc.toUpperCase();
  const propia = lado === 'RECIBIDA' ? 'receptorRfc' : 'emisorRfc';
  const mostrado = texto(propia);
  if (mostrado !== null && readRfc(mostrado) !== propio) throw ilegible('retenciones: de otro contribuyente');
  const receptor = texto('receptorRfc') ?? '';
  return {
    uuid: readUuid(texto('uuid') ?? ''),
    tipo: lado,
    emisorRfc: lado === 'EMITIDA' ? propio : readRfc(texto('emisorRfc') ?? ''),
    receptorRfc: lado === 'RECIBIDA' ? propio : receptor === '' ? null : readRfc(receptor),
    total: readImporte(texto('total') ?? ''),
    fechaEmision: readFecha(texto('fechaEmision') ?? ''),
    estado: readEstado(texto('estado') ?? ''),
  };
}

import type { Cambio } from '@acuse/sincronizacion/db';
import { isoMexico } from '../../fechas/dia-mexico.ts';
import { type ColumnaCsv, textCell } from '../../http/csv.ts';

/** The columns of changes as a file, called as `sincronizacion/cambios` calls them. */
export const COLUMNAS_CAMBIO: readonly ColumnaCsv<Cambio>[] = [
  { titulo: 'secuencia', of: ({ n }) => String(n) },
  { titulo: 'cambio', of: ({ clase }) => clase },
  { titulo: 'notado_en', of: ({ notadoEn }) => isoMexico(notadoEn) },
  { titulo: 'tipo', of: ({ tipo }) => tipo },
  { titulo: 'uuid', of: ({ uuid }) => uuid },
  { titulo: 'estado', of: ({ isVigente }) => (isVigente ? 'VIGENTE' : 'CANCELADO') },
  { titulo: 'fecha_emision', of: ({ emitidaEn }) => emitidaEn },
  { titulo: 'fecha_certificacion', of: ({ certificadaEn }) => certificadaEn ?? '' },
  { titulo: 'fecha_cancelacion', of: ({ canceladaEn }) => canceladaEn ?? '' },
  { titulo: 'contraparte_rfc', of: ({ contraparte }) => textCell(contraparte.rfc) },
  { titulo: 'contraparte_nombre', of: ({ contraparte }) => textCell(contraparte.nombre) },
  { titulo: 'rfc_pac', of: ({ rfcPac }) => textCell(rfcPac) },
  { titulo: 'efecto_comprobante', of: ({ efecto }) => textCell(efecto) },
  { titulo: 'monto', of: ({ monto }) => monto ?? '' },
  { titulo: 'tercero_rfc', of: ({ tercero }) => textCell(tercero?.rfc ?? null) },
];

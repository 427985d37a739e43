import type { MovimientoVista } from '@acuse/db';
import { type ColumnaCsv, textCell } from '@acuse/page/csv';
import { isoMexico } from '@acuse/page/dia-mexico';

/** The columns of the ledger as a file. */
export const COLUMNAS: readonly ColumnaCsv<MovimientoVista>[] = [
  { titulo: 'fecha', of: ({ creadoEn }) => isoMexico(creadoEn) },
  { titulo: 'tipo', of: ({ tipo }) => tipo },
  { titulo: 'operacion', of: ({ operacion }) => textCell(operacion) },
  { titulo: 'rfc', of: ({ rfc }) => textCell(rfc) },
  { titulo: 'creditos', of: ({ importe }) => String(importe) },
  { titulo: 'saldo', of: ({ saldo }) => String(saldo) },
  { titulo: 'llamada', of: ({ opId }) => opId },
  { titulo: 'solicitud', of: ({ solicitudId }) => solicitudId ?? '' },
  { titulo: 'pago', of: ({ pagoId }) => textCell(pagoId) },
  { titulo: 'detalle', of: ({ detalle }) => textCell(detalle) },
];

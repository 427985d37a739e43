import type { Row } from './row.ts';

/** What the SAT says of a CFDI's cancellation, in its words. */
export type Cancelacion = {
  esCancelable: 'No cancelable' | 'Cancelable sin aceptación' | 'Cancelable con aceptación';
  /** Empty when nobody asked for it. */
  estatus:
    | ''
    | 'En proceso'
    | 'Plazo vencido'
    | 'Cancelado sin aceptación'
    | 'Cancelado con aceptación'
    | 'Solicitud rechazada';
};

/** An income CFDI above this many pesos needs the receiver's acceptance (rule 2.7.1.35 of the RMF). */
const WITHOUT_ACCEPTANCE = 1000;

/** The cancellation of a row, which follows from the row alone. */
export function cancelacionOf(row: Row): Cancelacion {
  const chance = Number.parseInt(row.uuid.slice(9, 13), 16);
  const isAsked = row.efecto === 'I' && Number(row.monto) > WITHOUT_ACCEPTANCE;
  if (row.estatus === 'Cancelado') {
    if (!isAsked) return { esCancelable: 'Cancelable sin aceptación', estatus: 'Cancelado sin aceptación' };
    const estatus = chance % 3 === 0 ? 'Plazo vencido' : 'Cancelado con aceptación';
    return { esCancelable: 'Cancelable con aceptación', estatus };
  }
  if (chance % 25 === 0) return { esCancelable: 'No cancelable', estatus: '' };
  if (!isAsked) return { esCancelable: 'Cancelable sin aceptación', estatus: '' };
  const estatus = ({ 1: 'En proceso', 2: 'Solicitud rechazada' } as const)[chance % 25] ?? '';
  return { esCancelable: 'Cancelable con aceptación', estatus };
}

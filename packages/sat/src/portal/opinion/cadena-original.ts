import type { SentidoOpinion } from '@acuse/core';
import { toDia } from '../../texto/calendario.ts';

/**
 * The signed chain at the foot of an opinion: `||RFC|folio|dd-mm-yyyy|letter|certificate||`, in the layouts before and
 * after June 2025.
 */
export interface CadenaOriginal {
  readonly rfc: string;
  readonly folio: string;
  /** `yyyy-MM-dd`; null for no day of the calendar. */
  readonly fecha: string | null;
  /** Known letters are `P` and `N`; null for any other. */
  readonly sentido: SentidoOpinion | null;
}

const CADENA =
  /\|\|([A-Z&Ñ]{3,4}\d{6}[A-Z0-9]{3})\|([A-Z0-9-]{4,40})\|(\d{2})-(\d{2})-(\d{4})\|([A-Z]{1,3})\|[^|]{0,64}\|\|/g;

/** Every chain of a text; a document has one. Blanks that a line break put into it do not matter. */
export function findCadenas(texto: string): readonly CadenaOriginal[] {
  const pegado = texto.normalize('NFC').replace(/\s+/g, '').toUpperCase();
  return [...pegado.matchAll(CADENA)].map(([, rfc = '', folio = '', dia, mes, anio, letra]) => ({
    rfc,
    folio,
    fecha: toDia(Number(anio), Number(mes), Number(dia)),
    sentido: letra === 'P' ? 'POSITIVO' : letra === 'N' ? 'NEGATIVO' : null,
  }));
}

import type { SentidoOpinion } from '../../magia.ts';
import { mix, word } from '../mix.ts';
import type { Opinion } from '../perfil.ts';

/** One taxpayer in this many does not let the SAT publish its opinion. */
const UNPUBLISHED = 8;

/**
 * The opinion of a taxpayer: what a negative one names, and whether it is public (seven in eight are, and all that are
 * not positive).
 */
export function opinionOf(key: Uint32Array, sentido: SentidoOpinion): Opinion {
  const chance = (slot: number, size: number) => mix(word(key, slot), slot) % size;
  const isNegative = sentido === 'NEGATIVO';
  return {
    sentido,
    obligacionesOmitidas: isNegative
      ? [
          { descripcion: 'Pago definitivo mensual de IVA.', ejercicio: 2026, periodo: 'Marzo' },
          { descripcion: 'Pago definitivo mensual de IVA.', ejercicio: 2026, periodo: 'Abril' },
          { descripcion: 'Declaración anual de ISR', ejercicio: 2025, periodo: 'Del Ejercicio' },
        ]
      : [],
    creditos: isNegative
      ? [
          {
            numero: String(1_000_000 + chance(24, 9_000_000)),
            autoridad: 'SAT',
            fecha: '2025-08-14',
            importe: (100_000 + chance(25, 90_000_000)) / 100,
          },
        ]
      : [],
    autorizaPublicacion: sentido !== 'POSITIVO' || chance(26, UNPUBLISHED) !== 0,
  };
}

import type { TipoCredencial } from '@acuse/core';

/**
 * What this process knows of the ways to an answer: which of an operation's credentials the SAT last left without one.
 */
export interface Caminos {
  /** The same, those that failed last behind the others. */
  order<T extends { readonly tipo: TipoCredencial }>(operacion: string, opciones: readonly T[]): readonly T[];
  note(operacion: string, tipo: TipoCredencial, isAnswered: boolean): void;
}

/**
 * A way that failed is tried first again after this time, milliseconds: the SAT's bad hours end, and an order is only a
 * preference.
 */
const OLVIDO_MS = 10 * 60_000;

export function createCaminos(now: () => number = Date.now): Caminos {
  const fallos = new Map<string, number>();
  const nameOf = (operacion: string, tipo: TipoCredencial) => `${operacion} ${tipo}`;
  return {
    order(operacion, opciones) {
      const isFailing = ({ tipo }: { readonly tipo: TipoCredencial }) =>
        now() - (fallos.get(nameOf(operacion, tipo)) ?? Number.NEGATIVE_INFINITY) < OLVIDO_MS;
      return [...opciones.filter((each) => !isFailing(each)), ...opciones.filter(isFailing)];
    },
    note(operacion, tipo, isAnswered) {
      if (isAnswered) fallos.delete(nameOf(operacion, tipo));
      else fallos.set(nameOf(operacion, tipo), now());
    },
  };
}

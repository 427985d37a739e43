import { FalloOrden } from '@acuse/roles/client';
import { AcuseError } from '@acuse/sdk';

/** Counts what the calls of a session may cost. */
export interface Gasto {
  /**
   * Does what costs so many credits. What the service gave back, or never took, can be used again.
   *
   * @throws FalloOrden `TOPE_DE_CREDITOS` when as much is not left; nothing is done then.
   */
  spend<T>(costo: number, work: () => Promise<T>, isGivenBack: (answer: T) => boolean): Promise<T>;
}

/** A session that may cost `tope` credits altogether. */
export function createGasto(tope: number): Gasto {
  let used = 0;
  return {
    async spend(costo, work, isGivenBack) {
      if (used + costo > tope)
        throw new FalloOrden(
          'TOPE_DE_CREDITOS',
          `No se hizo ni se cobró: esta sesión puede gastar ${tope} créditos y ya usó ${used}. La persona puede empezar otra, o poner más con --creditos en la configuración del asistente.`,
        );
      // Before the work: calls that are made together may not take more than one after the other.
      used += costo;
      try {
        const answer = await work();
        if (isGivenBack(answer)) used -= costo;
        return answer;
      } catch (error) {
        // An error of the service refunds its cost. A call without an answer may have been charged.
        if (error instanceof AcuseError && error.codigo !== null) used -= costo;
        throw error;
      }
    },
  };
}

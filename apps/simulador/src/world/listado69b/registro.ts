import type { Situacion69B } from '../magia.ts';
import type { WallTime } from '../wall-time.ts';

/**
 * A stage of a proceeding: the global notice and when it was published, on the SAT's page and in the DOF. Days, wall
 * clock.
 */
export type Paso = {
  situacion: Situacion69B;
  oficio: string;
  fechaSat: WallTime;
  /** Null: the list leaves the columns of the DOF empty. */
  fechaDof: WallTime | null;
};

/** A proceeding of the list of article 69-B. */
export type Registro = {
  rfc: string;
  nombre: string;
  /** The list shows X in place of the RFC and no name. */
  isMasked: boolean;
  /** Oldest first, at least one; the last one is where the taxpayer stands. */
  pasos: readonly [Paso, ...Paso[]];
};

/** Where a proceeding stands. */
export function situacionOf({ pasos }: Registro): Situacion69B {
  return (pasos.at(-1) ?? pasos[0]).situacion;
}

/** The proceeding as it stood at the end of a day; null when it had not begun. */
export function asOf(registro: Registro, corte: WallTime): Registro | null {
  const [first, ...rest] = registro.pasos.filter(({ fechaSat }) => fechaSat <= corte);
  return first ? { ...registro, pasos: [first, ...rest] } : null;
}

/** Differences that are shown; more are counted only. */
const SHOWN = 10;

/** Collects what a check found, in the order of the report. */
export function createHallazgos() {
  const diferencias: string[] = [];
  const revisado: string[] = [];
  const noRevisado: string[] = [];
  let total = 0;
  const falla = (texto: string): void => {
    total += 1;
    if (diferencias.length < SHOWN) diferencias.push(texto);
  };
  return {
    falla,
    diferencias,
    revisado,
    noRevisado,
    get total() {
      return total;
    },
    /** Makes a check; its line counts as checked only when nothing was found. */
    revisa(texto: string, check: () => void): void {
      const before = total;
      check();
      if (total === before) revisado.push(texto);
    },
    /** A line about what was not. */
    omitio: (texto: string) => void noRevisado.push(texto),
  };
}

export type Hallazgos = ReturnType<typeof createHallazgos>;

const number = new Intl.NumberFormat('es-MX');
export const cuantos = (n: number): string => number.format(n);

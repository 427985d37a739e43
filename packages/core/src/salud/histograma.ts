/** Elements of a histogram, of milliseconds or of seconds alike: the last takes everything above half an hour, or 24 days. */
export const CUBETAS = 44;

/** Largest value of an element: two elements double it. */
const ceiling = (indice: number) => 2 ** (indice / 2);

/** Largest values of all elements but the last, in their order. */
export const LIMITES: readonly number[] = Array.from({ length: CUBETAS - 1 }, (_, indice) => ceiling(indice));

/** The element that a value belongs to, from 0. */
export function cubetaDe(valor: number): number {
  if (!(valor > 1)) return 0;
  return Math.min(CUBETAS - 1, Math.ceil(2 * Math.log2(valor)));
}

/**
 * The value that a share `p` (0 to 1) of what a histogram counts did not exceed, interpolated inside its element: right
 * to within the element's width, a factor of 1.42. Null when it counts nothing.
 */
export function percentile(cubetas: readonly number[], p: number): number | null {
  const total = cubetas.reduce((sum, n) => sum + n, 0);
  if (total <= 0) return null;
  const buscado = p * total;
  let hasta = 0;
  for (const [indice, n] of cubetas.entries()) {
    if (n > 0 && hasta + n >= buscado) {
      const desde = indice === 0 ? 0 : ceiling(indice - 1);
      return desde + (ceiling(indice) - desde) * ((buscado - hasta) / n);
    }
    hasta += n;
  }
  return ceiling(cubetas.length - 1);
}

/** One histogram of what several count. */
export function sumaDe(histograms: readonly (readonly number[])[]): number[] {
  const suma = new Array<number>(CUBETAS).fill(0);
  for (const cubetas of histograms) for (const [i, n] of cubetas.entries()) suma[i] = (suma[i] ?? 0) + n;
  return suma;
}

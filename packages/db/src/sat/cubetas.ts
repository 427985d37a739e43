/** Elements of a histogram of latencies. The last takes everything above half an hour. */
export const CUBETAS = 44;

/** Largest latency of an element, milliseconds: two elements double it. */
const techo = (indice: number) => 2 ** (indice / 2);

/** The element that a latency belongs to, from 0. */
export function cubetaDe(ms: number): number {
  if (!(ms > 1)) return 0;
  return Math.min(CUBETAS - 1, Math.ceil(2 * Math.log2(ms)));
}

/**
 * Milliseconds that a share `p` (0 to 1) of what a histogram counts did not exceed, interpolated inside its element:
 * right to within the element's width, a factor of 1.42. Null when it counts nothing.
 */
export function percentil(cubetas: readonly number[], p: number): number | null {
  const total = cubetas.reduce((sum, n) => sum + n, 0);
  if (total <= 0) return null;
  const buscado = p * total;
  let hasta = 0;
  for (const [indice, n] of cubetas.entries()) {
    if (n > 0 && hasta + n >= buscado) {
      const desde = indice === 0 ? 0 : techo(indice - 1);
      return desde + (techo(indice) - desde) * ((buscado - hasta) / n);
    }
    hasta += n;
  }
  return techo(cubetas.length - 1);
}

import { type CuentaPorEfecto, EFECTOS, type Efecto, type ResumenPaquete } from '@acuse/core';

const ZERO = 0x30;
const OTRO = EFECTOS.length - 1;
const CANCELADOS = EFECTOS.length;

/** Six years are 72 months; what lies beyond this many comes from a text that is not what it should be. */
const MAX_MONTHS = 240;

/** The place of an efecto in {@link EFECTOS} by the first byte of its field: `I`, also `Ingreso` and `ingreso`. */
const PLACE = new Uint8Array(256).fill(OTRO);
EFECTOS.slice(0, OTRO).forEach((letter, place) => {
  PLACE[letter.charCodeAt(0)] = place;
  PLACE[letter.toLowerCase().charCodeAt(0)] = place;
});

/** The kind of a CFDI by the first byte of its efecto_comprobante. */
export const efectoOf = (first: number): Efecto => EFECTOS[PLACE[first] as number] ?? 'otro';

/** Counts the rows of `metadata.csv` by kind and month as they are written. Memory does not grow with them. */
export class Resumen {
  readonly #months = new Map<number, Float64Array>();
  readonly #rest: Float64Array = new Float64Array(EFECTOS.length + 1);
  #lastKey = -1;
  #last: Float64Array = this.#rest;

  /**
   * Counts one row: `fecha` is the offset in `out` of its written fecha_emision; `efecto` the first byte of that
   * column.
   */
  add(out: Uint8Array, fecha: number, efecto: number, isCancelado: boolean): void {
    const key =
      digit(out, fecha) * 100_000 +
      digit(out, fecha + 1) * 10_000 +
      digit(out, fecha + 2) * 1_000 +
      digit(out, fecha + 3) * 100 +
      digit(out, fecha + 5) * 10 +
      digit(out, fecha + 6);
    const month = key === this.#lastKey ? this.#last : this.#monthOf(key);
    const place = PLACE[efecto] as number;
    month[place] = (month[place] as number) + 1;
    if (isCancelado) month[CANCELADOS] = (month[CANCELADOS] as number) + 1;
  }

  #monthOf(key: number): Float64Array {
    let month = this.#months.get(key);
    if (month === undefined) {
      if (this.#months.size >= MAX_MONTHS) return this.#rest;
      month = new Float64Array(EFECTOS.length + 1);
      this.#months.set(key, month);
    }
    this.#lastKey = key;
    this.#last = month;
    return month;
  }

  /** Totals so far. The order of the rows does not change them. */
  get total(): ResumenPaquete {
    const months = [...this.#months].sort(([a], [b]) => a - b);
    const all = [...months.map(([, counts]) => counts), this.#rest];
    const sum = new Float64Array(EFECTOS.length + 1);
    for (const counts of all) {
      for (let place = 0; place < sum.length; place++) sum[place] = (sum[place] as number) + (counts[place] as number);
    }
    const porMes = months.map(([key, counts]) => [monthText(key), named(counts)] as const);
    const rest = named(this.#rest);
    if (Object.keys(rest).length > 0) porMes.push(['otro', rest]);
    return { porEfecto: named(sum), porMes: Object.fromEntries(porMes), cancelados: sum[CANCELADOS] as number };
  }
}

function digit(out: Uint8Array, at: number): number {
  return (out[at] as number) - ZERO;
}

function monthText(key: number): string {
  const text = String(key).padStart(6, '0');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}

function named(counts: Float64Array): CuentaPorEfecto {
  return Object.fromEntries(
    EFECTOS.flatMap((efecto, place) => {
      const count = counts[place] as number;
      return count === 0 ? [] : [[efecto, count]];
    }),
  );
}

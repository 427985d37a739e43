import { DAY, type WallTime } from '../wall-time.ts';
import { keyOf, mix, unmix, word } from './mix.ts';
import type { Documento, Tipo } from './row.ts';

/** Where a row is: its number within its key, and when it was issued. */
type Position = { key: Uint32Array; n: number; emision: WallTime };

/** Rows of one taxpayer and kind in time. Intervals have both ends inside. */
export type Schedule = {
  /** Positions of an interval by time, from the `skip`-th on. */
  positions(inicio: WallTime, fin: WallTime, skip?: number): Iterable<Position>;
  count(inicio: WallTime, fin: WallTime): number;
  /** The position whose number a UUID's first 32 bits carry, one candidate a key. */
  candidates(firstWord: number): Position[];
};

const SLOTS = 8;

/** A handful a day: none to six CFDI; about one retención in five days. */
export function createDailySchedule(key: Uint32Array, documento: Documento): Schedule {
  const ofDay = (day: number): Position[] => {
    const chance = mix(word(key, 6), day);
    const size = documento === 'cfdi' ? chance % 7 : Number(chance % 5 === 0);
    return Array.from({ length: size }, (_, slot) => {
      const n = day * SLOTS + slot;
      return { key, n, emision: day * DAY + (mix(word(key, 5), n) % DAY) };
    }).sort((a, b) => a.emision - b.emision || a.n - b.n);
  };
  function* positions(inicio: WallTime, fin: WallTime, skip = 0): Iterable<Position> {
    let left = skip;
    for (let day = Math.floor(inicio / DAY); day * DAY <= fin; day++) {
      for (const position of ofDay(day)) {
        if (position.emision >= inicio && position.emision <= fin && left-- <= 0) yield position;
      }
    }
  }
  return {
    positions,
    count: (inicio, fin) => {
      let total = 0;
      for (const _ of positions(inicio, fin)) total += 1;
      return total;
    },
    candidates: (firstWord) => {
      const n = unmix(word(key, 0), firstWord);
      return ofDay(Math.floor(n / SLOTS)).filter((position) => position.n === n);
    },
  };
}

/**
 * Rows asked for by name: exactly `cantidad`, evenly spread over the whole days from `desde` to `hasta`, or over the
 * `segundos` that begin at the instant `desde`.
 */
export type Filas = {
  documento: Documento;
  tipo: Tipo;
  desde: WallTime;
  hasta: WallTime;
  cantidad: number;
  segundos?: number | undefined;
};

/** The schedule of rows asked for; the ranges must not overlap. Numbers within a range start at 0. */
export function createFixedSchedule(seed: string, rfc: string, filas: readonly Filas[]): Schedule {
  const ranges = [...filas]
    .sort((a, b) => a.desde - b.desde)
    .map(({ documento, tipo, desde, hasta, cantidad, segundos }) => {
      const key = keyOf(seed, rfc, documento, tipo, desde, hasta, cantidad);
      const seconds = segundos ?? hasta + DAY - desde;
      const at = (n: number): WallTime => desde + Math.floor((n * seconds) / cantidad);
      const firstAtOrAfter = (time: WallTime) =>
        Math.min(cantidad, Math.max(0, Math.ceil(((time - desde) * cantidad) / seconds)));
      return { key, cantidad, at, firstAtOrAfter };
    });
  return {
    *positions(inicio, fin, skip = 0) {
      let left = skip;
      for (const { key, at, firstAtOrAfter } of ranges) {
        const first = firstAtOrAfter(inicio);
        const end = firstAtOrAfter(fin + 1);
        for (let n = first + left; n < end; n++) yield { key, n, emision: at(n) };
        left = Math.max(0, left - Math.max(0, end - first));
      }
    },
    count: (inicio, fin) =>
      ranges.reduce((sum, r) => sum + Math.max(0, r.firstAtOrAfter(fin + 1) - r.firstAtOrAfter(inicio)), 0),
    candidates: (firstWord) =>
      ranges.flatMap(({ key, cantidad, at }) => {
        const n = unmix(word(key, 0), firstWord);
        return n < cantidad ? [{ key, n, emision: at(n) }] : [];
      }),
  };
}

import { addDays, type TipoDescarga } from '@acuse/core';
import type { FilaCfdi } from '../../integration/almacen/csv.ts';
import { createRandom } from '../random.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Milliseconds at which a day begins in central Mexico. */
export const startOf = (day: string) => Date.parse(`${day}T00:00:00-06:00`);

/** A CFDI at the SAT from a time on; `null`: unknown there. */
type State = { readonly from: number; readonly fila: FilaCfdi | null };

interface Cfdi {
  readonly day: string;
  /** In order; before the first of them it is not there. */
  readonly states: readonly State[];
}

/** All CFDI of one taxpayer and kind, present and future. */
export type Truth = ReturnType<typeof createTruth>;

const NAMES = ['Proveedor Uno', 'Comercial "La Ñ", S.A.', 'Línea\nDoble', 'ÁÉÍ & Hijos', ''] as const;

/** The last moment at which something of a CFDI of this day changes (CFF, article 29-A). */
const lastChange = (day: string, end: number) => Math.min(startOf(`${Number(day.slice(0, 4)) + 1}-04-30`), end);

/**
 * What the SAT has of a taxpayer, from `desde` on; after `hasta` nothing changes any more. Some CFDI show up days after
 * they were issued; some are cancelled, from the same day on until the end of the next April, and some of those are in
 * force again; some get other data, some are gone, for weeks or for good. It follows from the seed alone.
 */
export function createTruth(input: {
  readonly seed: number;
  readonly rfc: string;
  readonly tipo: TipoDescarga;
  readonly desde: string;
  readonly hasta: string;
  /** CFDI of a day, on average. */
  readonly rate: number;
}) {
  const { seed, rfc, tipo, desde, hasta, rate } = input;
  const azar = createRandom(seed);
  const end = startOf(hasta);
  const days = new Map<string, Cfdi[]>();
  let made = 0;

  function lifeOf(day: string, isFirst: boolean): Cfdi {
    made += 1;
    const emitida = startOf(day) + azar.below(86_400) * 1_000;
    const late = azar.below(20);
    // The first of a day is there when it is issued and never goes: a period with others never becomes empty.
    const shown = isFirst || late < 14 ? 0 : azar.below(late < 19 ? 24 * HOUR : 90 * HOUR);
    const ours = [rfc, 'La Empresa'] as const;
    const n = azar.below(NAMES.length);
    const other = [`PRV${String(n).padStart(6, '0')}AB1`, NAMES[n] ?? ''] as const;
    const local = (at: number) => new Date(at - 6 * HOUR).toISOString().slice(0, 19);
    let fila: FilaCfdi = {
      uuid: `${(seed >>> 0).toString(16).padStart(8, '0')}-0000-4000-8000-${made.toString(16).padStart(12, '0')}`.toUpperCase(),
      emisor: tipo === 'emitidos' ? ours : other,
      receptor: tipo === 'emitidos' ? other : ours,
      emitida: local(emitida),
      monto: `${azar.below(1_000_000)}.${azar.below(10)}5`,
      efecto: azar.pick(['I', 'I', 'I', 'E', 'P']),
    };
    const states: State[] = [{ from: emitida + shown, fila }];
    const last = lastChange(day, end);
    const change = (within: number, next: () => FilaCfdi | null) => {
      const before = states.at(-1)?.from ?? 0;
      const from = before + HOUR + azar.below(Math.max(1, within));
      if (from >= last) return;
      const now = next();
      states.push({ from, fila: now });
      if (now !== null) fila = now;
    };
    const fate = azar.below(100);
    if (fate < 14) {
      const within = fate < 6 ? 3 * DAY : fate < 10 ? 60 * DAY : last - emitida;
      change(within, () => ({ ...fila, cancelada: local((states.at(-1)?.from ?? 0) + HOUR) }));
      if (azar.below(8) === 0) change(30 * DAY, () => ({ ...fila, cancelada: null }));
    } else if (fate < 17) {
      change(40 * DAY, () => ({ ...fila, monto: `${azar.below(1_000)}.00`, emisor: [fila.emisor[0], 'Otro Nombre'] }));
    } else if (fate < 20 && !isFirst) {
      change(90 * DAY, () => null);
      if (fate < 18) change(40 * DAY, () => fila);
    }
    return { day, states };
  }

  for (let day = desde; day < hasta; day = addDays(day, 1)) {
    const count = Math.floor(rate) + (azar.below(1_000) < (rate % 1) * 1_000 ? 1 : 0);
    const today = Array.from({ length: azar.below(2 * count + 1) }, (_, n) => lifeOf(day, n === 0));
    if (today.length > 0) days.set(day, today);
  }

  return {
    /** Every row of these days, both included, as the SAT has it at a time. */
    rows(from: string, to: string, at: number): FilaCfdi[] {
      const rows: FilaCfdi[] = [];
      for (let day = from; day <= to; day = addDays(day, 1))
        for (const { states } of days.get(day) ?? []) {
          const fila = states.findLast((state) => state.from <= at)?.fila;
          if (fila) rows.push(fila);
        }
      return rows;
    },
  };
}

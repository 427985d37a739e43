import { calendarDay, type TipoDescarga } from '@acuse/core';
import { csvOf, type FilaCfdi } from '../../integration/almacen/csv.ts';
import type { Random } from '../random.ts';
import type { Answered } from './mirror.ts';
import type { Questions } from './protocol.ts';
import type { Truth } from './truth.ts';

/** Whom the SAT has CFDI of. */
export interface Taxed {
  readonly truths: Readonly<Partial<Record<TipoDescarga, Truth>>>;
  /** The turn after which nobody consents to a reading any more; null while somebody does. */
  revokedAfter: number | null;
  /** The SAT refuses the CIEC until it is stored anew. */
  isCiecRefused: boolean;
}

type Asked = Questions['sat']['of'];

/**
 * The SAT of the simulated year, and the storage that keeps what it gave: it is away for days, lets one wait, gives up,
 * says falsely that there is nothing, or leaves rows out of one answer. `answers` has what it really said.
 */
export function createSat(azar: Random, taxedOf: (rfc: string) => Taxed) {
  const answers = new Map<string, Answered & { readonly isLie: boolean }>();
  const waited = new Set<string>();
  const violations: string[] = [];
  let [now, isCalm, awayUntil] = [0, false, 0];
  const counts = { asked: 0, lies: 0, failures: 0, away: 0 };

  /**
   * What it says of these rows: now and then it lies, but not where nobody will ask any more, since the CFDI of `desde`
   * can be cancelled no longer: that would not be found out.
   */
  function said(filas: readonly FilaCfdi[], desde: string): readonly FilaCfdi[] {
    const isLast = calendarDay(new Date(now)) >= `${Number(desde.slice(0, 4)) + 1}-04-30`;
    const roll = isCalm || isLast ? 1_000 : azar.below(1_000);
    if (roll < 15) return [];
    if (roll < 35) return filas.filter(() => azar.below(2) === 0);
    return roll < 45 ? filas.filter(() => azar.below(30) > 0) : filas;
  }

  function answer(of: Asked): Questions['sat']['is'] {
    const { rfc, tipo, desde, hasta, solicitudId, since } = of;
    const taxed = taxedOf(rfc);
    counts.asked += 1;
    if (taxed.revokedAfter !== null && since > taxed.revokedAfter)
      violations.push(`${rfc} was read in turn ${since}, after ${taxed.revokedAfter}: nobody consents`);
    const before = answers.get(solicitudId);
    if (before !== undefined) return { resultado: 'LISTA', registros: before.filas.length };
    if (taxed.isCiecRefused) return { resultado: 'CIEC_RECHAZADA' };
    if (!isCalm) {
      if (now < awayUntil) {
        counts.away += 1;
        return { resultado: 'ESPERA', segundos: 7_200 };
      }
      const roll = azar.below(1_000);
      if (roll < 20) {
        counts.failures += 1;
        return { resultado: roll < 10 ? 'SAT_ERROR' : 'SAT_RECHAZADA' };
      }
      if (roll < 250 && !waited.has(solicitudId)) {
        waited.add(solicitudId);
        return { resultado: 'ESPERA', segundos: 60 + azar.below(20_000) };
      }
    }
    waited.delete(solicitudId);
    const real = taxed.truths[tipo]?.rows(desde, hasta, now) ?? [];
    const filas = said(real, desde);
    const isLie = filas.length < real.length;
    if (isLie) counts.lies += 1;
    answers.set(solicitudId, { desde, hasta, filas, isLie });
    return { resultado: 'LISTA', registros: filas.length };
  }

  return {
    answer,
    counts,
    violations,
    /** What it said to a solicitud; it is kept no longer than it is asked for. */
    answers,
    async csv(solicitudId: string): Promise<string> {
      const chunks: Buffer[] = [];
      for await (const chunk of csvOf(answers.get(solicitudId)?.filas ?? [])) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    },
    setTime(at: number) {
      now = at;
    },
    goAway(until: number) {
      awayUntil = until;
    },
    /** From now on it tells the truth at once. */
    calm() {
      isCalm = true;
    },
  };
}

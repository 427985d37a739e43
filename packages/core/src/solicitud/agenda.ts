import type { CanalSat } from '../credencial.ts';

export interface Agenda {
  /** Web service: seconds until the first look at an accepted request. */
  readonly primeraSegundos: number;
  /** Web service: each wait is this times the one before. */
  readonly factor: number;
  readonly maximaSegundos: number;
  /**
   * Portal, where a look outlives the session and costs a captcha: seconds after the acceptance of the solicitud at
   * which all of its parts are looked at, ascending; the last one is repeated. Hours 1, 3, 6, 12 and every 12 make five
   * log-ins in the first day, with the one that asked, and leave one for a failure.
   */
  readonly portalSegundos: readonly number[];
  /** Least seconds between two polls of a late solicitud. */
  readonly retrasadaSegundos: number;
  /** Seconds after which an empty answer is asked for again, without another channel to confirm it. */
  readonly vaciaSegundos: number;
}

/**
 * Hours after which a request that the SAT has not finished counts as late: it says 72 hours itself, and was seen to
 * take nine days.
 */
const RETRASO_HORAS = 72;

/** True for what the SAT should have finished by now. */
export function isRetrasada(creadaEn: Date, now: Date): boolean {
  return now.getTime() - creadaEn.getTime() >= RETRASO_HORAS * 3_600_000;
}

/** What decides when the SAT is looked at again. */
interface Mirada {
  readonly id: string;
  readonly canal: CanalSat;
  readonly creadaEn: Date;
  readonly now: Date;
  /** Looks at the accepted request so far. */
  readonly consultas: number;
}

/** Seconds to wait until the next look: growing, capped, spread so that solicitudes do not march in step. */
export function waitAfterPoll(agenda: Agenda, mirada: Mirada, random: () => number = Math.random): number {
  const wait =
    mirada.canal === 'portal'
      ? esperaDelPortal(agenda, mirada)
      : Math.min(agenda.primeraSegundos * agenda.factor ** Math.min(mirada.consultas, 64), agenda.maximaSegundos) *
        (0.9 + 0.2 * random());
  return isRetrasada(mirada.creadaEn, mirada.now) ? Math.max(wait, agenda.retrasadaSegundos) : wait;
}

/**
 * Seconds until the portal is looked at again: the parts of one solicitud are looked at together, in one session: its
 * spread follows from its id. Never sooner than said, or the look of hour 24 would be the seventh log-in of the first
 * day.
 */
export function esperaDelPortal(
  { portalSegundos }: Agenda,
  { id, creadaEn, now }: Pick<Mirada, 'id' | 'creadaEn' | 'now'>,
): number {
  const spread = 1 + (0.1 * Number.parseInt(id.slice(-4), 16)) / 0xffff;
  const age = (now.getTime() - creadaEn.getTime()) / 1_000 / spread;
  const last = portalSegundos.at(-1) ?? 0;
  const next = portalSegundos.find((second) => second > age) ?? (Math.floor(age / last) + 1) * last;
  return (next - age) * spread;
}

/**
 * Seconds to wait after `fallos` failures in a row: doubling, from half a minute to half an hour unless the agenda is
 * faster.
 */
export function waitAfterFailure(agenda: Agenda, fallos: number, random: () => number = Math.random): number {
  const first = Math.min(30, agenda.primeraSegundos);
  const base = Math.min(first * 2 ** Math.min(fallos, 32), agenda.maximaSegundos);
  return base * (0.8 + 0.4 * random());
}

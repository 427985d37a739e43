import { type Finding, fault, fine, skipped, warning } from '@acuse/roles/finding';

/** How far our clock is ahead of another one, in milliseconds; behind when negative. */
export interface Skew {
  readonly of: string;
  readonly ms: number;
}

/** Dates of HTTP have whole seconds, and a question takes its time. */
const WARN_MS = 5_000;
/** Tokens and signatures of the SAT live for minutes, and a stored e.firma key for one hour. */
const FAIL_MS = 60_000;

const secondsOf = (ms: number) => `${ms < 0 ? '−' : '+'}${Math.abs(ms / 1_000).toFixed(1)} s`;

/** Judges this machine's clock by those of the others; who is alone with its time is the one that is wrong. */
export function reviewClock(skews: readonly Skew[]): Finding {
  if (skews.length === 0) return skipped('ningún servidor dijo su hora');
  const off = skews.filter(({ ms }) => Math.abs(ms) > WARN_MS);
  const all = skews.map(({ of, ms }) => `${of} ${secondsOf(ms)}`).join(', ');
  if (off.length === 0) return fine(`coincide con los demás (${all})`);
  const isOurs = off.length === skews.length && new Set(off.map(({ ms }) => Math.sign(ms))).size === 1;
  const whose = isOurs ? 'esta máquina' : off.map(({ of }) => of).join(', ');
  const worst = Math.max(...off.map(({ ms }) => Math.abs(ms)));
  return (worst > FAIL_MS ? fault : warning)(
    `no coinciden los relojes; de este a cada uno: ${all}`,
    `Sincronice por NTP el reloj de ${whose} (chrony, systemd-timesyncd): el SAT rechaza firmas de otra hora.`,
  );
}

/** The middle one: a single host with a wrong clock says nothing about ours. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}

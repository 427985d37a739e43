import { type Agenda, type CanalSat, waitAfterPoll } from '@acuse/core';
import { workerConfig } from '@acuse/settings/worker';

const { shape } = workerConfig;
const settingOf = (name: 'FIRST_SECONDS' | 'FACTOR' | 'MAX_SECONDS' | 'LATE_SECONDS') =>
  shape[`SAT_POLL_${name}`].parse(undefined);

/** When a worker looks at the SAT, where no setting says otherwise. */
const AGENDA: Agenda = {
  primeraSegundos: settingOf('FIRST_SECONDS'),
  factor: settingOf('FACTOR'),
  maximaSegundos: settingOf('MAX_SECONDS'),
  retrasadaSegundos: settingOf('LATE_SECONDS'),
  portalSegundos: shape.SAT_POLL_PORTAL_SECONDS.parse(undefined),
  vaciaSegundos: shape.SAT_EMPTY_AGAIN_SECONDS.parse(undefined),
};

/** Taxpayers, and daily requests of each: issued and received CFDI of the day before. */
const RFCS = 100_000;
const A_DAY = 2;
const HOUR = 3_600;

/** Seconds after the SAT's acceptance of the looks until it is done, the one that finds it included; without the spread. */
export function looksUntil(agenda: Agenda, canal: CanalSat, doneAfter: number): number[] {
  const looks: number[] = [];
  const creadaEn = new Date(0);
  for (let at = 0; at < doneAfter || looks.length === 0; looks.push(at)) {
    const mirada = { id: '0000', canal, creadaEn, now: new Date(at * 1_000), consultas: looks.length };
    at += waitAfterPoll(agenda, mirada, () => 0.5);
  }
  return looks;
}

const CASES: readonly (readonly [name: string, canal: CanalSat, hours: number])[] = [
  ['e.firma', 'soap', 1 / 6],
  ['e.firma', 'soap', 1],
  ['CIEC', 'portal', 1],
  ['CIEC', 'portal', 12],
  ['CIEC', 'portal', 24],
  ['CIEC', 'portal', 72],
];

/**
 * What 100,000 taxpayers come to, as a table of Markdown: by the credential, and by how long the SAT takes. A step more
 * asks the SAT, one fetches the package and one makes the ZIP; a request is open until the look that finds it done.
 */
export function capacityTable(): string {
  const whole = (value: number) => Math.round(value).toLocaleString('en-US');
  const head = [
    'credential',
    'the SAT takes',
    'looks',
    'steps',
    'steps a day',
    'a second',
    'asked of the SAT a day',
    'open at once',
  ];
  const rows = CASES.map(([name, canal, hours]) => {
    const looks = looksUntil(AGENDA, canal, hours * HOUR);
    const steps = looks.length + 3;
    const requests = RFCS * A_DAY;
    return [
      name,
      hours < 1 ? `${hours * 60} min` : `${hours} h`,
      whole(looks.length),
      whole(steps),
      whole(steps * requests),
      ((steps * requests) / (24 * HOUR)).toFixed(1),
      whole((looks.length + 2) * requests),
      whole((requests * (looks.at(-1) ?? 0)) / (24 * HOUR)),
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

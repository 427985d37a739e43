import { readFileSync } from 'node:fs';
import { MAPA } from '@acuse/borrado';
import { LIFETIMES } from '@acuse/db';
import { describeConfig } from '@acuse/runtime';
import { workerConfig } from '@acuse/settings/worker';
import { ROOT } from './sources.ts';

const HEADING = '## Todas las tablas\n';

const UNITS: Readonly<Record<string, string>> = { hours: 'horas', days: 'días', day: 'día' };
const spanish = (interval: string) => interval.replace(/[a-z]+$/, (unit) => UNITS[unit] ?? unit);

/** What the placeholders of a lifetime stand for: defaults of settings, and the code's own constants. */
const values = new Map<string, string>([
  ...Object.entries(LIFETIMES).map(([table, interval]) => [table, spanish(interval)] as const),
  ...describeConfig(workerConfig).flatMap(({ name, default: written }) =>
    written ? [[name, `${written} (\`${name}\`)`] as const] : [],
  ),
]);

/** A lifetime with its numbers. Throws on a placeholder that stands for nothing. */
export function lifetimeOf(plazo: string): string {
  return plazo.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`no setting and no constant is called ${name}`);
    return value;
  });
}

const TRATOS = { borra: 'se borra', limpia: 'queda sin lo suyo', conserva: 'queda' } as const;

/** The text of docs/datos-personales.md: what stands above its table by hand, and a row for each table of the database. */
export function personalDataText(): string {
  const [byHand = ''] = readFileSync(`${ROOT}docs/datos-personales.md`, 'utf8').split(HEADING);
  const rows = Object.entries(MAPA)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([tabla, { dato, trato, plazo, por }]) =>
        `| \`${tabla}\` | ${dato} | ${lifetimeOf(plazo)} | ${TRATOS[trato]}${por === undefined ? '' : `: ${por}`} |`,
    );
  const head = ['| tabla | qué guarda | cuánto | al borrar un RFC |', '| --- | --- | --- | --- |'];
  return `${byHand}${HEADING}\n${[...head, ...rows].join('\n')}\n`;
}

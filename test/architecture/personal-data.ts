import { readFileSync } from 'node:fs';
import { MAPA } from '@acuse/borrado';
import { LIFETIMES } from '@acuse/db';
import { describeConfig } from '@acuse/runtime';
import { workerConfig } from '@acuse/settings/worker';
import { ROOT } from './sources.ts';

const HEADING = '## All tables\n';

/** What the placeholders of a lifetime stand for: defaults of settings, and the code's own constants. */
const values = new Map<string, string>([
  ...Object.entries(LIFETIMES),
  ...describeConfig(workerConfig).flatMap(({ name, default: written }) =>
    written ? [[name, `${written} (\`${name}\`)`] as const] : [],
  ),
]);

/** A lifetime with its numbers. Throws on a placeholder that stands for nothing. */
function lifetimeOf(plazo: string): string {
  return plazo.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`no setting and no constant is called ${name}`);
    return value;
  });
}

const TRATOS = { borra: 'deleted', limpia: 'cleaned', conserva: 'kept' } as const;

/** The text of docs/operators/personal-data.md: what stands above its table by hand, and every table of the database by its treatment and lifetime. */
export function personalDataText(): string {
  const [byHand = ''] = readFileSync(`${ROOT}docs/operators/personal-data.md`, 'utf8').split(HEADING);
  const groups = new Map<string, string[]>();
  for (const [tabla, { trato, plazo }] of Object.entries(MAPA).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const group = `${TRATOS[trato]} | ${lifetimeOf(plazo)}`;
    groups.set(group, [...(groups.get(group) ?? []), `\`${tabla}\``]);
  }
  const rows = [...groups].map(([group, tables]) => `| ${group} | ${tables.join(', ')} |`);
  const head = ['| on deletion | lifetime otherwise | tables |', '| --- | --- | --- |'];
  return `${byHand}${HEADING}\n${[...head, ...rows.sort()].join('\n')}\n`;
}

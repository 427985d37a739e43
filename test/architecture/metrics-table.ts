import { readFileSync } from 'node:fs';
import { CATALOGUE } from '@acuse/metrics';
import { ROOT } from './sources.ts';

const HEADING = '## All metrics\n';

const labelsOf = (labels: Readonly<Record<string, unknown>>) =>
  Object.keys(labels)
    .map((label) => `\`${label}\``)
    .join(', ') || '–';

/** The text of docs/operators/metrics.md: what stands above its table by hand, and a row for each metric of the catalogue. */
export function metricsText(): string {
  const [byHand = ''] = readFileSync(`${ROOT}docs/operators/metrics.md`, 'utf8').split(HEADING);
  const rows = Object.values(CATALOGUE).map(
    ({ name, kind, labels, from, help }) =>
      `| \`${name}\` | ${kind} | ${labelsOf(labels)} | ${from.join(', ')} | ${help} |`,
  );
  const head = ['| metric | type | labels | processes | meaning |', '| --- | --- | --- | --- | --- |'];
  return `${byHand}${HEADING}\n${[...head, ...rows].join('\n')}\n`;
}

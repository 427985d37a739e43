import { readFileSync } from 'node:fs';
import { CATALOGO } from '@acuse/contract';
import { CATALOGUE } from '@acuse/metrics';
import { describe, expect, it } from 'vitest';
import { alerts as readAlerts } from './dashboards.ts';
import { envExampleText } from './env-example.ts';
import { isTest, ROOT, readSources } from './sources.ts';

const PAGE = 'docs/operators/incidents.md';
const LABELS = ['Signs.', 'Acuse.', 'Action.', 'Callers.', 'Over when'];

/** As GitHub names the place of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .replaceAll(' ', '-');

const sectionsOf = (page: string) => {
  const [, ...parts] = readFileSync(`${ROOT}${page}`, 'utf8').split(/^## /m);
  return parts.map((text) => {
    const [heading = ''] = text.split('\n');
    const names = [...text.matchAll(/`([^`\n]+)`/g)].map(([, n = '']) => n);
    return { heading, anchor: anchorOf(heading), text, names };
  });
};
const labelsOf = (text: string) => [...text.matchAll(/^- \*\*([^*]+)\*\* \S/gm)].map(([, label]) => label);
const sections = sectionsOf(PAGE);
const alerts = readAlerts();
const code = readSources()
  .filter((source) => !isTest(source) && /^(apps|packages)\//.test(source.path))
  .map(({ text }) => text)
  .join('\n');
const metrics = new Set<string>(Object.values(CATALOGUE).map(({ name }) => name));
const settings = new Set([...envExampleText().matchAll(/^#?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name));

describe(PAGE, () => {
  it('has a section for each alert, which the alert leads to and which names it', () => {
    const led = alerts.map(({ alert, annotations }) => {
      const section = sections.find(({ anchor }) => annotations['runbook_url'] === `${PAGE}#${anchor}`);
      return [alert, section?.names.includes(alert) === true];
    });
    expect(led).toEqual(alerts.map(({ alert }) => [alert, true]));
  });

  it.each(sections)('$heading: has its signs, reaction, action, effect on callers, and end', ({ text }) => {
    expect(labelsOf(text)).toEqual(LABELS);
  });

  it.each(sections)('$heading: names existing alerts, metrics, events, settings and errors', ({ names }) => {
    const kinds: readonly (readonly [RegExp, (name: string) => boolean])[] = [
      [/^[A-Z][a-z]+[A-Z][A-Za-z]+$/, (name) => alerts.some(({ alert }) => alert === name) || code.includes(name)],
      [/^acuse_\w+$/, (name) => metrics.has(name)],
      [/^[a-z]+(_[a-z]+)+$/, (name) => code.includes(`'${name}'`) || code.includes(`${name}:`)],
      [/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/, (name) => settings.has(name) || name in CATALOGO],
    ];
    const judged = names.flatMap((name) =>
      kinds.filter(([kind]) => kind.test(name)).map(([, isThere]) => [name, isThere(name)]),
    );
    expect(judged.filter(([, isThere]) => !isThere)).toEqual([]);
    // What shows: an alert, a metric, an event of the log, or an order to ask with.
    expect(judged.length + names.filter((name) => name.startsWith('acuse operador ')).length).toBeGreaterThan(0);
  });
});

import { readFileSync } from 'node:fs';
import { ROOT } from './sources.ts';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Every expression of the dashboard, under the title of its panel. */
export function dashboardExpressions(): { readonly title: string; readonly expr: string }[] {
  const { panels } = JSON.parse(readFileSync(`${ROOT}ops/grafana/acuse.json`, 'utf8')) as { panels: readonly Panel[] };
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly severity: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Every rule of ops/prometheus/alertas.yml, which keeps to one line a field and blocks for long expressions. */
export function alerts(): Alert[] {
  const [, ...rules] = readFileSync(`${ROOT}ops/prometheus/alertas.yml`, 'utf8').split(/^ {6}- alert: /m);
  return rules.map((text) => {
    const [alert = ''] = text.split('\n');
    const expr = /^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*)\n)/m.exec(text);
    const notes = [...text.matchAll(/^ {10}(\w+): (.*)$/gm)].map(([, name = '', note = '']) => [
      name,
      note.replace(/^"(.*)"$/, '$1'),
    ]);
    return {
      alert,
      expr: (expr?.[1] ?? expr?.[2] ?? '').trim(),
      severity: /severity: (\w+)/.exec(text)?.[1] ?? '',
      annotations: Object.fromEntries(notes),
    };
  });
}

/** The metrics that an expression names. */
export function metricsIn(expr: string): string[] {
  return [...new Set(expr.match(/\b(?:acuse|nodejs|process|node)_\w+\b/g) ?? (/\bup\{/.test(expr) ? ['up'] : []))];
}

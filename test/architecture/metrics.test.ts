import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { CATALOGUE, createMetrics, type Spec } from '@acuse/metrics';
import { describe, expect, it } from 'vitest';
import { dashboardExpressions, metricsIn, alerts as readAlerts } from './dashboards.ts';
import { ROOT } from './sources.ts';

const known = new Map(Object.values<Spec>(CATALOGUE).map((spec) => [spec.name, spec]));
const specOf = (name: string) => known.get(name) ?? known.get(name.replace(/_(bucket|sum|count)$/, ''));
/** Labels of every series: whom Prometheus asked, and what a histogram adds. */
const OF_ALL = ['job', 'instance', 'service', 'le', 'alertname', 'alertstate'];
/** Of node_exporter, which tells of the disks: what it calls them, and their labels. */
const DISKS = ['node_filesystem_avail_bytes', 'node_filesystem_size_bytes'];
const OF_DISKS = ['mountpoint', 'fstype'];

const panels = dashboardExpressions();
const alerts = readAlerts();
const asked = [
  ...panels.map(({ title, expr }) => [`panel «${title}»`, expr] as const),
  ...alerts.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
];

describe('what the dashboard and the alerts ask for', () => {
  it('is a lot', () => {
    expect([panels.length > 30, alerts.length > 10]).toEqual([true, true]);
  });

  it.each(asked)('%s names metrics and labels that the code has', async (_, expr) => {
    const names = metricsIn(expr);
    expect(names.length).toBeGreaterThan(0);
    const ofProcess = await processMetrics();
    expect(names.filter((name) => specOf(name) === undefined && !ofProcess.has(name))).toEqual([]);
    const allowed = new Set([
      ...OF_ALL,
      ...(expr.includes('node_') ? OF_DISKS : []),
      ...names.flatMap((name) => Object.keys(specOf(name)?.labels ?? {})),
    ]);
    const used = [
      ...[...expr.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
      ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/\s*,\s*/)),
    ];
    expect(used.filter((label) => !allowed.has(label))).toEqual([]);
  });

  it('compares labels with values that they have', () => {
    const wrong = asked.flatMap(([who, expr]) =>
      [...expr.matchAll(/(acuse_\w+)\{([^}]*)\}/g)].flatMap(([, name = '', selector = '']) =>
        [...selector.matchAll(/([a-z_]+)=~?"([^"]*)"/g)].flatMap(([, label = '', value = '']) => {
          const values = specOf(name)?.labels[label];
          if (values === undefined || values === 'open') return [];
          return value.split('|').flatMap((one) => (values.includes(one) ? [] : [`${who}: ${label}="${one}"`]));
        }),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('takes figures of the whole installation by max: every reconciler exports them', () => {
    const whole =
      /^acuse_(queue_|solicitudes_past_deadline|webhooks_(due|oldest)|mails_(due|oldest)|readings_|captchas_pending|breaker_open|list_)/;
    const wrong = asked.filter(
      ([, expr]) =>
        metricsIn(expr).some((name) => whole.test(name)) &&
        /\bsum\b[^(]*(\([^)]*\)\s*)?\(\s*acuse_(queue|breaker|list|captchas_pending|(webhooks|mails|readings)_(due|oldest))/.test(
          expr,
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('leaves no metric unseen', () => {
    const seen = new Set(asked.flatMap(([, expr]) => metricsIn(expr)).map((name) => specOf(name)?.name));
    expect([...known.keys()].filter((name) => !seen.has(name))).toEqual([]);
  });

  it('shows on the dashboard whatever an alert asks for', () => {
    const shown = new Set(panels.flatMap(({ expr }) => metricsIn(expr)));
    const wrong = alerts.flatMap(({ alert, expr }) =>
      metricsIn(expr).flatMap((name) => ([...shown, ...DISKS, 'up'].includes(name) ? [] : [`${alert}: ${name}`])),
    );
    expect(wrong).toEqual([]);
  });

  it('has every alert say what happened, why, and what to do', () => {
    for (const { alert, annotations, severity } of alerts) {
      expect([alert, ['critical', 'warning'].includes(severity)]).toEqual([alert, true]);
      for (const part of ['summary', 'description', 'runbook'] as const)
        expect([alert, part, annotations[part]]).toEqual([alert, part, expect.stringMatching(/^.{20,}\.$/)]);
    }
  });
});

describe.skipIf(!isHere('promtool'))('promtool', () => {
  const run = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: `${ROOT}ops/prometheus` });

  it('takes the configuration and the alerts', async () => {
    const { stdout } = await run('check', 'rules', 'alertas.yml');
    expect(stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
    await run('check', 'config', '--syntax-only', 'prometheus.yml');
  });

  it('sees each alert fire on its own sign, and none before', async () => {
    const { stdout, stderr } = await run('test', 'rules', 'alertas.test.yml');
    expect(stdout + stderr).toContain('SUCCESS');
  });
});

function isHere(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      return readFileSync(join(folder, program)).length > 0;
    } catch {
      return false;
    }
  });
}

let told: Promise<ReadonlySet<string>> | undefined;
/** What prom-client tells of a process by itself, and Prometheus of every target. */
function processMetrics(): Promise<ReadonlySet<string>> {
  told ??= (async () => {
    const exposition = createMetrics('panel');
    exposition.watchProcess();
    const text = await exposition.text();
    return new Set(['up', ...DISKS, ...[...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)]);
  })();
  return told;
}

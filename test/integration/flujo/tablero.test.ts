import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@acuse/embedded';
import { expect, it } from 'vitest';
import { dashboardExpressions, metricsIn } from '../../architecture/dashboards.ts';
import { useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { waitFor } from '../fixtures/wait-for.ts';

const ACUSE = fileURLToPath(new URL('../../../packages/embedded/bin/acuse.mjs', import.meta.url));
const PROMETHEUS = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'prometheus'))
  .find((path) => existsSync(path));
/** What the demonstration starts, above METRICS_PORT: the API, no panel, and its workers. */
const PROCESSES = [0, 2, 3];
const SCRAPE_MS = 250;

const database = useDatabase();
const place = duringTests(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-tablero-'));
  return { dir, close: () => rm(dir, { recursive: true, force: true }) };
});

/** Reads what the processes tell while they live; keeps the last that each said. */
function startScraping(ports: readonly number[]) {
  const last = new Map<number, string>();
  const timer = setInterval(() => {
    for (const port of ports)
      fetch(`http://127.0.0.1:${port}/metrics`)
        .then(async (response) => void last.set(port, await response.text()))
        .catch(() => {});
  }, SCRAPE_MS);
  return { last, stop: () => clearInterval(timer) };
}

/** Debian's Prometheus over the same processes. */
async function startPrometheus(program: string, ports: readonly number[]) {
  const dir = await mkdtemp(join(place.dir, 'prometheus-'));
  const port = await freePort();
  const config = {
    global: { scrape_interval: `${SCRAPE_MS}ms`, scrape_timeout: `${SCRAPE_MS}ms` },
    scrape_configs: [{ job_name: 'acuse', static_configs: [{ targets: ports.map((each) => `127.0.0.1:${each}`) }] }],
  };
  // JSON is YAML.
  await writeFile(join(dir, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    program,
    [
      `--config.file=${join(dir, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(dir, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => ((await fetch(`${url}/-/ready`).catch(() => null))?.ok ? true : null));
  return {
    /** How many series an expression gives at a moment, milliseconds since 1970. */
    async count(expr: string, at: number): Promise<number> {
      const query = new URLSearchParams({ query: expr, time: String(at / 1_000) });
      const answer = (await (await fetch(`${url}/api/v1/query?${query}`)).json()) as {
        readonly status: string;
        readonly data?: { readonly result: readonly unknown[] };
      };
      if (answer.status !== 'success') throw new Error(`${expr}: ${JSON.stringify(answer)}`);
      return answer.data?.result.length ?? 0;
    },
    async stop() {
      child.kill();
      await exited;
    },
  };
}

it('every panel of the dashboard finds its metrics after the demonstration', {
  tags: ['slow'],
  timeout: 600_000,
}, async () => {
  const first = await freePort();
  const ports = PROCESSES.map((offset) => first + offset);
  const scraping = startScraping(ports);
  const prometheus = PROMETHEUS === undefined ? null : await startPrometheus(PROMETHEUS, ports);
  try {
    const args = [ACUSE, 'demo', '--json', '--rows', '20000', '--data', join(place.dir, 'demo')];
    const env = { ...process.env, DATABASE_URL: database.url, METRICS_PORT: String(first) };
    const demo = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(demo, 'exit');
    let said = '';
    /** When its job was done and its processes lived still. */
    let doneAt = 0;
    demo.stdout.resume();
    for await (const line of createInterface({ input: demo.stderr })) {
      said += `${line}\n`;
      if (line.startsWith('ZIP descargado')) doneAt = Date.now();
    }
    expect([await exited, said]).toEqual([[0, null], said]);
    expect(doneAt).toBeGreaterThan(0);

    const told = [...scraping.last.values()].join('\n');
    const panels = dashboardExpressions();
    const unknown = panels.flatMap(({ title, expr }) =>
      metricsIn(expr)
        .filter((name) => !new RegExp(`^(# TYPE )?${name}[ {]`, 'm').test(told))
        .map((name) => `${title}: ${name}`),
    );
    expect(unknown).toEqual([]);
    if (prometheus === null) return;
    const empty: string[] = [];
    for (const { title, expr } of panels)
      if ((await prometheus.count(expr.replaceAll('$__rate_interval', '1m'), doneAt)) === 0)
        empty.push(`${title}: ${expr}`);
    // No backup was made.
    expect(empty).toEqual(['Edad del último respaldo: max(acuse_backup_age_seconds)']);
  } finally {
    scraping.stop();
    await prometheus?.stop();
  }
});

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { calendarDay } from '@acuse/core';
import { freePort } from '@acuse/embedded';
import { createCargaListado } from '@acuse/listas/db';
import { createMetrics } from '@acuse/metrics';
import type { ConteoXml } from '@acuse/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { dashboardExpressions, metricsIn } from '../../architecture/dashboards.ts';
import { darFilas } from '../fixtures/pedidos.ts';
import { startPipe } from '../fixtures/pipe.ts';
import { logOf } from '../fixtures/procesos.ts';
import { expectWhole, MES } from '../fixtures/resultado.ts';
import { urlAs } from '../fixtures/roles.ts';
import { expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';
import { abrirListado, filasListado } from '../listas/lista-fingida.ts';

const [apiPort, workerPort] = await Promise.all([freePort(), freePort()]);
const own = useServicio(
  { apiEnv: { METRICS_PORT: String(apiPort) } },
  { METRICS_PORT: String(workerPort), WORKER_ROLES: 'descargas,ensambles,relay,reconciler,reaper,webhooks' },
);

// Before the first scrape, whose reading of the lists is cached for some seconds.
beforeAll(async () => {
  const load = (clave: 'csd' | 'firmes' | 'cancelados', n = 10) =>
    createCargaListado(own.db, clave).loadList(
      { abrir: abrirListado({ filas: filasListado('a', n) }), minFilas: 5 },
      AbortSignal.timeout(60_000),
    );
  await load('csd');
  await load('firmes');
  for (const clave of ['firmes', 'cancelados'] as const) await expect(load(clave, 2)).rejects.toThrow('LISTA_MENGUADA');
  await own.sql`UPDATE listado_version SET revisada_en = now() - interval '4 days' WHERE archivo = 'csd'`;
});

/** A line of a scrape: `name{label="value"} 3`. */
const SAMPLE = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (-?[\d.]+(?:e[-+]?\d+)?|nan)$/i;
/** A label that names one taxpayer or one thing of a taxpayer: an RFC or a UUID. */
const IDENTIFIER = /"[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}"|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}/i;

async function scrape(port: number) {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  const text = await response.text();
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
      return { line, name, labels, value: Number(value) };
    });
  /** What all series of a metric whose labels have this text come to. */
  const sum = (name: string, label = '') =>
    samples
      .filter((sample) => sample.name === name && sample.labels.includes(label))
      .reduce((total, { value }) => total + value, 0);
  return { text, samples, sum };
}

describe('a service at work', { shuffle: false }, () => {
  test('after downloads and a refused one, the counters say what the rows and the ledger say', async () => {
    const caller = await own.newCiecCaller({ saldo: 5 });
    const { rfc } = caller;
    const pedido = { rfc, ...MES };
    const data = await expectOk(caller.call('tax/descarga-metadata', pedido));
    await expectWhole(own, caller, String(data['solicitud_id']));
    const withXml = { ...pedido, desde: '2026-01-01', hasta: '2026-01-10', contenido: 'xml' };
    darFilas(own, rfc, { tipo: 'recibidos', desde: withXml.desde, hasta: withXml.hasta }, 30);
    const xmlId = String((await expectOk(caller.call('tax/descarga-metadata', withXml)))['solicitud_id']);
    await waitForEnd(caller, xmlId);
    const { xml: cuenta } = await expectOk(caller.call('descarga/verificar', { solicitud_id: xmlId }));
    const xml = cuenta as ConteoXml;
    const years = { ...pedido, desde: '2022-01-01', hasta: '2026-10-31' };
    const { solicitud_id } = await expectOk(caller.call('tax/descarga-metadata', years));
    for (const _ of ['now', 'again']) await expectOk(caller.call('descarga/cancelar', { rfc, solicitud_id }));
    expect((await caller.call('tax/descarga-metadata', { ...pedido, desde: 'ayer' })).status).toBe(400);

    const [api, worker] = [await scrape(apiPort), await scrape(workerPort)];
    const both = (name: string, label?: string) => api.sum(name, label) + worker.sum(name, label);
    const ledger =
      await own.sql`SELECT tipo, count(*)::int AS n FROM movimiento WHERE tipo IN ('cargo', 'reembolso') GROUP BY tipo ORDER BY tipo`;
    expect([
      { tipo: 'cargo', n: api.sum('acuse_credits_charged_total', 'operacion="tax/descarga-metadata"') },
      { tipo: 'reembolso', n: both('acuse_refunds_total') },
    ]).toEqual(ledger);
    const rows = await own.sql`SELECT estado, count(*)::int AS n FROM solicitud GROUP BY estado ORDER BY estado`;
    expect(rows).toEqual([
      { estado: 'CANCELADA', n: both('acuse_solicitudes_ended_total', 'CANCELADA') },
      { estado: 'TERMINADA', n: both('acuse_solicitudes_ended_total', 'TERMINADA') },
    ]);
    const [zips] = await own.sql`SELECT sum(bytes)::float8 AS bytes FROM solicitud`;
    expect(worker.sum('acuse_package_bytes_total', 'kind="zip"')).toBe(zips?.['bytes']);
    const [stored] =
      await own.sql`SELECT count(*)::int AS n, sum(bytes)::float8 AS bytes FROM paquete_sat WHERE object_key IS NOT NULL`;
    expect(worker.sum('acuse_packages_total', 'kind="sat"')).toBeGreaterThanOrEqual(stored?.['n'] ?? 1);

    expect(xml.entregados * xml.faltantes).toBeGreaterThan(0);
    expect(worker.sum('acuse_xml_total', 'ENTREGADO')).toBe(xml.entregados);
    expect(worker.sum('acuse_xml_total')).toBe(xml.esperados);
    expect(worker.sum('acuse_xml_total', 'CANCELADO_RECIBIDO')).toBe(xml.por_motivo.CANCELADO_RECIBIDO);

    const route = 'route="tax/descarga-metadata"';
    expect(api.sum('acuse_http_requests_total', `${route},status="200"`)).toBe(3);
    expect(api.sum('acuse_http_requests_total', `${route},status="400"`)).toBe(1);
    expect(api.sum('acuse_api_errors_total', `${route},error="CAMPO_INVALIDO"`)).toBe(1);
    expect(api.sum('acuse_http_request_duration_seconds_count', route)).toBe(4);
    expect(worker.sum('acuse_steps_total', 'outcome="done"')).toBeGreaterThan(2);
    expect(worker.sum('acuse_steps_total', 'outcome="failed"')).toBe(0);
    expect(worker.sum('acuse_sat_requests_total', 'resultado="exito"')).toBeGreaterThan(3);
    expect(worker.sum('acuse_sat_logins_total', 'credencial="ciec",resultado="exito"')).toBeGreaterThan(0);
    expect(worker.sum('acuse_captchas_total', 'leido')).toBe(worker.sum('acuse_captcha_duration_seconds_count'));
    // Slots follow the machine while the test runs.
    await expect
      .poll(async () => {
        const [latido] = await own.sql<{ n: number }>`SELECT sum(slots)::int AS n FROM latido WHERE rol = 'descargas'`;
        return latido?.n === (await scrape(workerPort)).sum('acuse_queue_slots', 'descargas') ? latido?.n : 0;
      })
      .toBeGreaterThan(0);
    expect(worker.sum('acuse_collector_up', 'backlog')).toBe(1);
    expect(worker.sum('acuse_solicitudes_past_deadline')).toBe(0);

    // Nothing of the caller is in what a scraper reads.
    for (const { text } of [api, worker])
      for (const secret of [caller.rfc, String(data['solicitud_id']), caller.apiKey])
        expect(text).not.toContain(secret);
  });

  test('the lists tell how old they are and which were refused, and no age of one that never came', async () => {
    const { samples, sum } = await scrape(workerPort);
    expect(sum('acuse_collector_up', 'collector="lists"')).toBe(1);
    expect(sum('acuse_list_age_seconds', 'list="csd"')).toBeGreaterThanOrEqual(4 * 86_400);
    expect(sum('acuse_list_age_seconds', 'list="firmes"')).toBeLessThan(86_400);
    expect(samples.filter(({ name }) => name === 'acuse_list_age_seconds')).toHaveLength(2);
    const refused = ['csd', 'firmes', 'cancelados'].map((list) => sum('acuse_list_refused', `list="${list}"`));
    expect(refused).toEqual([0, 1, 1]);
    expect([sum('acuse_list_refused'), sum('acuse_list_old', 'list="csd"'), sum('acuse_list_old')]).toEqual([2, 1, 1]);
  });

  test('due readings without a worker show their age', async () => {
    const caller = await own.newCiecCaller({ saldo: 5 });
    const desde = `${calendarDay(new Date()).slice(0, 7)}-01`;
    await expectOk(caller.call('sincronizacion/crear', { rfc: caller.rfc, tipo: 'recibidos', desde }));
    await own.sql`UPDATE tramo SET due_at = now() - interval '2 hours' WHERE mes > '0001-01-01'`;
    const seconds = await waitFor(
      async () => (await scrape(workerPort)).sum('acuse_readings_oldest_due_seconds') || null,
    );
    expect(seconds).toBeGreaterThanOrEqual(7_200);
  });

  test('a scrape parses, says more of no RFC than of another, and finds every metric of the dashboard', async () => {
    const seriesOfApi = async () => (await scrape(apiPort)).samples.length;
    const callers = await Promise.all(Array.from({ length: 8 }, () => own.newCaller({ saldo: 1 })));
    const listBy = async (some: typeof callers) => {
      for (const { rfc, call } of some) await expectOk(call('descarga/listar', { rfc }));
    };
    await listBy(callers.slice(0, 1));
    const before = await seriesOfApi();
    await listBy(callers);
    expect(await seriesOfApi()).toBe(before);

    const [api, worker] = [await scrape(apiPort), await scrape(workerPort)];
    const named = [...api.samples, ...worker.samples].filter(({ line }) => IDENTIFIER.test(line));
    expect(named).toEqual([]);
    for (const { samples } of [api, worker]) expect(samples.filter(({ line }) => !SAMPLE.test(line))).toEqual([]);
    const panel = createMetrics('panel');
    const told = [api.text, worker.text, await panel.text()].join('\n');
    const missing = dashboardExpressions().flatMap(({ title, expr }) =>
      metricsIn(expr)
        .filter((name) => !new RegExp(`^${name}[ {]`, 'm').test(told))
        .map((name) => `${title}: ${name}`),
    );
    // No breaker has been needed, and no backup made.
    expect(missing).toEqual([
      'Canales con fallas y cortacircuitos abiertos: acuse_breaker_open',
      'Edad del último respaldo: acuse_backup_age_seconds',
    ]);
  });
});

test('while the database is away, metrics and health show it, and recover with it', { tags: ['slow'] }, async () => {
  const pipe = await startPipe(own.databaseUrl);
  try {
    const through = (rol: 'api' | 'worker') => {
      const url = new URL(urlAs(own.databaseUrl, rol));
      url.host = new URL(pipe.url).host;
      return url.href;
    };
    const [apiAt, workerAt] = await Promise.all([freePort(), freePort()]);
    const api = await own.startApi({
      DATABASE_URL: through('api'),
      METRICS_PORT: String(apiAt),
      API_DATABASE_TIMEOUT_MS: '1000',
    });
    await own.startWorker({
      DATABASE_URL: through('worker'),
      METRICS_PORT: String(workerAt),
      DATABASE_TIMEOUT_MS: '1000',
      WORKER_ROLES: 'reconciler',
    });
    const [, workerHealth = ''] = /"healthUrl":"([^"]+)"/.exec(await logOf(own, 'worker-2')) ?? [];
    const caller = (await own.newCaller({ saldo: 1 })).at(api);
    const list = async () => (await caller.call('descarga/listar', { rfc: caller.rfc })).status;
    const statusOf = async (url: string) => (await fetch(url)).status;
    const health = async () => [
      await statusOf(`${api.url}/healthz`),
      await statusOf(`${api.url}/readyz`),
      await statusOf(`${workerHealth}/readyz`),
    ];
    const waitForBacklog = (up: 0 | 1) =>
      waitFor(async () => {
        const seen = await scrape(workerAt);
        return seen.sum('acuse_collector_up', 'backlog') === up && seen.text.includes('{collector="backlog"}')
          ? seen
          : null;
      });
    const depthsIn = ({ samples }: Awaited<ReturnType<typeof scrape>>) =>
      samples.filter(({ name }) => name.startsWith('acuse_queue_')).length;

    expect(depthsIn(await waitForBacklog(1))).toBeGreaterThan(0);
    expect([await list(), ...(await health())]).toEqual([200, 200, 200, 200]);
    pipe.shut();
    // What cannot be known is left out: an old value would look healthy.
    expect(depthsIn(await waitForBacklog(0))).toBe(0);
    expect([await list(), ...(await health())]).toEqual([503, 200, 503, 503]);
    const away = await scrape(apiAt);
    expect(away.sum('acuse_http_requests_total', 'route="descarga/listar",status="503"')).toBe(1);
    pipe.open();
    expect(depthsIn(await waitForBacklog(1))).toBeGreaterThan(0);
    await waitFor(async () =>
      (await list()) === 200 && (await health()).every((status) => status === 200) ? true : null,
    );
  } finally {
    await pipe.close();
  }
});

test('an object store that takes connections without answers is reported within seconds', async () => {
  const silent = createServer((socket) => socket.on('error', () => {}));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const at = await freePort();
  const env = { WORKER_ROLES: 'ensambles', METRICS_PORT: String(at), S3_ENDPOINT: `http://127.0.0.1:${port}` };
  const hung = await own.startWorker(env);
  try {
    const storage = async (of: number) =>
      (await scrape(of)).samples.filter(({ labels }) => labels === 'collector="storage"').map(({ value }) => value);
    expect([await storage(at), await storage(workerPort)]).toEqual([[0], [1]]);
  } finally {
    hung.kill('SIGKILL');
    silent.close();
  }
});

test('the public port knows no metrics', async () => {
  for (const path of ['/metrics', '/api/v1/metrics']) expect((await fetch(own.api.url + path)).status).toBe(404);
});

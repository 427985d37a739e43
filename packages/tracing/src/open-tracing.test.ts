import { execFile } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { createLogger, createShutdown, listen, silentLogger } from '@acuse/runtime';
import { afterEach, expect, it } from 'vitest';
import { openTracing, type TracingConfig } from './open-tracing.ts';

const CONFIG: TracingConfig = {
  OTEL_SDK_DISABLED: false,
  OTEL_EXPORTER_OTLP_HEADERS: '',
  OTEL_EXPORTER_OTLP_TIMEOUT: 10_000,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=de%20prueba',
  OTEL_TRACES_SAMPLER: 'parentbased_always_on',
  OTEL_TRACES_SAMPLER_ARG: 1,
  // No batch is sent on a timer: these tests send everything at the end.
  OTEL_BSP_SCHEDULE_DELAY: 600_000,
};
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const WORK = { name: 'work', kind: 'internal' } as const;

const loaded = () =>
  Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('@opentelemetry'));

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Receiver of spans: records the bodies that it gets and answers as told. */
async function startReceiver(answer = (response: ServerResponse): unknown => response.end('{}')) {
  const sent: string[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    sent.push(Buffer.concat(parts).toString());
    answer(response);
  });
  const port = await listen(server, 0, '127.0.0.1');
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${port}`, sent };
}

async function start(config: Partial<TracingConfig>, lastMs?: number) {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'x',
    level: 'trace',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const shutdown = createShutdown({ log: silentLogger, timeoutMs: 10_000 });
  const own = { log, shutdown, ...(lastMs === undefined ? {} : { lastMs }) };
  const tracing = await openTracing('api', { ...CONFIG, ...config }, own);
  return { tracing, log, lines, end: () => shutdown.close('test') };
}

it('passes on the trace of a caller when no receiver is set', async () => {
  for (const config of [{}, { OTEL_SDK_DISABLED: true, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }]) {
    const { tracing, log, lines, end } = await start(config);
    const seen = await tracing.span({ ...WORK, parent: PARENT }, async () => {
      log.info('inside');
      return tracing.span(WORK, async () => tracing.current());
    });
    expect([seen, tracing.current(), await tracing.span(WORK, async () => tracing.current())]).toEqual([
      PARENT,
      null,
      null,
    ]);
    expect(lines).toMatchObject([{ msg: 'inside', trace_id: TRACE, span_id: '00f067aa0ba902b7' }]);
    tracing.note(WORK, 1, 2);
    expect(await end()).toBe(true);
  }
});

it('loads nothing of OpenTelemetry in a process without a receiver', async () => {
  const program = `
    const { openTracing } = await import('@acuse/tracing');
    const { createRequire } = await import('node:module');
    await openTracing('api', ${JSON.stringify(CONFIG)}, { log: { warn() {} }, shutdown: { phase() {} } });
    console.log(Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('@opentelemetry')).length);`;
  const node = ['--conditions=acuse-source', '--import', 'tsx', '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: import.meta.dirname });
  expect(stdout.trim()).toBe('0');
});

it('sends the remaining spans at the end of the process, each under its parent, failures included', async () => {
  const { url, sent } = await startReceiver();
  const { tracing, end } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_SERVICE_NAME: 'mi-acuse' });
  const fault = tracing.span({ ...WORK, parent: PARENT }, async () => {
    tracing.sat.record({ host: 'sat.example', canal: 'soap', ms: 5, resultado: 'fallo', codigo: 'HTTP 503' });
    throw new RangeError('no');
  });
  await expect(fault).rejects.toThrow('no');
  expect(sent).toEqual([]);
  expect(await end()).toBe(true);
  const [text = ''] = sent;
  for (const part of ['"mi-acuse"', '"de prueba"', TRACE, '"SAT soap"', '"sat.example"', '"HTTP 503"', '"RangeError"'])
    expect(text).toContain(part);
  expect(text.split('"code":2').length - 1).toBe(2);
  expect(loaded()).not.toEqual([]);
});

it('records the share that the settings say of what begins here, and what its caller says of the rest', async () => {
  const { url, sent } = await startReceiver();
  for (const settings of [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: 0 },
    { OTEL_TRACES_SAMPLER: 'parentbased_always_off' },
  ] as const) {
    const { tracing, end } = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`, ...settings });
    const begun = await tracing.span({ ...WORK, name: 'begun here' }, async () => tracing.current());
    expect(begun).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    await tracing.span({ ...WORK, name: 'asked for', parent: PARENT }, async () => {});
    await tracing.span({ ...WORK, name: 'not asked for', parent: PARENT.replace(/01$/, '00') }, async () => {});
    await end();
  }
  expect(sent.length).toBe(2);
  for (const text of sent)
    expect([text.includes('asked for'), text.includes('begun here'), text.includes('not asked')]).toEqual([
      true,
      false,
      false,
    ]);
});

it('ends in its time when a receiver never answers or is away, and says so once', async () => {
  const silent = await startReceiver(() => {});
  for (const url of [silent.url, 'http://127.0.0.1:1']) {
    const { tracing, lines, end } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, 100);
    for (const _ of [1, 2]) await tracing.span(WORK, async () => {});
    expect(await end()).toBe(true);
    const names = lines.map(({ msg }) => msg);
    expect(names.filter((name) => name === 'traces_lost_at_shutdown')).toHaveLength(1);
  }
});

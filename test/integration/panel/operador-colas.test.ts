import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessGroup, freePort, programEntry } from '@acuse/embedded';
import { createQueue } from '@acuse/queue';
import { silentLogger } from '@acuse/runtime';
import { beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { onEachDriver } from '../fixtures/drivers.ts';
import { startPipe } from '../fixtures/pipe.ts';
import { newCliente, usePanel, usePersona } from './fixtures/panel.ts';

onEachDriver('bull-board in the panel', (queueUrl) => {
  const namespace = `t-${randomBytes(6).toString('hex')}`;
  const panel = usePanel({ env: { QUEUE_NAMESPACE: namespace, ...(queueUrl ? { QUEUE_URL: queueUrl } : {}) } });
  const operador = usePersona(panel, { rol: 'OPERADOR' });
  beforeAll(async () => {
    const queue = createQueue({ url: queueUrl ?? panel.databaseUrl, namespace });
    await queue.wake([{ solicitudId: 'una', gen: 1, queue: 'descargas' }], new AbortController().signal);
    await queue.close();
    // A connection that takes seconds is given up, and the next reader tries again.
    const looked = async () => panel.deps.dashboard.cuentas(AbortSignal.timeout(60_000));
    await vi.waitFor(async () => expect((await looked()).map(({ trabajos }) => trabajos)).not.toContain(null), {
      timeout: 100_000,
    });
  });

  it('shows its page with a policy of its own and nothing from elsewhere', async () => {
    const page = await operador.get('/operador/colas/tablero');
    expect(page.status).toBe(200);
    expect((await operador.get('/operador/colas/tablero/')).text).toBe(page.text);
    expect(page.text).toContain('<base href="/operador/colas/tablero/"');
    expect(page.text).not.toMatch(/(href|src)="(https?:)?\/\//);
    // Only a page of the panel may have it in a frame.
    expect(page.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    const csp = page.headers.get('content-security-policy') ?? '';
    expect(csp).toContain("frame-ancestors 'self'");
    expect(csp).toContain("default-src 'none'");
    expect(csp).toContain("script-src 'self';");
    const [, script = ''] = /src="(static\/js\/main[^"]+)"/.exec(page.text) ?? [];
    const file = await operador.get(`/operador/colas/tablero/${script}`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  });

  it('finds its files from the bundle of the panel', async () => {
    const logDir = await mkdtemp(join(tmpdir(), 'acuse-colas-'));
    const group = createProcessGroup({ log: silentLogger, logDir });
    onTestFinished(async () => {
      await group.stop();
      await rm(logDir, { recursive: true, force: true });
    });
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const entry = programEntry(inject('programs'), 'panel');
    await group.start({
      name: 'panel',
      entry,
      readyUrl: `${url}/readyz`,
      env: { ...panel.env, PANEL_PORT: `${port}` },
    });
    const { email, password } = await panel.registrar({ rol: 'OPERADOR' });
    const cliente = newCliente(url);
    expect((await cliente.submit('/entrar', '/entrar', { email, password })).status).toBe(303);
    const page = await cliente.get('/operador/colas/tablero');
    const [script = ''] = /static\/js\/main[^"]+/.exec(page.text) ?? [];
    expect((await cliente.get(`/operador/colas/tablero/${script}`)).status).toBe(200);
    expect((await cliente.get('/operador/colas/tablero/api/queues')).text).toContain(`${namespace}-descargas`);
  });

  it('tells what the queues hold', async () => {
    const { text, status } = await operador.get(
      `/operador/colas/tablero/api/queues?activeQueue=${namespace}-descargas&page=1&jobsPerPage=10`,
    );
    expect(status).toBe(200);
    const { queues } = JSON.parse(text) as {
      queues: { name: string; counts: Record<string, number>; readOnlyMode: boolean }[];
    };
    expect(queues.map(({ name }) => name)).toEqual(
      ['descargas', 'ensambles', 'listas'].map((queue) => `${namespace}-${queue}`),
    );
    expect(queues[0]?.counts['waiting']).toBe(1);
    expect(queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
  });

  it('does nothing but show: every other method is refused, and the job stays', async () => {
    const job = `/operador/colas/tablero/api/queues/${namespace}-descargas/una-1`;
    expect((await operador.get(job)).status).toBe(200);
    for (const path of [
      `${job}/promote`,
      `${job}/clean`,
      `/operador/colas/tablero/api/queues/${namespace}-descargas/empty`,
      `/operador/colas/tablero/api/queues/${namespace}-descargas/obliterate`,
    ])
      expect((await operador.post(path, {})).status).toBe(405);
    expect((await operador.get(job)).status).toBe(200);
  });

  it('counts for the page of the panel as well', async () => {
    const cuentas = await panel.deps.dashboard.cuentas(AbortSignal.timeout(60_000));
    expect(cuentas).toEqual([
      { queue: 'descargas', trabajos: { esperan: 1, activos: 0, aplazados: 0 } },
      { queue: 'ensambles', trabajos: { esperan: 0, activos: 0, aplazados: 0 } },
      { queue: 'listas', trabajos: { esperan: 0, activos: 0, aplazados: 0 } },
    ]);
  });

  it('finds its server again that was away when somebody looked first', async () => {
    const server = new URL(queueUrl ?? panel.databaseUrl);
    const pipe = await startPipe(server.href);
    server.host = new URL(pipe.url).host;
    const otro = await panel.another({ env: { QUEUE_NAMESPACE: namespace, QUEUE_URL: server.href } });
    try {
      const chief = await otro.registrar({ rol: 'OPERADOR' });
      const look = async () => (await chief.get('/operador/colas/tablero/api/queues')).status;
      pipe.shut();
      expect(await look()).toBe(500);
      const away = await otro.deps.dashboard.cuentas(AbortSignal.timeout(1_000));
      expect(away.map(({ trabajos }) => trabajos)).toEqual([null, null, null]);
      pipe.open();
      await expect.poll(look).toBe(200);
      const back = await otro.deps.dashboard.cuentas(AbortSignal.timeout(60_000));
      expect(back[0]).toEqual({ queue: 'descargas', trabajos: { esperan: 1, activos: 0, aplazados: 0 } });
    } finally {
      await otro.close();
      await pipe.close();
    }
  });

  it('is not there for a client, nor for a stranger', async () => {
    const cliente = await panel.registrar();
    for (const path of [
      '/operador/colas',
      '/operador/colas/tablero',
      '/operador/colas/tablero/api/queues',
      '/operador/colas/tablero/static/favicon.ico',
    ]) {
      expect((await cliente.get(path)).status).toBe(404);
      const stranger = await panel.newCliente().get(path);
      // In the frame of the queues' page, where the page to log in cannot be.
      if (path.startsWith('/operador/colas/')) {
        const frame = stranger.headers.get('x-frame-options');
        expect([path, stranger.status, frame]).toEqual([path, 403, 'SAMEORIGIN']);
        expect(stranger.$('a[target="_top"]').attr('href')).toBe('/entrar?a=%2Foperador%2Fcolas');
        expect(stranger.text).not.toContain('root');
      } else expect(stranger.location).toMatch(/^\/entrar/);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { CATALOGUE } from './catalogue.ts';
import { serveMetrics } from './listener.ts';
import { createRouteObserver } from './observers.ts';
import { createMetrics } from './prometheus.ts';

const linesOf = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`));

describe('the catalogue', () => {
  it.each(Object.values(CATALOGUE))('names $name by the conventions of Prometheus', ({ name, kind, help, ...spec }) => {
    expect(name).toMatch(/^acuse_[a-z]+(_[a-z]+)*$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|kilobytes|mb|percent)(_|$)/);
    if (kind === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
    expect('buckets' in spec).toBe(kind === 'histogram');
    for (const label of Object.keys(spec.labels))
      expect(label).not.toMatch(/^(rfc|llave|key|id|ip|cuenta|usuario|uuid)$|_id$/);
    expect(help).toMatch(/^[A-ZÁÉÍÓÚ¿«].*\.$/);
  });

  it('has no name twice', () => {
    const names = Object.values(CATALOGUE).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('metrics of a process', () => {
  it('are its own: another one of the same kind counts for itself, and those of others are not there', async () => {
    const [one, other] = [createMetrics('api'), createMetrics('api')];
    one.metrics.refunds.with({ causa: 'llamada' }).add(3);
    expect(await one.text()).toContain('acuse_refunds_total{causa="llamada"} 3');
    expect(await other.text()).toContain('acuse_refunds_total{causa="llamada"} 0');
    expect(await other.text()).not.toContain('acuse_steps_total');
    expect(Object.keys(createMetrics('panel').metrics)).not.toContain('charges');
  });

  it('stay within their number of series for any label values', async () => {
    const { metrics, text } = createMetrics('api', { maxSeries: 5 });
    const observed = Array.from({ length: 1_000 }, (_, n) => `ruta-${n}`);
    for (const route of observed) createRouteObserver(metrics, route)(200, 0.02);
    const counts = linesOf(await text(), 'acuse_http_requests_total');
    expect(counts).toHaveLength(6);
    expect(counts.at(-1)).toBe('acuse_http_requests_total{route="otro",status="otro"} 995');
    expect(linesOf(await text(), 'acuse_http_request_duration_seconds_count')).toHaveLength(6);
  });

  it('give the same series for the same labels', () => {
    const { refunds } = createMetrics('worker').metrics;
    expect(refunds.with({ causa: 'vencida' })).toBe(refunds.with({ causa: 'vencida' }));
  });
});

describe('metrics read at scrape time', () => {
  const watched = (read: () => Promise<number>, options: { now?: () => number; cacheMs?: number } = {}) => {
    const made = createMetrics('worker', { collectMs: 50, ...(options.now ? { now: options.now } : {}) });
    const { metrics } = made;
    const apply = (n: number) => metrics.captchasPending.with({}).set(n);
    metrics.collect({ name: 'prueba', sets: ['captchasPending'], cacheMs: options.cacheMs ?? 0, read, apply });
    return made;
  };

  it('is read once for all scrapes within its time', async () => {
    let [reads, now] = [0, 0];
    const { text } = watched(async () => (reads += 1), { now: () => now, cacheMs: 5_000 });
    expect(await text()).toContain('acuse_captchas_pending 1');
    now = 4_999;
    expect(await text()).toContain('acuse_captchas_pending 1');
    now = 5_000;
    expect(await text()).toContain('acuse_captchas_pending 2');
  });

  it('is missing, and told as down, when it fails or hangs; all else is there', async () => {
    const answers = [
      () => Promise.resolve(7),
      () => Promise.reject(new Error('away')),
      () => new Promise<number>(() => {}),
      () => Promise.resolve(8),
    ];
    const { text } = watched(async () => (answers.shift() ?? answers[0])?.() ?? 0);
    expect(await text()).toMatch(/^acuse_captchas_pending 7$/m);
    for (const _ of ['rejected', 'hanging']) {
      const told = await text();
      expect(told).not.toMatch(/^acuse_captchas_pending \d/m);
      expect(told).toContain('acuse_collector_up{collector="prueba"} 0');
      expect(told).toContain('acuse_steps_total{queue="descargas",outcome="done"} 0');
    }
    expect(await text()).toMatch(/^acuse_captchas_pending 8$/m);
  });
});

describe('the listener', () => {
  it('answers GET /metrics and nothing else, and reads once for scrapes that come together', async () => {
    let reads = 0;
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const made = createMetrics('panel');
    const slow = async () => {
      reads += 1;
      await gate;
      return made.text();
    };
    const server = await serveMetrics({ text: slow, contentType: made.contentType }, { host: '127.0.0.1', port: 0 });
    try {
      for (const path of ['/', '/healthz', '/metrics/x']) expect((await fetch(server.url + path)).status).toBe(404);
      const posted = await fetch(`${server.url}/metrics`, { method: 'POST' });
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
      expect(reads).toBe(0);
      const together = [1, 2, 3].map(() => fetch(`${server.url}/metrics`));
      await expect.poll(() => reads).toBe(1);
      go();
      for (const answer of await Promise.all(together)) {
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, made.contentType]);
        expect(await answer.text()).toContain('# TYPE acuse_http_requests_total counter');
      }
    } finally {
      await server.close();
    }
  });

  it('answers 500 when nothing can be told', async () => {
    const server = await serveMetrics(
      { text: () => Promise.reject(new Error('no')), contentType: 'text/plain' },
      { host: '127.0.0.1', port: 0 },
    );
    expect((await fetch(`${server.url}/metrics`)).status).toBe(500);
    await server.close();
  });
});

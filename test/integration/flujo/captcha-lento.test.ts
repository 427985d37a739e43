import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, eventosDe, llamadas, type Pedido } from '../fixtures/pedidos.ts';
import { type Servicio, startServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const SLOTS = 4;

/** A resolver of captchas that asks the simulated authority's own, but not before `open` is called. */
async function startSlowResolver(real: () => string) {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let asked = 0;
  const server = createServer(async (request, response) => {
    asked += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await gate;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(real(), { method: 'POST', headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: () => asked,
    open: () => open(),
    close: () => server.close(),
  };
}

let servicio: Servicio;
let resolver: Awaited<ReturnType<typeof startSlowResolver>>;
beforeAll(async () => {
  resolver = await startSlowResolver(() => `${servicio.simulador.url}/cfdiau/simulador/captcha`);
  servicio = await startServicio({ workerEnv: { CAPTCHA_URL: resolver.url } });
});
afterAll(async () => {
  resolver.open();
  await servicio.close();
  resolver.close();
});

it('many requests behind one captcha hold no slot: another customer is served while it waits, and they end with one log-in', {
  tags: ['slow'],
}, async () => {
  const pedidos = Array.from({ length: 6 * SLOTS }, (_, n): Pedido => {
    const desde = `2025-03-${String(n + 1).padStart(2, '0')}`;
    return { tipo: 'emitidos', desde, hasta: desde };
  });
  const first = await servicio.newCiecCaller({ saldo: pedidos.length });
  const other = await newEfirmaCaller(servicio);
  const waiting = await Promise.all(pedidos.map((pedido) => askFor(first, pedido)));
  await servicio.startWorker({ DESCARGAS_CONCURRENCY: String(SLOTS) });
  await waitFor(async () => resolver.asked() > 0 || null);

  const id = await askFor(other);
  expect(await waitForEnd(other, id, 120)).toMatchObject({ estado: 'TERMINADA' });
  expect([resolver.asked(), llamadas(servicio, first, 'EntrarCiec')]).toEqual([1, []]);
  resolver.open();
  for (const one of waiting) expect(await waitForEnd(first, one, 120)).toMatchObject({ estado: 'TERMINADA' });
  expect(llamadas(servicio, first, 'EntrarCiec')).toHaveLength(1);
  for (const one of waiting) expect(await eventosDe(servicio, one)).not.toContain('SAT_SIN_RESPUESTA');
});

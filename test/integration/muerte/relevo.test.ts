import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, type Pedido, uuidsDelSat } from '../fixtures/pedidos.ts';
import { atHost } from '../fixtures/pipe.ts';
import { STEPS } from '../fixtures/procesos.ts';
import { askedOfSat, expectWhole } from '../fixtures/resultado.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

const RELAY = { WORKER_ROLES: 'relay' };

/** A queue that takes connections and says nothing. */
async function startSilent() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

flowOnEachDriver('a relay killed when the outbox has noted the wake-ups and the queue has none of them', (queueUrl) => {
  const servicio = useServicio({ queueUrl });

  it('loses none: they are woken again', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 6 });
    const pedidos = [1, 2, 3, 4, 5, 6].map((month): Pedido => {
      const desde = `2025-0${month}-01`;
      return { tipo: 'emitidos', desde, hasta: desde };
    });
    const ids = await Promise.all(pedidos.map((pedido) => askFor(caller, pedido)));
    const worker = await servicio.startWorker(STEPS);
    const silent = await startSilent();
    const deaf = atHost(queueUrl ?? servicio.databaseUrl, silent.host);
    const noted = async () => {
      const rows = await servicio.sql`SELECT FROM outbox WHERE gen = 1 AND rung_at IS NOT NULL`;
      return rows.length === ids.length || null;
    };
    // A relay that gives the silent queue up takes the wake-ups back: one that did so just before it died is followed by
    // another.
    await waitFor(async () => {
      const relay = await servicio.startWorker({ ...RELAY, QUEUE_URL: deaf, QUEUE_TIMEOUT_MS: '600000' });
      await waitFor(noted);
      relay.kill('SIGKILL');
      await waitFor(async () => !relay.isRunning() || null);
      return noted();
    });
    await silent.close();

    await servicio.startWorker(RELAY);
    for (const [at, pedido] of pedidos.entries()) await expectWhole(servicio, caller, ids[at] ?? '', pedido);
    // What the SAT says is empty is asked once more.
    const empty = pedidos.filter((pedido) => uuidsDelSat(servicio, caller.rfc, pedido).length === 0);
    const asked = ids.length + empty.length;
    expect(askedOfSat(servicio, caller.rfc)).toMatchObject({ sends: asked, solicitudes: asked });
    expect(await servicio.sql`SELECT FROM outbox`).toEqual([]);
    expect(await worker.stop()).toBe(true);
  });
});

import { describe, expect, inject, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor, type Pedido } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../fixtures/procesos.ts';
import { clusterGroup, sentinelGroup } from '../fixtures/redis-groups.ts';
import { expectWhole } from '../fixtures/resultado.ts';
import { startServicio, waitFor } from '../fixtures/servicio.ts';

const DIAS = [1, 2, 3, 4, 5, 6, 7, 8].map((day): Pedido => {
  const desde = `2025-02-0${day}`;
  return { tipo: 'emitidos', desde, hasta: desde };
});
const GROUPS = { sentinels: sentinelGroup, 'a cluster': clusterGroup };

describe.skipIf(inject('redisUrl') === null).each(Object.entries(GROUPS))('solicitudes with %s', (name, start) => {
  it('end whole, each once, when the master is killed between them', { tags: ['slow'] }, async (context) => {
    const group = await start();
    await group.isWhole();
    const servicio = await startServicio({ queueUrl: group.url });
    try {
      const caller = await newEfirmaCaller(servicio);
      const workers = [await servicio.startWorker(LOOPS), await servicio.startWorker(STEPS)];
      const ids = await Promise.all(DIAS.slice(0, 4).map((pedido) => askFor(caller, pedido)));
      await waitFor(async () => (await servicio.sql`SELECT FROM evento WHERE tipo = 'SOLICITADA'`).length > 0 || null);
      const victim = await group.master(`${servicio.bucket}-descargas`);
      group.kill(victim, 'SIGKILL');
      const killedAt = Date.now();
      ids.push(...(await Promise.all(DIAS.slice(4).map((pedido) => askFor(caller, pedido)))));
      for (const [at, pedido] of DIAS.entries()) await expectWhole(servicio, caller, ids[at] ?? '', pedido);
      console.log(`${name}: all whole ${Date.now() - killedAt} ms after the kill`);
      expect(await servicio.sql`SELECT FROM outbox`).toEqual([]);
      expect(await group.master(`${servicio.bucket}-descargas`)).not.toBe(victim);
      for (const worker of workers) expect(await worker.stop()).toBe(true);
    } finally {
      await tellFailure(servicio, context);
      await servicio.close();
      await group.close();
    }
  });
});

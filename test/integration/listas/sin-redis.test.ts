import { createServer } from 'node:http';
import { listen } from '@acuse/runtime';
import { expect, inject, it } from 'vitest';
import { expectOk, startServicio, waitFor } from '../fixtures/servicio.ts';
import { ownRedis } from '../fixtures/servidores.ts';
import { listaFingida, rfcs } from './lista-fingida.ts';

it.skipIf(inject('redisUrl') === null)(
  'loads the list while Redis is away, answers from it, and asks daily again once Redis is there',
  async () => {
    const redis = await ownRedis();
    let asked = 0;
    const body = listaFingida(
      '31 de julio de 2026',
      rfcs(20).map((rfc) => ({ rfc, situacion: 'Presunto' })),
    );
    const source = createServer((_, response) => {
      asked += 1;
      response.end(body);
    });
    const port = await listen(source, 0, '127.0.0.1');
    const servicio = await startServicio({
      queueUrl: redis.url,
      workerEnv: {
        WORKER_ROLES: 'listas',
        SAT_LISTA_69B_URL: `http://127.0.0.1:${port}/l.csv`,
        LISTAS_INTERVAL_MS: '100',
        EFOS_CRON: '* * * * * *',
      },
    });
    try {
      await servicio.startWorker();
      const caller = await servicio.newCaller({ saldo: 0 });
      const ask = () => caller.call('efos/consultar', { rfc: rfcs(1)[0] });
      await waitFor(async () => (await ask()).status === 200 || null);
      const loaded = asked;
      await redis.start();
      await waitFor(async () => asked > loaded + 1 || null);
      await redis.end('kill');
      expect(await expectOk(ask())).toMatchObject({ en_efos: true, fecha_corte: '2026-07-31' });
    } finally {
      await servicio.close();
      await redis.close();
      source.closeAllConnections();
      source.close();
    }
  },
);

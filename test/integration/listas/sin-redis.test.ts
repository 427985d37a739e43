import { expect, inject, it } from 'vitest';
import { expectOk, LISTAS, startServicio, waitFor } from '../fixtures/servicio.ts';
import { ownRedis } from '../fixtures/servidores.ts';

it.skipIf(inject('redisUrl') === null)(
  'loads the list while Redis is away, answers from it, and asks daily again once Redis is there',
  { tags: ['slow'] },
  async () => {
    const redis = await ownRedis();
    const servicio = await startServicio({ queueUrl: redis.url, workerEnv: { ...LISTAS, EFOS_CRON: '* * * * * *' } });
    try {
      await servicio.startWorker();
      const caller = await servicio.newCaller({ saldo: 0 });
      const ask = () => caller.call('efos/consultar', { rfc: 'PRE900215SI3' });
      const asked = () => servicio.simulador.world.log.count({ service: 'wu1agsprosta001' });
      await waitFor(async () => (await ask()).status === 200 || null);
      const loaded = asked();
      await redis.start();
      await waitFor(async () => asked() > loaded + 1 || null);
      await redis.end('kill');
      expect(await expectOk(ask())).toMatchObject({ en_efos: true, situacion: 'Presunto' });
    } finally {
      await servicio.close();
      await redis.close();
    }
  },
);

import { createLlaves } from '@acuse/db';
import autocannon from 'autocannon';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { askFor, openWhole, saldoDe } from '../integration/fixtures/pedidos.ts';
import { LOOPS, STEPS, tellFailure } from '../integration/fixtures/procesos.ts';
import { type Caller, type Servicio, startServicio, waitFor, waitForEnd } from '../integration/fixtures/servicio.ts';
import { type OwnRedis, ownRedis } from '../integration/fixtures/servidores.ts';
import { sizeOf } from './sizes.ts';

const CREDITS = 1_000_000;
const RATE = 200;

describe.skipIf(inject('redisUrl') === null)('requests without number while Redis', { timeout: 14_400_000 }, () => {
  let redis: OwnRedis;
  let servicio: Servicio;
  let caller: Caller;
  let url: string;
  beforeEach(async () => {
    redis = await ownRedis();
    servicio = await startServicio({ queueUrl: redis.url });
    caller = await servicio.newCiecCaller({ saldo: CREDITS });
    ({ url } = await servicio.startApiProcess());
  });
  afterEach(async (context) => {
    await tellFailure(servicio, context);
    await servicio.close();
    await redis.close();
  });

  /** What another account asks for beside the thousands before it: it has its share of the slots. */
  const askForAnother = async () => {
    const other = await servicio.newCiecCaller();
    const id = await askFor(other);
    return {
      hasItsPackage: async () => {
        expect(await waitForEnd(other, id)).toMatchObject({ estado: 'TERMINADA' });
        await openWhole(servicio, other, id);
      },
    };
  };

  let days = 0;
  /** Asks for downloads, each for other days, and tells how long their answers took. */
  const ask = async (name: string, options: Partial<autocannon.Options>) => {
    const result = await autocannon({
      url: `${url}/api/v1/tax/descarga-metadata`,
      connections: 10,
      ...options,
      requests: [
        {
          method: 'POST',
          setupRequest: (request) => {
            days += 1;
            const dayOf = (n: number) => new Date(Date.UTC(2021, 5, 1 + n)).toISOString().slice(0, 10);
            const [desde, hasta] = [days % 1_000, (days % 1_000) + Math.floor(days / 1_000)].map(dayOf);
            return {
              ...request,
              headers: {
                authorization: `Bearer ${caller.apiKey}`,
                'content-type': 'application/json',
                'user-agent': 'prueba/1',
              },
              body: JSON.stringify({ rfc: caller.rfc, tipo: 'recibidos', desde, hasta }),
            };
          },
        },
      ],
    });
    const { p50, p99, max } = result.latency;
    console.log(`${name}: ${result['2xx']} accepted, ${p50} ms half of them, ${p99} ms 99 %, ${max} ms all`);
    expect([result.non2xx, result.errors, result.timeouts]).toEqual([0, 0, 0]);
    return result['2xx'];
  };
  const count = async (sql: string) => (await servicio.db.pool.query(`SELECT FROM ${sql}`)).rowCount ?? 0;
  /** Waits until the authority has been asked on behalf of so many: the oldest come first, each with its first step. */
  const isAskedFor = (n: number) =>
    waitFor(async () => (await count("evento WHERE tipo = 'SOLICITADA'")) >= n || null, 120);

  /** Ends the open requests with their refunds, and checks the ledger. */
  const settle = async (accepted: number) => {
    await createLlaves(servicio.db).revoke({ apiKeyId: caller.apiKeyId, actor: 'prueba', ip: null });
    const own = `solicitud WHERE api_key_id = '${caller.apiKeyId}'`;
    await waitFor(async () => (await count(`${own} AND terminada_en IS NOT NULL`)) === accepted || null, 120);
    expect(await count(own)).toBe(accepted);
    const kept = await count(`${own} AND estado = 'TERMINADA' AND NOT (registros = 0 AND confianza = 'sin_confirmar')`);
    expect(await saldoDe(servicio, caller)).toBe(CREDITS - kept);
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  };

  it('is absent from the start are all accepted, and worked on when it is there', async () => {
    await servicio.startWorker(LOOPS);
    await servicio.startWorker(STEPS);
    const accepted = await ask('Redis absent', { amount: sizeOf('requests without Redis') });
    expect(accepted).toBe(sizeOf('requests without Redis'));
    const another = await askForAnother();
    await redis.start();
    await another.hasItsPackage();
    await isAskedFor(50);
    await settle(accepted);
  });

  it('does not answer are all accepted, and worked on when it answers again', async () => {
    await redis.start();
    await servicio.startWorker(LOOPS);
    await servicio.startWorker(STEPS);
    const before = await ask('Redis there', { amount: 20 });
    await waitFor(async () => (await count('solicitud WHERE terminada_en IS NOT NULL')) > 0 || null, 120);
    redis.signal('SIGSTOP');
    const amount = RATE * sizeOf('seconds with Redis frozen');
    const accepted = await ask('Redis frozen', { overallRate: RATE, amount });
    const another = await askForAnother();
    const asked = await count("evento WHERE tipo = 'SOLICITADA'");
    redis.signal('SIGCONT');
    await another.hasItsPackage();
    await isAskedFor(asked + 20);
    await settle(before + accepted);
  });
});

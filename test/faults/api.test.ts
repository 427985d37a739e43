import { randomUUID } from 'node:crypto';
import { createLlaves } from '@acuse/db';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { abiertas, CONSULTAS } from '../integration/fixtures/consultas.ts';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { fail, saldoDe } from '../integration/fixtures/pedidos.ts';
import { tellFailure } from '../integration/fixtures/procesos.ts';
import { type Answer, type Caller, type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';

const CLIENTS = 12;
const KILLS = 20;
const RESTARTS = 10;
const CREDITS = 100_000;
/** Answers of each way of asking between two ends of a process. */
const BETWEEN = 10;
/** A call whose process is dead is given up, and its charge given back, three seconds after it was made. */
const BRIEF = { SAT_PRESUPUESTO_MS: '2000', SAT_GRACIA_SECONDS: '1' };

type Process = Awaited<ReturnType<Servicio['startApiProcess']>>;

describe('two APIs that end one after the other under load', { timeout: 600_000 }, () => {
  let servicio: Servicio;
  let caller: Caller;
  let apis: Process[];
  beforeEach(async () => {
    servicio = await startServicio();
    caller = await servicio.newCiecCaller({ saldo: CREDITS });
    apis = await Promise.all([servicio.startApiProcess(BRIEF), servicio.startApiProcess(BRIEF)]);
  });
  afterEach(async (context) => {
    await tellFailure(servicio, context);
    await servicio.close();
  });

  let days = 0;
  /** A download that no client has asked for yet. */
  const newDescarga = () => {
    days += 1;
    const dayOf = (n: number) => new Date(Date.UTC(2021, 0, 1 + n)).toISOString().slice(0, 10);
    const [desde, hasta] = [days % 1_000, (days % 1_000) + Math.floor(days / 1_000)].map(dayOf);
    return ['tax/descarga-metadata', { rfc: caller.rfc, tipo: 'recibidos', desde, hasta }] as const;
  };

  /**
   * Clients that call one API after the other until stopped, as behind a proxy: after an answer that is not `isAnswer`
   * they repeat at the next API, under the same Idempotency-Key.
   */
  function startClients(newCall: (n: number) => readonly [string, object], isAnswer: (answer: Answer) => boolean) {
    const answers: Answer[] = [];
    let [isOver, again, turn] = [false, 0, 0];
    const one = async ([path, body]: readonly [string, object]) => {
      const headers = { 'idempotency-key': randomUUID() };
      answers.push(
        await waitFor(async () => {
          turn += 1;
          const api = apis[turn % apis.length];
          const answer =
            api &&
            (await caller
              .at(api)
              .call(path, body, headers)
              .catch(() => null));
          if (answer && isAnswer(answer)) return answer;
          again += 1;
          return null;
        }),
      );
    };
    const clients = Array.from({ length: CLIENTS }, async (_, n) => {
      while (!isOver) await one(newCall(n));
    });
    return {
      answers,
      /** Waits for so many answers more. */
      progress: async () => {
        const from = answers.length;
        await waitFor(async () => answers.length - from >= BETWEEN || null);
      },
      async stop() {
        isOver = true;
        await Promise.all(clients);
        return again;
      },
    };
  }

  const solicitudes = async () => {
    const { rowCount } = await servicio.db.pool.query('SELECT FROM solicitud WHERE cuenta_id = $1', [caller.cuentaId]);
    return rowCount ?? 0;
  };

  it(`by SIGKILL, ${KILLS} times: each Idempotency-Key is charged once`, async () => {
    await servicio.startWorker({ WORKER_ROLES: 'reconciler' });
    const [, consulta] = CONSULTAS.find(([path]) => path === 'descarga/consulta-cfdi') ?? [];
    if (!consulta) throw new Error('no query');
    // Long enough for a process to be killed in the middle of a call.
    fail(servicio, caller, { service: '*', kind: 'slow', ms: 200, times: Number.POSITIVE_INFINITY });
    const cfdi = consulta.body(servicio, caller);
    const newCall = (n: number) => (n % 2 ? newDescarga() : (['descarga/consulta-cfdi', cfdi] as const));
    const clients = startClients(newCall, ({ status }) => status === 200);
    for (let n = 0; n < KILLS; n += 1) {
      await clients.progress();
      apis.shift()?.kill('SIGKILL');
      apis.push(await servicio.startApiProcess(BRIEF));
    }
    const again = await clients.stop();
    await waitFor(async () => (await abiertas(servicio)) === 0 || null);

    const ids = clients.answers.flatMap(({ body }) => body.data?.['solicitud_id'] ?? []);
    console.log(`${clients.answers.length} keys, ${again} calls repeated, ${ids.length} solicitudes`);
    expect(again).toBeGreaterThan(KILLS);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await solicitudes()).toBe(ids.length);
    expect(await saldoDe(servicio, caller)).toBe(CREDITS - clients.answers.length);
    expect(await brokenInvariants(servicio.db)).toEqual([]);
  });

  it(`by SIGTERM, ${RESTARTS} times: no request fails, and each process ends in order`, async () => {
    const clients = startClients(newDescarga, () => true);
    for (let n = 0; n < RESTARTS; n += 1) {
      await clients.progress();
      const [old] = apis;
      apis.push(await servicio.startApiProcess(BRIEF));
      // It is still asked while it ends, as by a proxy that has not noticed yet.
      const isClean = await old?.stop();
      apis.shift();
      expect(isClean).toBe(true);
    }
    const again = await clients.stop();
    console.log(`${clients.answers.length} requests, ${again} connections closed or refused`);
    expect(again).toBeGreaterThan(0);
    expect(clients.answers.map(({ status }) => status).filter((status) => status !== 200)).toEqual([]);
    expect(await solicitudes()).toBe(clients.answers.length);
    expect(await saldoDe(servicio, caller)).toBe(CREDITS - clients.answers.length);
  });
});

describe('four APIs before one database', { timeout: 600_000 }, () => {
  it('refuse a revoked key from the moment of its revocation on, under load', async () => {
    const servicio = await startServicio();
    try {
      const apis = await Promise.all([1, 2, 3, 4].map(() => servicio.startApiProcess()));
      const caller = await servicio.newCiecCaller();
      const answers: { api: number; askedAt: number; code: number }[] = [];
      let isOver = false;
      const clients = apis.flatMap((api, at) =>
        Array.from({ length: 4 }, async () => {
          while (!isOver) {
            const askedAt = performance.now();
            const { body } = await caller.at(api).call('vault/firma-estado', { rfc: caller.rfc });
            answers.push({ api: at, askedAt, code: body.cfdi_codigo });
          }
        }),
      );
      const eachHas = (code: number) =>
        waitFor(
          async () =>
            apis.every((_, at) => answers.filter((a) => a.api === at && a.code === code).length >= 100) || null,
        );
      await eachHas(1);
      await createLlaves(servicio.db).revoke({ apiKeyId: caller.apiKeyId, actor: 'prueba', ip: null });
      const revokedAt = performance.now();
      await eachHas(1002);
      isOver = true;
      await Promise.all(clients);
      const after = answers.filter(({ askedAt }) => askedAt > revokedAt);
      expect(after.length).toBeGreaterThanOrEqual(400 - clients.length);
      expect(after.filter(({ code }) => code !== 1002)).toEqual([]);
    } finally {
      await servicio.close();
    }
  });
});

import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { brokenInvariants } from '../integration/fixtures/database.ts';
import { onEachDriver } from '../integration/fixtures/drivers.ts';
import { newEfirmaCaller } from '../integration/fixtures/efirma.ts';
import { askFor, type Pedido, saldoDe } from '../integration/fixtures/pedidos.ts';
import { tellFailure } from '../integration/fixtures/procesos.ts';
import { askedOfSat, expectWhole } from '../integration/fixtures/resultado.ts';
import { type Caller, type Servicio, startServicio, waitFor } from '../integration/fixtures/servicio.ts';
import { ownPostgres, ownRedis } from '../integration/fixtures/servidores.ts';
import { createFallas } from './fallas.ts';
import { createRandom } from './random.ts';

const CALLERS = 20;
const PEDIDOS = 10;
const FAULTS = 20;
/** Repeats a run: the seed is printed by the run that failed. */
const seed = Number(process.env['FAULTS_SEED'] ?? randomInt(2 ** 31));

const pedidoOf = (n: number): Pedido => {
  const day = String(n + 1).padStart(2, '0');
  return { tipo: n % 2 ? 'recibidos' : 'emitidos', desde: `2025-04-${day}`, hasta: `2025-04-${day}` };
};

onEachDriver(`200 solicitudes and 20 faults at random (FAULTS_SEED=${seed})`, (queueUrl) => {
  it('each ends with one charge and one ZIP', async (context) => {
    const azar = createRandom(seed);
    const postgres = await ownPostgres();
    const redis = queueUrl === undefined ? null : await ownRedis();
    await redis?.start();
    const servicio = await startServicio({
      ...(redis ? { queueUrl: redis.url } : {}),
      database: postgres.database,
      simulador: { filas_por_paquete: 3 },
      // Under load a ring may take a while; one that is given up too early is work for nothing.
      workerEnv: { RECONCILER_GRACE_SECONDS: '5', LEASE_SECONDS: '3' },
    });
    context.onTestFinished(async () => {
      await servicio.close();
      await redis?.close();
    });
    try {
      const callers: Caller[] = [];
      for (let n = 0; n < CALLERS; n += 1)
        callers.push(
          await (n % 2 ? servicio.newCiecCaller({ saldo: PEDIDOS }) : newEfirmaCaller(servicio, { saldo: PEDIDOS })),
        );
      const fallas = await createFallas({ servicio, postgres, redis, azar, workers: { pasos: 3, rondas: 2 } });
      // A caller who gets no answer asks again, which never charges twice.
      const asked = callers.map(async (caller) => {
        const ids: string[] = [];
        for (let n = 0; n < PEDIDOS; n += 1)
          ids.push(await waitFor(() => askFor(caller, pedidoOf(n)).catch(() => null), 240));
        return ids;
      });

      const struck: Record<string, number> = {};
      const startedAt = Date.now();
      for (let n = 0; n < FAULTS; n += 1) {
        await progress(servicio, 25 + azar.below(40));
        const name = azar.pick(fallas.names);
        struck[name] = (struck[name] ?? 0) + 1;
        await fallas.strike(name);
      }
      fallas.thaw();
      const ids = await Promise.all(asked);
      await waitFor(async () => (await openOnes(servicio)) === 0 || null, 240);
      console.log(`FAULTS_SEED=${seed}: ${Math.round((Date.now() - startedAt) / 1000)} s, ${JSON.stringify(struck)}`);

      for (const [at, caller] of callers.entries())
        for (let n = 0; n < PEDIDOS; n += 1) await expectWhole(servicio, caller, ids[at]?.[n] ?? '', pedidoOf(n));
      for (const caller of callers) expect(await saldoDe(servicio, caller)).toBe(0);
      expect(await brokenInvariants(servicio.db)).toEqual([]);
      await expectGentle(servicio, callers);
      expect(fallas.fallen()).toBe(0);
      expect(await fallas.stop()).toBe(true);
    } catch (error) {
      await tellFailure(servicio, { task: { ...context.task, result: { state: 'fail' } } });
      throw error;
    }
  });
});

/** Waits until so many events more were noted, or everything has ended. */
async function progress(servicio: Servicio, n: number): Promise<void> {
  const look = async () => {
    const { rows } = await servicio.db.pool.query<{ n: number }>('SELECT max(id)::integer AS n FROM evento');
    return rows[0]?.n ?? 0;
  };
  const from = await waitFor(() => look().catch(() => null));
  await waitFor(async () => (await look()) - from >= n || (await openOnes(servicio)) === 0 || null, 120);
}

async function openOnes(servicio: Servicio): Promise<number> {
  const { rowCount } = await servicio.db.pool.query("SELECT FROM solicitud WHERE estado = 'EN_PROCESO'");
  return rowCount ?? 0;
}

/**
 * The SAT got at most the requests that our rows tell of, few in vain, and no package was asked for more often than it
 * allows.
 */
async function expectGentle(servicio: Servicio, callers: readonly Caller[]): Promise<void> {
  const { rows } = await servicio.db.pool.query<{ partes: number; envios: number }>(
    'SELECT count(*)::integer AS partes, sum(envios)::integer AS envios FROM parte',
  );
  const { partes = 0, envios = 0 } = rows[0] ?? {};
  const asked = callers.map((caller) => askedOfSat(servicio, caller.rfc));
  const sends = asked.reduce((sum, { sends }) => sum + sends, 0);
  const twice = asked.flatMap(({ downloads }) => [...downloads.values()]).filter((n) => n > 1).length;
  console.log(`${partes} parts, ${envios} intents, ${sends} requests at the SAT, ${twice} packages downloaded twice`);
  expect(sends).toBeLessThanOrEqual(envios);
  for (const { downloads } of asked) for (const times of downloads.values()) expect(times).toBeLessThanOrEqual(2);
}

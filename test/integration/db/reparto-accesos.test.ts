import { randomBytes, randomUUID } from 'node:crypto';
import { createSesionesPortal, openDatabase } from '@acuse/db';
import { createPortalCanal, createSatHttp, type ResolvedorCaptcha } from '@acuse/sat';
import { type RunningSimulador, startSimulador } from '@acuse/simulador';
import { createKeyring, createSellado } from '@acuse/vault';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ciecDe, errorOf, resolvedorDe, solicitar } from '../../sat/setup.ts';
import { newRfc, type TestDatabase, testDatabase } from '../fixtures/database.ts';

/** A person who reads one captcha after the other, in the order in which they were put up, each when told to. */
function newPersona() {
  const shown: (() => void)[] = [];
  const captcha: ResolvedorCaptcha = {
    async resolve(imagen, signal) {
      await new Promise<void>((resolve, reject) => {
        shown.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return resolvedorDe(simulador).resolve(imagen, signal);
    },
  };
  return {
    captcha,
    async answer() {
      await expect.poll(() => shown.length, { timeout: 20_000 }).toBeGreaterThan(0);
      shown.shift()?.();
    },
  };
}

let t: TestDatabase;
let simulador: RunningSimulador;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  t = await testDatabase();
  simulador = await startSimulador();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await simulador.close();
  await t.close();
});

it('behind 40 log-ins of one account that wait for one person, another account logs in after one of them, whatever the process', async () => {
  const persona = newPersona();
  const asked = new Set<string>();
  const sellado = createSellado(createKeyring({ keys: new Map([['s1', randomBytes(32)]]), current: 's1' }));
  const procesos = ['uno', 'dos'].map((applicationName) => {
    const http = createSatHttp({ baseUrl: simulador.url });
    const db = openDatabase({ url: t.url, poolSize: 4, timeoutMs: 10_000, applicationName });
    const store = createSesionesPortal(db);
    const sesiones: typeof store = {
      ...store,
      async acquireTurn(titular, ...rest) {
        const turno = await store.acquireTurn(titular, ...rest);
        asked.add(titular.rfc);
        return turno;
      },
    };
    const settings = { esperaAccesoMs: 0, accesosALaVez: 1 };
    const canal = createPortalCanal({ http, captcha: persona.captcha, sesiones, sellado, settings });
    closing.push(
      () => db.close(),
      () => http.close(),
      () => canal.close(),
    );
    return canal;
  });
  const [uno, dos] = procesos;
  if (uno === undefined || dos === undefined) throw new Error('two processes');
  const begin = async (canal: typeof uno, cuentaId: string) => {
    const rfc = newRfc();
    expect((await errorOf(solicitar(canal, ciecDe(rfc), cuentaId))).motivo).toBe('OCUPADO');
    return rfc;
  };
  const cuenta = randomUUID();
  for (let n = 0; n < 20; n += 1) for (const canal of [uno, dos]) await begin(canal, cuenta);
  await expect.poll(() => asked.size, { timeout: 20_000 }).toBe(40);
  const other = await begin(dos, randomUUID());
  await expect.poll(() => asked.has(other), { timeout: 20_000 }).toBe(true);

  await persona.answer();
  await persona.answer();
  const entered = () => simulador.world.log.list({ operation: 'EntrarCiec' }).map(({ rfc }) => rfc);
  await expect.poll(() => entered().length, { timeout: 20_000 }).toBe(2);
  expect(entered().indexOf(other)).toBeLessThanOrEqual(1);
  expect(entered()).toContain(other);
}, 120_000);

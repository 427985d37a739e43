import { randomBytes } from 'node:crypto';
import { createSesionesPortal, openDatabase } from '@acuse/db';
import { createPortalCanal, createSatHttp } from '@acuse/sat';
import { type RunningSimulador, startSimulador } from '@acuse/simulador';
import { createKeyring, createSellado } from '@acuse/vault';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ciecDe, errorOf, resolvedorDe, solicitar } from '../../sat/setup.ts';
import { newRfc, type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { type Pipe, startPipe } from '../fixtures/tubo.ts';

let t: TestDatabase;
let pipe: Pipe;
let simulador: RunningSimulador;
const key = randomBytes(32);
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  t = await testDatabase();
  pipe = await startPipe(t.url);
  simulador = await startSimulador();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await simulador.close();
  await pipe.close();
  await t.close();
});

/** What one process has; the connections of the first one to the database can be cut. */
function openProceso(url: string) {
  const http = createSatHttp({ baseUrl: simulador.url });
  const db = openDatabase({ url, poolSize: 2, timeoutMs: 2_000, applicationName: 'proceso' });
  const store = createSesionesPortal(db);
  let asked = 0;
  const sesiones: typeof store = {
    ...store,
    async acquireTurn(...args) {
      const turno = await store.acquireTurn(...args);
      asked += 1;
      return turno;
    },
  };
  const sellado = createSellado(createKeyring({ keys: new Map([['s1', key]]), current: 's1' }));
  const canal = createPortalCanal({ http, captcha: resolvedorDe(simulador), sesiones, sellado });
  closing.push(
    () => db.close(),
    () => http.close(),
    () => canal.close(),
  );
  return { canal, asked: () => asked };
}

it('a CIEC that is refused while the database is away is sent by nobody else, and is known as refused when that is back', async () => {
  const through = new URL(t.url);
  through.host = new URL(pipe.url).host;
  const [uno, dos] = [openProceso(through.toString()), openProceso(t.url)];
  const rfc = newRfc();
  const ask = ({ canal }: typeof uno) => errorOf(solicitar(canal, ciecDe(rfc, 'Equivocada-12345')));
  const { faults, log } = simulador.world;
  const envios = () => log.count({ operation: 'EntrarCiec', rfc });
  faults.add({
    service: 'cfdiau',
    operation: 'EntrarCiec',
    kind: 'edited',
    edit: (answer) => {
      pipe.shut();
      return answer;
    },
  });
  const first = ask(uno);
  await expect.poll(() => envios(), { timeout: 20_000 }).toBe(1);
  // It is away for longer than the turn of one who died.
  await t.db.pool.query(`UPDATE turno_acceso SET hasta = hasta - interval '31 seconds'`);
  const other = ask(dos);
  await expect.poll(() => dos.asked(), { timeout: 20_000 }).toBeGreaterThan(0);
  faults.remove();
  pipe.open();
  for (const error of await Promise.all([first, other, ask(uno)]))
    expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
  expect(envios()).toBe(1);
}, 60_000);

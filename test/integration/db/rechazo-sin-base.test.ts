import { randomBytes } from 'node:crypto';
import { createSesionesPortal, openDatabase } from '@acuse/db';
import { createPortalCanal, createSatHttp } from '@acuse/sat';
import { createKeyring, createSellado } from '@acuse/vault';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ciecDe, errorOf, RESOLVEDOR, solicitar } from '../../../packages/sat/src/portal/testing/canal-de-prueba.ts';
import { type PortalDePrueba, startPortalDePrueba } from '../../../packages/sat/src/portal/testing/portal-de-prueba.ts';
import { newRfc, type TestDatabase, testDatabase } from '../fixtures/database.ts';
import { startTubo, type Tubo } from '../fixtures/tubo.ts';

let t: TestDatabase;
let tubo: Tubo;
let portal: PortalDePrueba;
const key = randomBytes(32);
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  t = await testDatabase();
  tubo = await startTubo(t.url);
  portal = await startPortalDePrueba();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await portal.close();
  await tubo.close();
  await t.close();
});

/** What one process has; the connections of the first one to the database can be cut. */
function openProceso(url: string) {
  const http = createSatHttp({ baseUrl: portal.baseUrl });
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
  const canal = createPortalCanal({ http, captcha: RESOLVEDOR, sesiones, sellado });
  closing.push(
    () => db.close(),
    () => http.close(),
    () => canal.close(),
  );
  return { canal, asked: () => asked };
}

it('a CIEC that is refused while the database is away is sent by nobody else, and is known as refused when that is back', async () => {
  const through = new URL(t.url);
  through.host = new URL(tubo.url).host;
  const [uno, dos] = [openProceso(through.toString()), openProceso(t.url)];
  const rfc = newRfc();
  portal.guion.ciecs.set(rfc, 'Correcta-1234567');
  const ask = ({ canal }: typeof uno) => errorOf(solicitar(canal, { credencial: ciecDe(rfc, 'Equivocada-12345') }));
  const push = portal.peticiones.push.bind(portal.peticiones);
  portal.peticiones.push = (...items) => {
    if (items.some(({ campos }) => campos.has('Ecom_Password'))) tubo.shut();
    return push(...items);
  };
  const first = ask(uno);
  await expect.poll(() => portal.envios(), { timeout: 20_000 }).toBe(1);
  // It is away for longer than the turn of one who died.
  await t.db.pool.query(`UPDATE turno_acceso SET hasta = hasta - interval '31 seconds'`);
  const other = ask(dos);
  await expect.poll(() => dos.asked(), { timeout: 20_000 }).toBeGreaterThan(0);
  portal.peticiones.push = push;
  tubo.open();
  for (const error of await Promise.all([first, other, ask(uno)]))
    expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
  expect(portal.envios()).toBe(1);
}, 60_000);

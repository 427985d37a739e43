import { randomBytes } from 'node:crypto';
import type { CredencialCiec, Sellado } from '@acuse/core';
import { createSesionesPortal, openDatabase } from '@acuse/db';
import { createPortalCanal, createSatHttp } from '@acuse/sat';
import { type RunningSimulador, startSimulador } from '@acuse/simulador';
import { createKeyring, createSellado } from '@acuse/vault';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SatHttp } from '../../../packages/sat/src/http/sat-http.ts';
import { ciecDe, errorOf, resolvedorDe, solicitar } from '../../sat/setup.ts';
import { newRfc, type TestDatabase, testDatabase } from '../fixtures/database.ts';

let t: TestDatabase;
let simulador: RunningSimulador;
const key = randomBytes(32);
const closing: Array<() => Promise<void>> = [];
beforeAll(async () => {
  t = await testDatabase();
  simulador = await startSimulador();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await simulador.close();
  await t.close();
});

/** What one process has: connections of its own to the SAT and to the database, and the installation's key. */
function openProceso({ loginLockMs = 30_000, cookies = [] }: { loginLockMs?: number; cookies?: string[] } = {}) {
  const real = createSatHttp({ baseUrl: simulador.url });
  const http: SatHttp = {
    ...real,
    async request(request) {
      const answer = await real.request(request);
      cookies.push(...[answer.headers['set-cookie'] ?? []].flat());
      return answer;
    },
  };
  const db = openDatabase({ url: t.url, poolSize: 2, timeoutMs: 10_000, applicationName: 'proceso' });
  const sesiones = createSesionesPortal(db);
  const sellado: Sellado = createSellado(createKeyring({ keys: new Map([['s1', key]]), current: 's1' }));
  const settings = { loginLockMs };
  closing.push(
    () => http.close(),
    () => db.close(),
  );
  return {
    sesiones,
    canal: createPortalCanal({ http, captcha: resolvedorDe(simulador), sesiones, sellado, settings }),
  };
}

const newCredencial = (ciec?: string): CredencialCiec => ciecDe(newRfc(), ciec);
const calls = (operation: string, { rfc }: CredencialCiec) => simulador.world.log.count({ operation, rfc });
const enviosDe = (credencial: CredencialCiec) => calls('EntrarCiec', credencial);

describe('processes over one database', () => {
  it('log in once when they start together, and use one session', async () => {
    const credencial = newCredencial();
    const procesos = Array.from({ length: 4 }, () => openProceso());
    await Promise.all(procesos.map(({ canal }) => solicitar(canal, credencial)));
    await Promise.all(procesos.map(({ canal }) => solicitar(canal, credencial)));
    expect(enviosDe(credencial)).toBe(1);
  });

  it('send a wrong CIEC exactly once when they start together, and again only once it is stored again', async () => {
    const credencial = newCredencial('Equivocada-12345');
    const procesos = Array.from({ length: 4 }, () => openProceso());
    const errors = await Promise.all(procesos.map(({ canal }) => errorOf(solicitar(canal, credencial))));
    for (const error of errors) expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial' });
    const late = openProceso();
    expect(await errorOf(solicitar(late.canal, credencial))).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
    expect(enviosDe(credencial)).toBe(1);
    await late.sesiones.forget(credencial.rfc);
    await errorOf(solicitar(late.canal, credencial));
    expect(enviosDe(credencial)).toBe(2);
  });

  it('replace one that died while it held the turn', async () => {
    const credencial = newCredencial();
    const [dead, alive] = [openProceso(), openProceso()];
    await dead.sesiones.acquireTurn({ rfc: credencial.rfc, tipo: 'ciec' }, 60_000);
    const waiting = solicitar(alive.canal, credencial);
    await t.db.pool.query(`UPDATE turno_acceso SET hasta = now() - interval '1 second' WHERE rfc = $1`, [
      credencial.rfc,
    ]);
    await waiting;
    expect(enviosDe(credencial)).toBe(1);
  });

  it('keep neither cookies nor CIEC readable in the database, and none that opens for another RFC', async () => {
    const credencial = newCredencial();
    const wrong = newCredencial('Equivocada-12345');
    const ajena = newCredencial();
    const cookies: string[] = [];
    const { canal } = openProceso({ cookies });
    await solicitar(canal, credencial);
    await solicitar(canal, ajena);
    await errorOf(solicitar(canal, wrong));
    const { rows } = await t.db.pool.query<{ cookies: Buffer }>('SELECT cookies FROM sesion_portal');
    const { rows: rechazos } = await t.db.pool.query('SELECT * FROM rechazo_acceso');
    const stored = [...rows.map(({ cookies }) => cookies.toString('latin1')), JSON.stringify(rechazos)].join();
    const sesiones = cookies.flatMap((line) => /=([^;]{9,});/.exec(line)?.[1] ?? []);
    expect(sesiones.length).toBeGreaterThan(0);
    for (const secreto of ['FedAuth', 'JSESSIONID', ...sesiones, String(credencial.ciec), 'Equivocada-12345']) {
      expect(stored).not.toContain(secreto);
    }
    await t.db.pool.query(
      `UPDATE sesion_portal SET cookies = (SELECT cookies FROM sesion_portal WHERE rfc = $1) WHERE rfc = $2`,
      [ajena.rfc, credencial.rfc],
    );
    const before = calls('DescargaMetadatos', credencial);
    await solicitar(openProceso().canal, credencial);
    expect(enviosDe(credencial)).toBe(2);
    expect(calls('DescargaMetadatos', credencial)).toBe(before + 1);
  });

  it('log each session out once, whoever opened it', async () => {
    const credenciales = Array.from({ length: 5 }, () => newCredencial());
    const [opener, one, other] = [openProceso(), openProceso(), openProceso()];
    for (const credencial of credenciales) await solicitar(opener.canal, credencial);
    const signal = new AbortController().signal;
    await Promise.all([one.canal.logout(signal, 0), other.canal.logout(signal, 0)]);
    for (const { rfc } of credenciales) {
      expect(simulador.world.log.count({ service: 'portalcfdi', operation: 'Salir', rfc })).toBe(1);
    }
  });
});

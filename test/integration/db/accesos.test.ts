import { randomBytes } from 'node:crypto';
import type { CredencialCiec, Sellado } from '@acuse/core';
import { createSesionesPortal, openDatabase } from '@acuse/db';
import { createPortalCanal, createSatHttp } from '@acuse/sat';
import { createKeyring, createSellado } from '@acuse/vault';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ciecDe, errorOf, RESOLVEDOR, solicitar } from '../../../packages/sat/src/portal/testing/canal-de-prueba.ts';
import { type PortalDePrueba, startPortalDePrueba } from '../../../packages/sat/src/portal/testing/portal-de-prueba.ts';
import { newRfc, type TestDatabase, testDatabase } from '../fixtures/database.ts';

let t: TestDatabase;
let portal: PortalDePrueba;
const key = randomBytes(32);
const closing: Array<() => Promise<void>> = [];
beforeAll(async () => {
  t = await testDatabase();
  portal = await startPortalDePrueba();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(async () => {
  await portal.close();
  await t.close();
});

/** What one process has: connections of its own to the SAT and to the database, and the installation's key. */
function openProceso({ loginLockMs = 30_000 } = {}) {
  const http = createSatHttp({ baseUrl: portal.baseUrl });
  const db = openDatabase({ url: t.url, poolSize: 2, timeoutMs: 10_000, applicationName: 'proceso' });
  const sesiones = createSesionesPortal(db);
  const sellado: Sellado = createSellado(createKeyring({ keys: new Map([['s1', key]]), current: 's1' }));
  const settings = { loginLockMs };
  closing.push(
    () => http.close(),
    () => db.close(),
  );
  return { sesiones, canal: createPortalCanal({ http, captcha: RESOLVEDOR, sesiones, sellado, settings }) };
}

function newCredencial(ciec = 'Correcta-1234567'): CredencialCiec {
  const rfc = newRfc();
  portal.guion.ciecs.set(rfc, 'Correcta-1234567');
  return ciecDe(rfc, ciec);
}

const enviosDe = ({ rfc }: CredencialCiec) =>
  portal.peticiones.filter(({ campos }) => campos.get('Ecom_User_ID') === rfc).length;

describe('processes over one database', () => {
  it('log in once when they start together, and use one session', async () => {
    const credencial = newCredencial();
    const procesos = Array.from({ length: 4 }, () => openProceso());
    await Promise.all(procesos.map(({ canal }) => solicitar(canal, { credencial })));
    await Promise.all(procesos.map(({ canal }) => solicitar(canal, { credencial })));
    expect(enviosDe(credencial)).toBe(1);
  });

  it('send a wrong CIEC exactly once when they start together, and again only once it is stored again', async () => {
    const credencial = newCredencial('Equivocada-12345');
    const procesos = Array.from({ length: 4 }, () => openProceso());
    const errors = await Promise.all(procesos.map(({ canal }) => errorOf(solicitar(canal, { credencial }))));
    for (const error of errors) expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial' });
    const late = openProceso();
    expect(await errorOf(solicitar(late.canal, { credencial }))).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
    expect(enviosDe(credencial)).toBe(1);
    await late.sesiones.forget(credencial.rfc);
    await errorOf(solicitar(late.canal, { credencial }));
    expect(enviosDe(credencial)).toBe(2);
  });

  it('replace one that died while it held the turn', async () => {
    const credencial = newCredencial();
    const [dead, alive] = [openProceso(), openProceso()];
    await dead.sesiones.acquireTurn({ rfc: credencial.rfc, tipo: 'ciec' }, 60_000);
    const waiting = solicitar(alive.canal, { credencial });
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
    const { canal } = openProceso();
    await solicitar(canal, { credencial });
    await solicitar(canal, { credencial: ajena });
    await errorOf(solicitar(canal, { credencial: wrong }));
    const { rows } = await t.db.pool.query<{ cookies: Buffer }>('SELECT cookies FROM sesion_portal');
    const { rows: rechazos } = await t.db.pool.query('SELECT * FROM rechazo_acceso');
    const stored = [...rows.map(({ cookies }) => cookies.toString('latin1')), JSON.stringify(rechazos)].join();
    const sent = portal.peticiones.flatMap(({ cookies }) => [...cookies.values()]);
    const sesiones = sent.filter((value) => value.length > 8);
    expect(sesiones.length).toBeGreaterThan(0);
    // Three letters alone come about by chance in what is sealed.
    const names = ['ASP.NET_SessionId', '"IDP"', 'IDP='];
    for (const secreto of [...names, ...sesiones, 'Correcta-1234567', 'Equivocada-12345']) {
      expect(stored).not.toContain(secreto);
    }
    await t.db.pool.query(
      `UPDATE sesion_portal SET cookies = (SELECT cookies FROM sesion_portal WHERE rfc = $1) WHERE rfc = $2`,
      [ajena.rfc, credencial.rfc],
    );
    const before = portal.solicitudes.length;
    await solicitar(openProceso().canal, { credencial });
    expect(enviosDe(credencial)).toBe(2);
    expect(portal.solicitudes.length).toBe(before + 1);
  });

  it('log each session out once, whoever opened it', async () => {
    const credenciales = Array.from({ length: 5 }, () => newCredencial());
    const [opener, one, other] = [openProceso(), openProceso(), openProceso()];
    for (const credencial of credenciales) await solicitar(opener.canal, { credencial });
    const signal = new AbortController().signal;
    await Promise.all([one.canal.logout(signal, 0), other.canal.logout(signal, 0)]);
    for (const { rfc } of credenciales) {
      expect(portal.salidas.filter((salida) => salida === `${rfc} y`)).toHaveLength(1);
    }
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import type { CredencialCiec } from '@acuse/core';
import { createSesionesPortal, openDatabase } from '@acuse/db';
import { createSatHttp, type ResolvedorCaptcha } from '@acuse/sat';
import { createPortalCanal, logoutEnded } from '@acuse/sat/portal';
import { type RunningSimulador, startSimulador } from '@acuse/simulador';
import { createKeyring, createSellado } from '@acuse/vault';
import { afterEach, describe, expect, it } from 'vitest';
import type { SatHttp } from '../../../packages/sat/src/http/sat-http.ts';
import { ciecDe, errorOf, resolvedorDe, solicitar } from '../../sat/setup.ts';
import { newRfc, useDatabase } from '../fixtures/database.ts';
import { duringTests } from '../fixtures/during-tests.ts';
import { startPipe } from '../fixtures/pipe.ts';

/** Processes that share a database and the installation's key. */
function useProcesos() {
  const t = useDatabase();
  const simulador = duringTests(() => startSimulador());
  const sellado = createSellado(createKeyring({ keys: new Map([['s1', randomBytes(32)]]), current: 's1' }));
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** What one of them has: connections of its own to the SAT and to the database, by `url`. */
  function open({
    captcha = resolvedorDe(simulador),
    settings = {},
    ...at
  }: Pick<Partial<Parameters<typeof createPortalCanal>[0]>, 'captcha' | 'settings'> & {
    url?: string;
    timeoutMs?: number;
  } = {}) {
    const real = createSatHttp({ baseUrl: simulador.url });
    const cookies: string[] = [];
    const http: SatHttp = {
      ...real,
      async request(request) {
        const answer = await real.request(request);
        cookies.push(...[answer.headers['set-cookie'] ?? []].flat());
        return answer;
      },
    };
    const db = openDatabase({ url: t.url, poolSize: 4, timeoutMs: 10_000, applicationName: 'proceso', ...at });
    const store = createSesionesPortal(db);
    /** RFCs that a turn was asked for. */
    const asked = new Set<string>();
    const sesiones: typeof store = {
      ...store,
      async acquireTurn(titular, ...rest) {
        const turno = await store.acquireTurn(titular, ...rest);
        asked.add(titular.rfc);
        return turno;
      },
    };
    const canal = createPortalCanal({ http, captcha, sesiones, sellado, settings });
    closing.push(
      () => db.close(),
      () => http.close(),
      () => canal.close(),
    );
    return { canal, sesiones, asked, cookies };
  }
  return { t, simulador, open };
}

/** A person who reads one captcha after the other, in the order in which they were put up, each when told to. */
function newPersona(simulador: RunningSimulador) {
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

describe('processes over one database', () => {
  const { t, simulador, open } = useProcesos();
  const newCredencial = (ciec?: string): CredencialCiec => ciecDe(newRfc(), ciec);
  const calls = (operation: string, { rfc }: CredencialCiec) => simulador.world.log.count({ operation, rfc });
  const enviosDe = (credencial: CredencialCiec) => calls('EntrarCiec', credencial);

  it('log in once when they start together, and use one session', async () => {
    const credencial = newCredencial();
    const procesos = Array.from({ length: 4 }, () => open());
    await Promise.all(procesos.map(({ canal }) => solicitar(canal, credencial)));
    await Promise.all(procesos.map(({ canal }) => solicitar(canal, credencial)));
    expect(enviosDe(credencial)).toBe(1);
  });

  it('send a wrong CIEC exactly once when they start together, and again only once it is stored again', async () => {
    const credencial = newCredencial('Equivocada-12345');
    const procesos = Array.from({ length: 4 }, () => open());
    const errors = await Promise.all(procesos.map(({ canal }) => errorOf(solicitar(canal, credencial))));
    for (const error of errors) expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA', clase: 'credencial' });
    const late = open();
    expect(await errorOf(solicitar(late.canal, credencial))).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
    expect(enviosDe(credencial)).toBe(1);
    await late.sesiones.forget(credencial.rfc);
    await errorOf(solicitar(late.canal, credencial));
    expect(enviosDe(credencial)).toBe(2);
  });

  it('replace one that died while it held the turn', async () => {
    const credencial = newCredencial();
    const [dead, alive] = [open(), open()];
    await dead.sesiones.acquireTurn({ rfc: credencial.rfc, tipo: 'ciec' }, 60_000);
    const waiting = solicitar(alive.canal, credencial);
    await t.sql`UPDATE turno_acceso SET hasta = now() - interval '1 second' WHERE rfc = ${credencial.rfc}`;
    await waiting;
    expect(enviosDe(credencial)).toBe(1);
  });

  it('keep neither cookies nor CIEC readable in the database, and none that opens for another RFC', async () => {
    const credencial = newCredencial();
    const wrong = newCredencial('Equivocada-12345');
    const ajena = newCredencial();
    const { canal, cookies } = open();
    await solicitar(canal, credencial);
    await solicitar(canal, ajena);
    await errorOf(solicitar(canal, wrong));
    const rows = await t.sql<{ cookies: Buffer }>`SELECT cookies FROM sesion_portal`;
    const rechazos = await t.sql`SELECT * FROM rechazo_acceso`;
    const stored = [...rows.map(({ cookies }) => cookies.toString('latin1')), JSON.stringify(rechazos)].join();
    const sesiones = cookies.flatMap((line) => /=([^;]{9,});/.exec(line)?.[1] ?? []);
    expect(sesiones.length).toBeGreaterThan(0);
    for (const secreto of ['FedAuth', 'JSESSIONID', ...sesiones, String(credencial.ciec), 'Equivocada-12345']) {
      expect(stored).not.toContain(secreto);
    }
    await t.sql`UPDATE sesion_portal SET cookies = (SELECT cookies FROM sesion_portal WHERE rfc = ${ajena.rfc})
      WHERE rfc = ${credencial.rfc}`;
    const before = calls('DescargaMetadatos', credencial);
    await solicitar(open().canal, credencial);
    expect(enviosDe(credencial)).toBe(2);
    expect(calls('DescargaMetadatos', credencial)).toBe(before + 1);
  });

  it('log each session out once, of any process', async () => {
    const credenciales = Array.from({ length: 5 }, () => newCredencial());
    const opener = open();
    for (const credencial of credenciales) await solicitar(opener.canal, credencial);
    const signal = new AbortController().signal;
    const logoutOf = ({ canal, sesiones }: ReturnType<typeof open>) =>
      logoutEnded(sesiones, 0, signal, (ended) => canal.leave(ended, signal));
    await Promise.all([logoutOf(open()), logoutOf(open())]);
    for (const { rfc } of credenciales) {
      expect(simulador.world.log.count({ service: 'portalcfdi', operation: 'Salir', rfc })).toBe(1);
    }
  });
});

describe('log-ins that wait for a person', () => {
  const procesos = useProcesos();

  it('behind 40 log-ins of one account that wait for one person, another account logs in after one of them, whatever the process', async () => {
    const { simulador, open } = procesos;
    const persona = newPersona(simulador);
    const settings = { esperaAccesoMs: 0, accesosALaVez: 1 };
    const [uno, dos] = [open({ captcha: persona.captcha, settings }), open({ captcha: persona.captcha, settings })];
    const asked = () => new Set([...uno.asked, ...dos.asked]);
    const begin = async ({ canal }: typeof uno, cuentaId: string) => {
      const rfc = newRfc();
      expect((await errorOf(solicitar(canal, ciecDe(rfc), cuentaId))).motivo).toBe('OCUPADO');
      return rfc;
    };
    const cuenta = randomUUID();
    for (let n = 0; n < 20; n += 1) for (const proceso of [uno, dos]) await begin(proceso, cuenta);
    await expect.poll(() => asked().size, { timeout: 20_000 }).toBe(40);
    const other = await begin(dos, randomUUID());
    await expect.poll(() => asked().has(other), { timeout: 20_000 }).toBe(true);

    await persona.answer();
    await persona.answer();
    const entered = () => simulador.world.log.list({ operation: 'EntrarCiec' }).map(({ rfc }) => rfc);
    await expect.poll(() => entered().length, { timeout: 20_000 }).toBe(2);
    expect(entered().indexOf(other)).toBeLessThanOrEqual(1);
    expect(entered()).toContain(other);
  }, 120_000);
});

describe('a database that goes away', () => {
  const procesos = useProcesos();
  const pipe = duringTests(() => startPipe(() => procesos.t.url));

  it('a CIEC refused while the database is away is sent by no other process, and is known as refused later', async () => {
    const { t, simulador, open } = procesos;
    const through = new URL(t.url);
    through.host = new URL(pipe.url).host;
    const [uno, dos] = [open({ url: through.toString(), timeoutMs: 2_000 }), open({ timeoutMs: 2_000 })];
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
    await t.sql`UPDATE turno_acceso SET hasta = hasta - interval '31 seconds'`;
    const other = ask(dos);
    await expect.poll(() => dos.asked.has(rfc), { timeout: 20_000 }).toBe(true);
    faults.remove();
    pipe.open();
    for (const error of await Promise.all([first, other, ask(uno)]))
      expect(error).toMatchObject({ motivo: 'CIEC_RECHAZADA' });
    expect(envios()).toBe(1);
  }, 60_000);
});

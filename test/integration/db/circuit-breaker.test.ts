import type { EstadoHost } from '@acuse/core';
import { createBreakerState, openDatabase } from '@acuse/db';
import { createCircuitBreaker } from '@acuse/sat';
import { beforeEach, describe, expect, it } from 'vitest';
import { UNHEALTHY_HOSTS, type UnhealthyHost } from '../../../packages/db/src/sat/breaker-state.ts';
import { type TestDatabase, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();
let host = '';
let serie = 0;
let ahora = 1_800_000_000_000;
beforeEach(() => {
  serie += 1;
  host = `h${serie}.sat.gob.mx`;
});

const now = () => ahora;
const process = () => createBreakerState(t.db, { now, timeoutMs: 10_000 });
const breaker = (failures = 3) => createCircuitBreaker({ failures, openMs: 10_000, now }, process());
const rowOf = async () => (await t.sql`SELECT * FROM estado_host WHERE host = ${host}`)[0];
const isOpen = async (corta: ReturnType<typeof breaker>) =>
  corta.admit(host).then(
    () => false,
    () => true,
  );

/** A state over a pool that counts its statements. `before` may do something before each. */
function counted(before: (verb: string) => Promise<void> = async () => {}) {
  const statements: string[] = [];
  const query = t.db.pool.query.bind(t.db.pool) as (config: { text: string }) => unknown;
  const pool = new Proxy(t.db.pool, {
    get: (target, key) =>
      key === 'query'
        ? async (config: { text: string }) => {
            const verb = config.text.trim().split(' ')[0] ?? '';
            statements.push(verb);
            await before(verb);
            return query(config);
          }
        : Reflect.get(target, key),
  });
  return { statements, estado: createBreakerState({ pool }, { now, timeoutMs: 10_000 }) };
}

describe('breakers shared by processes', () => {
  it('open for all when failures of several add up, and close for all', async () => {
    const [una, otra, tercera] = [breaker(), breaker(), breaker()];
    await una.report(host, 'fallo');
    ahora += 1_000;
    await otra.report(host, 'fallo');
    ahora += 1_000;
    await tercera.report(host, 'fallo');
    ahora += 1_000;
    expect([await isOpen(una), await isOpen(otra), await isOpen(tercera)]).toEqual([true, true, true]);
    ahora += 10_000;
    expect(await isOpen(una)).toBe(false);
    await una.report(host, 'exito');
    ahora += 1_000;
    expect([await isOpen(una), await isOpen(otra), await isOpen(tercera)]).toEqual([false, false, false]);
  });

  it('add up the taxpayers whom several processes see answered with errors, each once', async () => {
    const [una, otra] = [breaker(8), breaker(8)];
    for (const titular of ['AVE900215SI8', 'AVE900215SI8', 'ACU200101DB1']) {
      await una.report(host, 'error', titular);
      ahora += 1_000;
      await otra.report(host, 'error', titular);
      ahora += 1_000;
    }
    expect(await rowOf()).toMatchObject({ fallos: 0 });
    expect([await isOpen(una), await isOpen(otra)]).toEqual([false, false]);
    await otra.report(host, 'error', 'XIQB891116QE4');
    ahora += 1_000;
    expect([await isOpen(una), await isOpen(otra)]).toEqual([true, true]);
    const row = JSON.stringify(await rowOf(), (_, value) => (typeof value === 'bigint' ? String(value) : value));
    expect(row).not.toContain('AVE900215SI8');
  });

  it('lose no failure of many processes at the same instant', async () => {
    const procesos = Array.from({ length: 8 }, () => breaker(1_000));
    await Promise.all(procesos.flatMap((corta) => Array.from({ length: 5 }, () => corta.report(host, 'fallo'))));
    expect(await rowOf()).toMatchObject({ fallos: 40 });
  });

  it('lose none either when others are faster again and again', async () => {
    const otra = breaker(1_000);
    let faster = 60;
    const { estado } = counted(async (verb) => {
      if (verb === 'INSERT' && faster-- > 0) await otra.report(host, 'fallo');
    });
    await createCircuitBreaker({ failures: 1_000, openMs: 10_000, now }, estado).report(host, 'fallo');
    expect(await rowOf()).toMatchObject({ fallos: 61 });
  });

  it('let exactly one of many processes probe', async () => {
    const procesos = Array.from({ length: 8 }, () => breaker(1));
    await procesos[0]?.report(host, 'fallo');
    ahora += 11_000;
    const refused = await Promise.all(procesos.map(isOpen));
    expect(refused.filter((each) => !each)).toHaveLength(1);
  });

  it('cost a healthy host one read a second and no write', async () => {
    const { statements, estado } = counted();
    const corta = createCircuitBreaker({ failures: 3, openMs: 10_000, now }, estado);
    for (let i = 0; i < 20; i += 1) {
      await corta.admit(host);
      await corta.report(host, 'exito');
    }
    expect(statements).toEqual(['SELECT']);
    ahora += 1_000;
    await corta.admit(host);
    expect(statements).toEqual(['SELECT', 'SELECT']);
    expect(await rowOf()).toBeUndefined();
  });

  it('cost nothing in the second after a claim, which tells of every host', async () => {
    const { statements, estado } = counted();
    const corta = createCircuitBreaker({ failures: 1, openMs: 10_000, now }, estado);
    const [sick, healthy] = [`${host}.1`, `${host}.2`];
    await breaker(1).report(sick, 'fallo');
    const [row] = (await t.db.pool.query<{ unhealthy: UnhealthyHost[] }>(`SELECT ${UNHEALTHY_HOSTS} AS unhealthy`))
      .rows;
    estado.learn(row?.unhealthy ?? [], ahora);
    await expect(corta.admit(sick)).rejects.toMatchObject({ motivo: 'CORTACIRCUITOS_ABIERTO' });
    await corta.admit(healthy);
    expect(statements).toEqual([]);
    // Its own failure is newer than a claim that was sent before.
    await corta.report(healthy, 'fallo');
    estado.learn([], ahora - 1);
    await expect(corta.admit(healthy)).rejects.toMatchObject({ motivo: 'CORTACIRCUITOS_ABIERTO' });
    statements.splice(0);
    ahora += 1_000;
    await expect(corta.admit(sick)).rejects.toMatchObject({ motivo: 'CORTACIRCUITOS_ABIERTO' });
    expect(statements).toEqual(['SELECT']);
  });

  it('go on in the process alone while the database is away, and ask it only now and then', async () => {
    const settings = { poolSize: 2, timeoutMs: 1_000, applicationName: 'test' };
    const away = openDatabase({ url: 'postgres://u:p@127.0.0.1:1/x', ...settings });
    const seen: EstadoHost[] = [];
    const estado = createBreakerState(away, { now });
    const corta = createCircuitBreaker({ failures: 3, openMs: 10_000, now }, estado);
    await corta.admit(host);
    for (let i = 0; i < 3; i += 1) await corta.report(host, 'fallo');
    await estado.update(host, (e) => {
      seen.push(e);
      return e;
    });
    expect(seen.at(-1)).toMatchObject({ fallos: 3, abiertoHasta: ahora + 10_000 });
    expect(await isOpen(corta)).toBe(true);
    await away.close();
  });

  it('wait for a silent database no longer than told', async () => {
    const pool = { query: () => new Promise(() => {}) } as unknown as TestDatabase['db']['pool'];
    const corta = createCircuitBreaker(
      { failures: 1, openMs: 10_000, now },
      createBreakerState({ pool }, { now, timeoutMs: 5 }),
    );
    await corta.admit(host);
    await corta.report(host, 'fallo');
    expect(await isOpen(corta)).toBe(true);
  });
});

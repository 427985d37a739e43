import { beforeAll, describe, expect, it } from 'vitest';
import { eachAtLength } from '../fixtures/at-length.ts';
import { formasDe, readTablas } from '../fixtures/busqueda.ts';
import { costOf } from '../fixtures/consultas.ts';
import { askFor, fail, llamadas, saldoDe, UN_DIA } from '../fixtures/pedidos.ts';
import { type Caller, ciecOf, expectOk, useServicio, waitFor, waitForEnd } from '../fixtures/servicio.ts';

const WRONG = 'Equivocada-12345';

/** Each is another portal, with its own log-in at the host named. */
const PORTALES = [
  ['tax/facturas', { desde: '2025-05-14', hasta: '2025-05-14' }, 'cfdiau'],
  ['tax/opinion-cumplimiento', {}, 'loginda'],
  ['tax/comunicados', {}, 'login'],
] as const;

describe('sessions with the portals', () => {
  const servicio = useServicio();
  let procesos: readonly { readonly url: string }[];
  beforeAll(async () => {
    [procesos] = await Promise.all([
      Promise.all([servicio.startApiProcess(), servicio.startApiProcess()]),
      servicio.startWorker(),
    ]);
  });

  const logins = (caller: Caller, service?: string) =>
    llamadas(servicio, caller, 'EntrarCiec').filter((call) => service === undefined || call.service === service);
  const everywhere = <T>(caller: Caller, work: (caller: Caller) => Promise<T>) =>
    Promise.all(procesos.map((api) => work(caller.at(api))));

  eachAtLength(PORTALES)(
    '%s: many calls of two processes at the same moment are one log-in',
    async (path, body, service) => {
      const caller = await servicio.newCiecCaller({ saldo: 20 });
      for (let round = 0; round < 3; round += 1) {
        const answers = await everywhere(caller, (here) =>
          Promise.all([0, 1].map(() => expectOk(here.call(path, { rfc: caller.rfc, ...body })))),
        );
        expect(answers.flat()).toHaveLength(4);
        expect(logins(caller).map((call) => call.service)).toEqual([service]);
      }
    },
  );

  it('workers go on with the session that an API opened', async () => {
    const caller = await servicio.newCiecCaller();
    await expectOk(caller.call('tax/facturas', { rfc: caller.rfc, ...PORTALES[0][1] }));
    await waitForEnd(caller, await askFor(caller));
    expect(logins(caller)).toHaveLength(1);
  });

  it('are of one taxpayer: two of them log in once each', async () => {
    const callers = [await servicio.newCiecCaller(), await servicio.newCiecCaller()];
    await Promise.all(
      callers.map((caller) =>
        everywhere(caller, (here) => expectOk(here.call('tax/comunicados', { rfc: caller.rfc }))),
      ),
    );
    for (const caller of callers) expect(logins(caller)).toHaveLength(1);
  });

  it('a wrong CIEC is sent once by two APIs and a worker, then 4004 without asking, until it is stored again', async () => {
    const caller = await servicio.newCaller({ saldo: 10 });
    const { rfc } = caller;
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: WRONG }));
    const ask = (here: Caller) => Promise.all(PORTALES.map(([path, body]) => here.call(path, { rfc, ...body })));
    // The worker's log-in is held up until the others want it too.
    fail(servicio, caller, { service: 'cfdiau', operation: 'EntrarCiec', kind: 'slow', ms: 1_500, times: 1 });
    const solicitud = await askFor(caller);
    const answers = await everywhere(caller, ask);
    for (const { status, body } of answers.flat()) expect([status, body.cfdi_codigo]).toEqual([400, 4004]);
    expect(await waitForEnd(caller, solicitud)).toMatchObject({ estado: 'ERROR', motivo: 'CIEC_RECHAZADA' });
    expect(logins(caller)).toHaveLength(1);

    const asked = llamadas(servicio, caller).length;
    for (const answer of (await everywhere(caller, ask)).flat()) expect(answer.body.cfdi_codigo).toBe(4004);
    expect((await caller.call('tax/descarga-metadata', { rfc, ...UN_DIA })).body.cfdi_codigo).toBe(4004);
    expect(llamadas(servicio, caller)).toHaveLength(asked);
    expect(await saldoDe(servicio, caller)).toBe(10);

    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: WRONG }));
    expect((await caller.call('tax/comunicados', { rfc })).body.cfdi_codigo).toBe(4004);
    expect(logins(caller)).toHaveLength(2);
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    const paid = await everywhere(caller, (here) => expectOk(here.call('tax/comunicados', { rfc })));
    expect(logins(caller)).toHaveLength(3);
    const cost = paid.reduce((sum, data) => sum + costOf(data), 0);
    expect(await saldoDe(servicio, caller)).toBe(10 - cost);
  });

  it('are useless to a reader of the database: no cookie and no CIEC, sealed bytes only', async () => {
    const caller = await servicio.newCiecCaller();
    for (const [path, body] of PORTALES) await expectOk(caller.call(path, { rfc: caller.rfc, ...body }));
    const { rows } = await servicio.db.pool.query<{ portal: string; cookies: Buffer }>(
      'SELECT portal, cookies FROM sesion_portal WHERE rfc = $1',
      [caller.rfc],
    );
    expect(rows).toHaveLength(PORTALES.length);
    const tables = await readTablas(servicio);
    const findIn = (forms: readonly string[]) =>
      [...tables].filter(([, text]) => forms.some((form) => text.includes(form))).map(([name]) => name);
    // The search finds a known value.
    expect(findIn(formasDe(rows[0]?.cookies.subarray(0, 30) ?? Buffer.alloc(0)))).toEqual(['public.sesion_portal']);
    for (const name of ['FedAuth', 'JSESSIONID', 'httpOnly']) {
      expect([name, findIn(formasDe(Buffer.from(name)))]).toEqual([name, []]);
    }
    expect(findIn(formasDe(Buffer.from(ciecOf(caller.rfc))))).toEqual([]);
  });

  it('that the portal has forgotten are opened again, once', async () => {
    const caller = await servicio.newCiecCaller();
    const ask = (here: Caller) => expectOk(here.call('tax/comunicados', { rfc: caller.rfc }));
    await everywhere(caller, ask);
    const { world } = servicio.simulador;
    world.clock.advance(24 * 3_600_000);
    await everywhere(caller, ask);
    expect(logins(caller)).toHaveLength(2);
  });

  it('end at the portal when the CIEC is stored again, and when they have been idle', async () => {
    const caller = await servicio.newCiecCaller();
    const other = await servicio.newCiecCaller();
    const { rfc } = caller;
    for (const { rfc, call } of [caller, other]) await expectOk(call('tax/facturas', { rfc, ...PORTALES[0][1] }));
    const salidas = ({ rfc }: Caller) =>
      servicio.simulador.world.log.count({ service: 'portalcfdi', operation: 'Salir', rfc });
    expect([salidas(caller), salidas(other)]).toEqual([0, 0]);
    await expectOk(caller.call('vault/rfc-guardar', { rfc, ciec: ciecOf(rfc) }));
    await servicio.startWorker({ WORKER_ROLES: 'reaper', REAPER_INTERVAL_MS: '100' });
    await waitFor(async () => (salidas(caller) > 0 ? true : null));
    expect([salidas(caller), salidas(other)]).toEqual([1, 0]);
    await servicio.db.pool.query(`UPDATE sesion_portal SET usada_en = now() - interval '1 day' WHERE rfc = $1`, [
      other.rfc,
    ]);
    await waitFor(async () => (salidas(other) > 0 ? true : null));
    expect([salidas(caller), salidas(other)]).toEqual([1, 1]);
  });
});

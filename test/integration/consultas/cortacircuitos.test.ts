import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { abiertas, libroDe, whileDown } from '../fixtures/consultas.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { type Answer, expectOk, type Servicio, startServicio, waitFor } from '../fixtures/servicio.ts';

const PATH = 'tax/comunicados';

describe('a service of the authority that fails again and again', () => {
  let servicio: Servicio;
  let otra: { readonly url: string };
  beforeAll(async () => {
    servicio = await startServicio();
    otra = await servicio.startApiProcess();
  });
  afterAll(() => servicio.close());

  const isSpared = ({ body }: Answer) => /falló varias veces seguidas/.test(String(body.data?.['motivo']));
  const host = async () => {
    const { rows } = await servicio.db.pool.query<{ host: string }>(
      `SELECT host FROM estado_host WHERE abierto_hasta > extract(epoch FROM now()) * 1000`,
    );
    return rows.map(({ host }) => host);
  };

  it('is left alone by all processes: 5041 with a refund and a time to come back, without asking it', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 30 });
    const { rfc } = caller;
    const { log } = servicio.simulador.world;
    const call = () => caller.call(PATH, { rfc });
    await whileDown(servicio, 'status', () =>
      waitFor(async () => {
        const answer = await call();
        expect([answer.status, answer.body.cfdi_codigo]).toEqual([503, 5041]);
        return isSpared(answer) ? answer : null;
      }),
    );
    expect(await host()).toHaveLength(1);
    // Its half a minute does not end while we look.
    await servicio.db.pool.query(
      'UPDATE estado_host SET abierto_hasta = abierto_hasta + 600000 WHERE abierto_hasta > 0',
    );

    // It is well again, but nobody tries: neither the process that met the failures nor the one that met none.
    const asked = log.count();
    for (const here of [caller, caller.at(otra)]) {
      const answer = await here.call(PATH, { rfc });
      expect([answer.status, answer.body.cfdi_codigo, isSpared(answer)]).toEqual([503, 5041, true]);
      expect(answer.body.data?.['reintentar_en']).toEqual(30);
    }
    expect(log.count()).toBe(asked);
    const libro = await libroDe(servicio, caller);
    expect(libro.length).toBeGreaterThan(6);
    expect(libro).toEqual(libro.map((_, n) => (n % 2 === 0 ? `cargo -1 ${PATH}` : `reembolso 1 ${PATH}`)));
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([30, 0]);

    // Other services of the authority are asked as ever.
    await expectOk(caller.call('tax/opinion-cumplimiento-fiel', { rfc }));
  });

  it('is asked again, by one process first, when the time is over', async () => {
    const caller = await newEfirmaCaller(servicio, { saldo: 5 });
    expect(await host()).toHaveLength(1);
    await servicio.db.pool.query('UPDATE estado_host SET abierto_hasta = 0');
    await waitFor(async () => (isSpared(await caller.call(PATH, { rfc: caller.rfc })) ? null : true));
    await Promise.all(
      [caller, caller.at(otra)].map((here) =>
        waitFor(async () => (isSpared(await here.call(PATH, { rfc: caller.rfc })) ? null : true)),
      ),
    );
    await expectOk(caller.at(otra).call(PATH, { rfc: caller.rfc }));
    expect(await host()).toEqual([]);
  });
});

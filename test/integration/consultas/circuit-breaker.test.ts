import { beforeAll, describe, expect, it } from 'vitest';
import { abiertas, libroDe, whileDown } from '../fixtures/consultas.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { type Answer, expectOk, useServicio, waitFor } from '../fixtures/servicio.ts';

const PATH = 'tax/comunicados';

describe('a service of the authority that fails again and again', { shuffle: false }, () => {
  const servicio = useServicio();
  let otra: { readonly url: string };
  beforeAll(async () => {
    otra = await servicio.startApiProcess();
  });

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
    const others = [await newEfirmaCaller(servicio), await newEfirmaCaller(servicio)];
    const { log } = servicio.simulador.world;
    await whileDown(servicio, 'status', () =>
      waitFor(async () => {
        for (const other of others) await other.call(PATH, { rfc: other.rfc });
        const answer = await caller.call(PATH, { rfc });
        expect([answer.status, answer.body.cfdi_codigo]).toEqual([503, 5041]);
        return isSpared(answer) ? answer : null;
      }),
    );
    expect(await host()).toHaveLength(1);
    // Its half a minute does not end while we look.
    await servicio.db.pool.query(
      'UPDATE estado_host SET abierto_hasta = abierto_hasta + 600000 WHERE abierto_hasta > 0',
    );

    // The host works again, but no process tries: neither the one with the failures nor the other.
    const asked = log.count();
    for (const here of [caller, caller.at(otra)]) {
      const answer = await here.call(PATH, { rfc });
      expect([answer.status, answer.body.cfdi_codigo, isSpared(answer)]).toEqual([503, 5041, true]);
      expect(answer.body.data?.['reintentar_en']).toEqual(30);
    }
    expect(log.count()).toBe(asked);
    const libro = await libroDe(servicio, caller);
    expect(libro.length).toBeGreaterThan(2);
    expect(libro).toEqual(libro.map((_, n) => (n % 2 === 0 ? `cargo -1 ${PATH}` : `reembolso 1 ${PATH}`)));
    expect([await saldoDe(servicio, caller), await abiertas(servicio)]).toEqual([30, 0]);

    // Other services of the authority are asked as ever.
    await expectOk(caller.call('tax/opinion-cumplimiento-fiel', { rfc }));
  });

  it('answers one taxpayer with errors only: other accounts do not wait', async () => {
    // Every page behind its log-in is HTTP 500, for it alone.
    const broken = await newEfirmaCaller(servicio, { rfc: 'AVE900215SI8', saldo: 30 });
    const sana = await newEfirmaCaller(servicio, { saldo: 30 });
    const path = 'tax/declaraciones-fiel';
    for (let i = 0; i < 10; i += 1) {
      const answer = await broken.call(path, { rfc: broken.rfc, ejercicio: 2025 });
      expect([answer.status, isSpared(answer)]).toEqual([503, false]);
    }
    await expectOk(sana.call(path, { rfc: sana.rfc, ejercicio: 2025 }));
    await expectOk(sana.at(otra).call(path, { rfc: sana.rfc, ejercicio: 2025 }));
    expect(await saldoDe(servicio, broken)).toBe(30);
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

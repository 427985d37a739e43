import { PUNTOS } from '@acuse/core';
import { expect, it } from 'vitest';
import { expireClaim } from '../fixtures/candado.ts';
import { flowOnEachDriver } from '../fixtures/drivers.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { askFor } from '../fixtures/pedidos.ts';
import { LOOPS, STEPS } from '../fixtures/procesos.ts';
import { askedOfSat, enviosOf, expectWhole, MES } from '../fixtures/resultado.ts';
import { useServicio, waitFor } from '../fixtures/servicio.ts';

flowOnEachDriver('one solicitud, and a worker killed at every checkpoint', (queueUrl) => {
  const servicio = useServicio({ queueUrl, simulador: { filas_por_paquete: 40 } }, LOOPS);

  it('ends with one charge and one ZIP, and the SAT is asked as little as can be', { tags: ['slow'] }, async () => {
    const caller = await newEfirmaCaller(servicio);
    const id = await askFor(caller, MES);
    const before: Record<string, number> = {};
    for (const punto of PUNTOS) {
      const victim = await servicio.startWorker({ ...STEPS, FAILPOINT: `${punto}:kill` });
      await waitFor(async () => (victim.isRunning() ? null : true));
      await expireClaim(servicio, id);
      before[punto] = await enviosOf(servicio, id);
    }
    await expectWhole(servicio, caller, id);

    const { sends, solicitudes, downloads } = askedOfSat(servicio, caller.rfc);
    // One was accepted by the SAT and forgotten by us; its equal was refused and led to another second.
    expect(solicitudes).toBe(2);
    expect(sends).toBe(3);
    // The intent is written before each call: our rows never tell of fewer requests than the SAT saw.
    expect(before).toMatchObject({ 'tras-tomar': 0, 'tras-intencion': 1, 'tras-solicitar': 2 });
    expect(await enviosOf(servicio, id)).toBe(sends + 1);
    // What a dead worker had stored is found: the second download that the SAT allows is not spent.
    expect(downloads.size).toBeGreaterThan(1);
    expect(new Set(downloads.values())).toEqual(new Set([1]));
  });

  it.each(['ciec', 'efirma'] as const)(
    'delivers every XML or names it, by %s',
    { tags: ['slow'] },
    async (credencial) => {
      const caller = await (credencial === 'ciec' ? servicio.newCiecCaller() : newEfirmaCaller(servicio));
      const pedido = { ...MES, contenido: 'xml' } as const;
      const id = await askFor(caller, pedido);
      for (const punto of PUNTOS) {
        const victim = await servicio.startWorker({ ...STEPS, FAILPOINT: `${punto}:kill` });
        await waitFor(async () => (victim.isRunning() ? null : true));
        await expireClaim(servicio, id);
      }
      await expectWhole(servicio, caller, id, pedido);
      expect(askedOfSat(servicio, caller.rfc).thirds).toEqual([]);
    },
  );
});

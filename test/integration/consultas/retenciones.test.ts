import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, hoy, itemsOf, retencionesOf, stopClock } from './verdad.ts';

const servicio = useServicio();

const retenciones = (caller: Caller, ejercicio: number) => itemsOf(caller, 'tax/retenciones', { ejercicio });

describe('tax/retenciones', () => {
  it.each(CONTRIBUYENTES)('%s: the same rows from the portal and from the web service', async (_name, rfc) => {
    const ciec = await servicio.newCiecCaller({ rfc });
    const efirma = await newEfirmaCaller(servicio, { rfc });
    for (const ejercicio of [2025, 2023]) {
      const expected = retencionesOf(servicio, rfc, ejercicio);
      expect(expected.length).toBeGreaterThan(100);
      expect(new Set(expected.map(({ tipo }) => tipo))).toEqual(new Set(['RECIBIDA', 'EMITIDA']));
      expect(new Set(expected.map(({ estado }) => estado)).size).toBe(2);

      servicio.simulador.world.log.clear();
      expect(await retenciones(ciec, ejercicio)).toEqual(expected);
      const services = () => new Set(llamadas(servicio, { rfc }).map(({ service }) => service));
      expect(services()).toContain('prodretencioncontribuyente');
      expect(services()).not.toContain('retendescargamasivasolicitud');

      servicio.simulador.world.log.clear();
      expect(await retenciones(efirma, ejercicio)).toEqual(expected);
      expect(services()).toEqual(new Set(['retendescargamasivasolicitud', 'retendescargamasiva']));
    }
    expect(await saldoDe(servicio, ciec)).toBe(8);
    expect(await saldoDe(servicio, efirma)).toBe(8);
  });

  it('the year that is running, up to now', async () => {
    const caller = await servicio.newCiecCaller();
    const efirma = await newEfirmaCaller(servicio, { rfc: caller.rfc });
    const ejercicio = Number(hoy().slice(0, 4));
    // CFDI issued meanwhile would be in one answer only. The clock is ahead of ours: the SAT refuses an end in the
    // future.
    const follow = stopClock(servicio, 60_000);
    try {
      const expected = retencionesOf(servicio, caller.rfc, ejercicio);
      expect(await retenciones(caller, ejercicio)).toEqual(expected);
      expect(await retenciones(efirma, ejercicio)).toEqual(expected);
    } finally {
      follow();
    }
  });

  it('a day with more rows than the portal shows', async () => {
    const caller = await servicio.newCiecCaller();
    const efirma = await newEfirmaCaller(servicio, { rfc: caller.rfc });
    const dia = Date.UTC(2025, 1, 28) / 1_000;
    const fila = { documento: 'retenciones', tipo: 'recibidos', desde: dia, hasta: dia, cantidad: 700 } as const;
    servicio.simulador.world.taxpayers.change(caller.rfc, { filas: [fila] });
    const expected = retencionesOf(servicio, caller.rfc, 2025);
    expect(expected).toHaveLength(700);
    expect(await retenciones(caller, 2025)).toEqual(expected);
    expect(await retenciones(efirma, 2025)).toEqual(expected);
  });

  it('a year without any', async () => {
    const caller = await servicio.newCiecCaller();
    servicio.simulador.world.taxpayers.change(caller.rfc, { filas: [] });
    const efirma = await newEfirmaCaller(servicio, { rfc: caller.rfc });
    expect(await retenciones(caller, 2025)).toEqual([]);
    expect(await retenciones(efirma, 2025)).toEqual([]);
  });
});

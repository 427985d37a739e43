import { beforeAll, describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, declaracionesDe, itemsOf, stopClock } from './verdad.ts';

/**
 * The last noon of a 20 November: its year is running, and most of its returns were filed. In another season they are
 * still to come.
 */
function lastNovember(): Date {
  const noviembre = new Date(Date.UTC(new Date().getUTCFullYear(), 10, 20, 18));
  if (noviembre.getTime() > Date.now()) noviembre.setUTCFullYear(noviembre.getUTCFullYear() - 1);
  return noviembre;
}

const NOVIEMBRE = lastNovember();
const AHORA = NOVIEMBRE.getUTCFullYear();

const servicio = useServicio();
beforeAll(async () => {
  servicio.simulador.world.clock.set(NOVIEMBRE);
  stopClock(servicio);
});

const declaraciones = (caller: Caller, ejercicio: number) => itemsOf(caller, 'tax/declaraciones-fiel', { ejercicio });

describe('tax/declaraciones-fiel', () => {
  it.each([
    ...CONTRIBUYENTES,
    ['persona moral', 'EKU9003173C9'],
    ['persona física', 'CACX7605101P8'],
    ['a quien le faltan', 'NEG900215SI8'],
  ] as const)('%s %s: what it filed for each year, each return once', async (_name, rfc) => {
    const caller = await newEfirmaCaller(servicio, { rfc });
    const years = [2023, AHORA - 1, AHORA];
    for (const ejercicio of years) {
      const expected = declaracionesDe(servicio, rfc, ejercicio);
      expect([ejercicio, expected.length > 8]).toEqual([ejercicio, true]);
      expect(await declaraciones(caller, ejercicio)).toEqual(expected);
    }
    expect(await saldoDe(servicio, caller)).toBe(10 - years.length);
  });

  it.each([
    ['persona moral', 'EKU9003173C9'],
    ['persona física', 'CACX7605101P8'],
  ])('%s %s: what it filed up to 2021, from the older portal', async (_name, rfc) => {
    const caller = await newEfirmaCaller(servicio, { rfc });
    const expected = declaracionesDe(servicio, rfc, 2020).map((declaracion) => ({
      ...declaracion,
      periodicidad: null,
      estado: null,
    }));
    expect(expected.length).toBeGreaterThan(8);
    expect(await declaraciones(caller, 2020)).toEqual(expected);
  });

  it('nothing of a taxpayer without obligations', async () => {
    const caller = await newEfirmaCaller(servicio, { rfc: 'SIN900215SI9' });
    expect(await declaraciones(caller, AHORA - 1)).toEqual([]);
  });

  it('the taxpayers of these tests have normal returns and amended ones, with and without a capture line', () => {
    const all = CONTRIBUYENTES.flatMap(([, rfc]) => declaracionesDe(servicio, rfc, 2023));
    expect(new Set(all.map(({ complementaria }) => complementaria))).toEqual(new Set([true, false]));
    expect(new Set(all.map(({ linea_captura }) => linea_captura === null))).toEqual(new Set([true, false]));
    expect(new Set(all.map(({ periodicidad }) => periodicidad)).size).toBe(2);
    expect(new Set(all.map(({ estado }) => estado)).size).toBe(2);
  });
});

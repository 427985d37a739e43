import { MAGIAS } from '@acuse/simulador';
import { describe, expect, it } from 'vitest';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { darFilas, llamadas, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, expectOk, useServicio } from '../fixtures/servicio.ts';
import { CONTRIBUYENTES, type Dias, facturasOf } from './verdad.ts';

const WAYS = [
  ['tax/facturas', 'CIEC'],
  ['tax/facturas-fiel', 'e.firma'],
] as const;

const servicio = useServicio();

const newCaller = (via: string, rfc: string) =>
  via === 'CIEC' ? servicio.newCiecCaller({ rfc }) : newEfirmaCaller(servicio, { rfc });

async function facturas(caller: Caller, path: string, dias: Dias) {
  const data = await expectOk(caller.call(path, { rfc: caller.rfc, ...dias }));
  const items = data['items'] as { uuid: string }[];
  expect(data['total']).toBe(items.length);
  expect(new Set(items.map(({ uuid }) => uuid)).size).toBe(items.length);
  return items;
}

describe.each(WAYS)('%s, with %s', (path, via) => {
  /** The portal divides periods equally for both log-ins. */
  const long = { tags: via === 'CIEC' ? [] : ['slow'] };
  it.each(CONTRIBUYENTES)('%s: exactly what it received in several months', async (_name, rfc) => {
    servicio.simulador.world.log.clear();
    const caller = await newCaller(via, rfc);
    const dias = { desde: '2025-01-10', hasta: '2025-05-03' };
    const expected = facturasOf(servicio, rfc, dias);
    expect(expected.length).toBeGreaterThan(300);
    expect(await facturas(caller, path, dias)).toEqual(expected);
    expect(await saldoDe(servicio, caller)).toBe(9);
    const entries = ['EntrarCiec', 'EntrarFiel'].map((way) => llamadas(servicio, caller, way).length);
    expect(entries).toEqual(via === 'CIEC' ? [1, 0] : [0, 1]);
  });

  it('a day with more CFDI than the portal shows, its awkward names included', long, async () => {
    const caller = await newCaller(via, `DIA010101${via === 'CIEC' ? 'AB1' : 'AB2'}`);
    const dias = { desde: '2025-03-14', hasta: '2025-03-14' };
    darFilas(servicio, caller.rfc, { tipo: 'recibidos', ...dias }, 1_203);
    const expected = facturasOf(servicio, caller.rfc, dias);
    expect(expected).toHaveLength(1_203);
    expect(await facturas(caller, path, { desde: '2025-03-12', hasta: '2025-03-16' })).toEqual(expected);
  });

  it('501 CFDI within a minute', { tags: ['slow'] }, async () => {
    const magia = MAGIAS.find(({ clave }) => clave === 'quinientos uno');
    const caller = await newCaller(via, (via === 'CIEC' ? magia?.moral : magia?.fisica) ?? '');
    const dias = { desde: '2026-03-01', hasta: '2026-03-31' };
    const expected = facturasOf(servicio, caller.rfc, dias);
    expect(expected).toHaveLength(501);
    expect(await facturas(caller, path, dias)).toEqual(expected);
  });

  it('a period without any', async () => {
    const caller = await newCaller(via, `NAD010101${via === 'CIEC' ? 'AB1' : 'AB2'}`);
    darFilas(servicio, caller.rfc, { tipo: 'recibidos', desde: '2025-03-14', hasta: '2025-03-14' }, 3);
    expect(await facturas(caller, path, { desde: '2025-03-15', hasta: '2025-04-30' })).toEqual([]);
    expect(await saldoDe(servicio, caller)).toBe(10);
  });
});

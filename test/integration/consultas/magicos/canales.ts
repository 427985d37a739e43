import { expect } from 'vitest';
import { newEfirmaCaller } from '../../fixtures/efirma.ts';
import { askFor } from '../../fixtures/pedidos.ts';
import { type Caller, expectOk, type Servicio, waitForEnd } from '../../fixtures/servicio.ts';
import { facturasOf, retencionesOf } from '../verdad.ts';
import { expectEspera } from './descargas.ts';
import { ANIO, type Prueba } from './prueba.ts';

/**
 * What one channel of the authority gives while the other one does not, or gives it badly. Each asks by the channel
 * that works.
 */
const facturas = async (servicio: Servicio, caller: Caller, path = 'tax/facturas') => {
  const items = facturasOf(servicio, caller.rfc, ANIO);
  expect(items.length).toBeGreaterThan(0);
  const data = await expectOk(caller.call(path, { rfc: caller.rfc, ...ANIO }));
  expect(data).toMatchObject({ total: items.length, items });
};
const retenciones = async (servicio: Servicio, caller: Caller) => {
  const items = retencionesOf(servicio, caller.rfc, 2025);
  expect(items.length).toBeGreaterThan(0);
  const data = await expectOk(caller.call('tax/retenciones', { rfc: caller.rfc, ejercicio: 2025 }));
  expect(data).toMatchObject({ total: items.length, items });
};

/** The searches that find nothing are made again; what lies behind none of them is asked for once. */
export const vacioFalso: Prueba = async ({ relaxed }, rfc) => {
  const caller = await relaxed.newCiecCaller({ rfc });
  await facturas(relaxed, caller);
  await retenciones(relaxed, caller);
  const data = await expectOk(caller.call('tax/opinion-cumplimiento', { rfc }));
  expect(data).toMatchObject({ rfc, opinion: relaxed.simulador.world.taxpayers.profile(rfc).opinion.sentido });
};

export const porElPortal: Prueba = async ({ relaxed }, rfc) => {
  await facturas(relaxed, await relaxed.newCiecCaller({ rfc }));
  await retenciones(relaxed, await relaxed.newCiecCaller({ rfc }));
};

/** Both the period with rows and, by the code in the request's answer, the one without. */
export const vacioAlPedir: Prueba = async ({ relaxed }, rfc) => {
  await facturas(relaxed, await relaxed.newCiecCaller({ rfc }));
  const caller = await newEfirmaCaller(relaxed, { rfc });
  const id = await askFor(caller, { tipo: 'recibidos', ...ANIO });
  expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 60 });
};

export const efirmaPorElPortal: Prueba = async ({ relaxed }, rfc) => {
  await facturas(relaxed, await newEfirmaCaller(relaxed, { rfc }), 'tax/facturas-fiel');
  const caller = await newEfirmaCaller(relaxed, { rfc });
  await expectOk(caller.call('tax/opinion-cumplimiento-fiel', { rfc }));
};

export const retencionesPorElPortal: Prueba = async ({ relaxed }, rfc) =>
  retenciones(relaxed, await relaxed.newCiecCaller({ rfc }));

export const retencionesPorElServicio: Prueba = async ({ relaxed }, rfc) =>
  retenciones(relaxed, await newEfirmaCaller(relaxed, { rfc }));

export const lateExport: Prueba = async ({ hurried }, rfc) => {
  await expectEspera(hurried, rfc);
};

export const codigoDesconocido: Prueba = async ({ relaxed }, rfc) => {
  const caller = await newEfirmaCaller(relaxed, { rfc });
  const id = await askFor(caller, { tipo: 'recibidos', ...ANIO });
  const registros = expect.any(Number);
  expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros });
};

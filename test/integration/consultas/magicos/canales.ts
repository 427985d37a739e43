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
export const vacioFalso: Prueba = async ({ holgado }, rfc) => {
  const caller = await holgado.newCiecCaller({ rfc });
  await facturas(holgado, caller);
  await retenciones(holgado, caller);
  const data = await expectOk(caller.call('tax/opinion-cumplimiento', { rfc }));
  expect(data).toMatchObject({ rfc, opinion: holgado.simulador.world.taxpayers.profile(rfc).opinion.sentido });
};

export const porElPortal: Prueba = async ({ holgado }, rfc) => {
  await facturas(holgado, await holgado.newCiecCaller({ rfc }));
  await retenciones(holgado, await holgado.newCiecCaller({ rfc }));
};

/** Both the period with rows and, by the code in the request's answer, the one without. */
export const vacioAlPedir: Prueba = async ({ holgado }, rfc) => {
  await facturas(holgado, await holgado.newCiecCaller({ rfc }));
  const caller = await newEfirmaCaller(holgado, { rfc });
  const id = await askFor(caller, { tipo: 'recibidos', ...ANIO });
  expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros: 60 });
};

export const efirmaPorElPortal: Prueba = async ({ holgado }, rfc) => {
  await facturas(holgado, await newEfirmaCaller(holgado, { rfc }), 'tax/facturas-fiel');
  const caller = await newEfirmaCaller(holgado, { rfc });
  await expectOk(caller.call('tax/opinion-cumplimiento-fiel', { rfc }));
};

export const retencionesPorElPortal: Prueba = async ({ holgado }, rfc) =>
  retenciones(holgado, await holgado.newCiecCaller({ rfc }));

export const retencionesPorElServicio: Prueba = async ({ holgado }, rfc) =>
  retenciones(holgado, await newEfirmaCaller(holgado, { rfc }));

export const tardada: Prueba = async ({ apurado }, rfc) => {
  await expectEspera(apurado, rfc);
};

export const codigoDesconocido: Prueba = async ({ holgado }, rfc) => {
  const caller = await newEfirmaCaller(holgado, { rfc });
  const id = await askFor(caller, { tipo: 'recibidos', ...ANIO });
  const registros = expect.any(Number);
  expect(await waitForEnd(caller, id)).toMatchObject({ estado: 'TERMINADA', registros });
};

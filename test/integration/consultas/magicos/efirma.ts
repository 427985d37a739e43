import { expect } from 'vitest';
import { CONSULTAS } from '../../fixtures/consultas.ts';
import { issueEfirma, newEfirmaCaller, registrarCer, storeKey } from '../../fixtures/efirma.ts';
import { llamadas, saldoDe } from '../../fixtures/pedidos.ts';
import type { Caller, Servicio } from '../../fixtures/servicio.ts';

import { ANIO, codigo, type Prueba, SALDO } from './prueba.ts';

export const efirmaVencida: Prueba = async ({ relaxed }, rfc) => {
  const caller = await relaxed.newCaller({ rfc, saldo: SALDO });
  const efirma = await issueEfirma(relaxed, { rfc });
  expect(codigo(await registrarCer(caller, efirma))).toEqual([400, 4001]);
  expect(codigo(await storeKey(caller, efirma))).toEqual([400, 4002]);
  await expectEfirmaRefused(relaxed, caller);
  expect(llamadas(relaxed, { rfc })).toEqual([]);
};

export const efirmaRevocada: Prueba = async ({ propio }, rfc) => {
  const servicio = await propio();
  for (const [path, testCase] of CONSULTAS.filter(([, { credencial }]) => credencial === 'efirma')) {
    const caller = await newEfirmaCaller(servicio, { rfc, saldo: SALDO });
    const before = shown(servicio);
    const answer = await caller.call(path, testCase.body(servicio, caller));
    expect([path, ...codigo(answer), await saldoDe(servicio, caller)]).toEqual([path, 400, 4002, SALDO]);
    expect([path, shown(servicio) > before]).toEqual([path, true]);
    // It is not shown to the authority a second time; what the web service refused, the portals are still asked, once.
    const first = shown(servicio);
    await expectEfirmaRefused(servicio, caller);
    const once = shown(servicio);
    if (path !== 'tax/retenciones') expect([path, once]).toEqual([path, first]);
    await expectEfirmaRefused(servicio, caller);
    expect((await caller.call(path, testCase.body(servicio, caller))).status).toBe(400);
    expect([path, shown(servicio)]).toEqual([path, once]);
  }
};

/** How often the authority was shown an e.firma. It does not say whose, when it refuses it. */
function shown({ simulador: { world } }: Servicio): number {
  return ['EntrarFiel', 'Autentica'].reduce((sum, operation) => sum + world.log.count({ operation }), 0);
}

async function expectEfirmaRefused(servicio: Servicio, caller: Caller): Promise<void> {
  const { rfc } = caller;
  for (const [path, body] of [
    ['tax/facturas-fiel', { rfc, ...ANIO }],
    ['tax/declaraciones-fiel', { rfc, ejercicio: 2025 }],
    ['tax/opinion-cumplimiento-fiel', { rfc }],
  ] as const) {
    expect([path, ...codigo(await caller.call(path, body))]).toEqual([path, 400, 4002]);
  }
  expect(await saldoDe(servicio, caller)).toBe(SALDO);
}

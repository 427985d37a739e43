import { type Consulta, type Credencial, SatError } from '@acuse/core';
import { expect, it } from 'vitest';
import { createSatMemoria, type RespuestaGuion } from '../../../../packages/sat/src/testing/sat-memoria.ts';
import { expectGivenBack, guardaEfirma, prepare, withSignal } from '../../test/consulta.ts';
import { guardaCiec, type KitOptions } from '../../test/kit.ts';

const PATH = 'tax/facturas';
const MES = { desde: '2026-01-01', hasta: '2026-01-31' };
const VACIA = { resultado: 'LISTA', facturas: [] } as const;

type Segunda = RespuestaGuion<'listar-facturas'>;

/** An empty month by CIEC, and what the second look by e.firma meets. */
async function ask(segunda: Segunda, options: KitOptions = {}) {
  const asked: string[] = [];
  const look = (consulta: Consulta<'listar-facturas'>, credencial: Credencial) => {
    asked.push(credencial.tipo);
    if (asked.length === 1) return VACIA;
    return typeof segunda === 'function' ? segunda(consulta, credencial) : segunda;
  };
  const sat = createSatMemoria({ guion: { 'listar-facturas': [look] } });
  const deps = { sat: { ...sat, send: withSignal(sat.send) } };
  const { kit, a } = await prepare({}, null, { ...options, deps });
  await guardaCiec(kit, a);
  await guardaEfirma(kit, a);
  const answer = await kit.call(PATH, { rfc: a.rfc, ...MES }, { key: a.key });
  await expectGivenBack(kit, a, 1);
  return { answer, asked, a, kit };
}

const SIN_CONFIRMAR = { total: 0, confianza: 'sin_confirmar', reembolsada: true, credencial: 'ciec' };

it('an empty list whose second look does not end within the budget is not confirmed, and no error', async () => {
  const never = () => new Promise<never>(() => {});
  const { answer, asked } = await ask(never, { settings: { presupuestoMs: 1_500 } });
  expect([answer.status, answer.json.data, asked]).toMatchObject([200, SIN_CONFIRMAR, ['ciec', 'efirma', 'ciec']]);
});

it('an empty list is looked for by the first way again when the other one has no answer', async () => {
  const failsOnce = (_consulta: unknown, { tipo }: Credencial) =>
    tipo === 'efirma' ? new SatError('RESPUESTA_ILEGIBLE') : VACIA;
  const { answer, asked } = await ask(failsOnce);
  expect([answer.json.data, asked]).toMatchObject([SIN_CONFIRMAR, ['ciec', 'efirma', 'ciec']]);
});

it('refunds an empty list when the second look says that it is too long, and returns no answer', async () => {
  const { answer } = await ask({ resultado: 'DEMASIADAS' });
  expect([answer.status, answer.json.cfdi_codigo, answer.json.data]).toMatchObject([400, 2001, { campo: 'hasta' }]);
});

import { type RespuestaOpinionPublica, SatError } from '@acuse/core';
import { expect, it } from 'vitest';
import { createKitWithAlta } from '../../../test/kit.ts';

const PATH = 'tax/opinion-cumplimiento-publica';

async function ask(consultar: (() => Promise<RespuestaOpinionPublica>) | null) {
  const { kit, a } = await createKitWithAlta(
    { deps: { opinionesPublicas: consultar === null ? null : { consultar } } },
    { saldo: 0 },
  );
  const answer = await kit.call(PATH, { rfc: 'XIQB891116QE4' }, { key: a.key });
  expect(await kit.movimientos(a)).toEqual([]);
  return answer;
}

it('answers 503/5041 without a source, never a guess', async () => {
  const answer = await ask(null);
  expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
  expect(answer.json.data?.['motivo']).toContain('OPINION_PUBLICA_URL');
});

it('answers 503/5041 when the source does not', async () => {
  const answer = await ask(() => Promise.reject(new SatError('RESPUESTA_ILEGIBLE')));
  expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
});

import { type RespuestaOpinionPublica, SatError } from '@acuse/core';
import { expect, it } from 'vitest';
import { alta, createKit } from '../../../test/kit.ts';

const PATH = 'tax/opinion-cumplimiento-publica';

async function ask(consultar: (() => Promise<RespuestaOpinionPublica>) | null) {
  const kit = await createKit({ deps: { opinionesPublicas: consultar === null ? null : { consultar } } });
  const a = alta(kit.store, { saldo: 0 });
  const answer = await kit.call(PATH, { rfc: 'XIQB891116QE4' }, { key: a.key });
  expect(kit.store.movimientos).toEqual([]);
  return answer;
}

it('answers 503/5041 without a source, never a guess', async () => {
  const answer = await ask(null);
  expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
  expect(answer.json.data?.['motivo']).toContain('OPINION_PUBLICA_URL');
});

it('tells the opinion of any taxpayer, free of charge', async () => {
  const fechaPublicacion = new Date('2026-11-01T06:00:00Z');
  const answer = await ask(async () => ({ resultado: 'PUBLICADA', sentido: 'NEGATIVO', fechaPublicacion }));
  expect(answer.json.data).toEqual({
    rfc: 'XIQB891116QE4',
    opinion: 'NEGATIVO',
    fecha_publicacion: '2026-11-01T06:00:00.000Z',
    advertencias: [],
  });
});

it('does not take "not published" for an opinion', async () => {
  const answer = await ask(async () => ({ resultado: 'NO_PUBLICADA' }));
  expect([answer.status, answer.json.cfdi_codigo, answer.json.data?.['opinion']]).toEqual([404, 2002, undefined]);
});

it('answers 503/5041 when the source does not', async () => {
  const answer = await ask(() => Promise.reject(new SatError('RESPUESTA_ILEGIBLE')));
  expect([answer.status, answer.json.cfdi_codigo]).toEqual([503, 5041]);
});

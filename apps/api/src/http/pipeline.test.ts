import { expect, test } from 'vitest';
import { alta, createKit, guardaCiec } from '../../test/kit.ts';

const PERIODO = { tipo: 'recibidos', desde: '2026-01-01', hasta: '2026-01-31' };

test('accepts a descarga-metadata', async () => {
  const kit = await createKit();
  const a = alta(kit.store);
  await guardaCiec(kit, a);
  const answer = await kit.call('tax/descarga-metadata', { rfc: a.rfc, ...PERIODO }, { key: a.key });
  expect(answer.json).toEqual({
    cfdi_codigo: 1,
    cfdi_texto: 'OK',
    data: { solicitud_id: expect.any(String), estado: 'EN_PROCESO' },
  });
});

import { expect, it } from 'vitest';
import { describeConsulta } from '../../../test/consulta.ts';
import { alta, createKit, guardaCiec } from '../../../test/kit.ts';

describeConsulta({ path: 'tax/comunicados', cost: 1, needs: 'any', body: (rfc) => ({ rfc }) });

it.each([
  [{ desde: '2026-11-21' }, 'desde'],
  [{ hasta: '2026-10-20' }, 'desde'],
  [{ hasta: '2026-11-21' }, 'hasta'],
])('checks %j against its defaults: 30 days back, and today', async (dates, campo) => {
  const kit = await createKit();
  const a = alta(kit.store);
  const answer = await kit.call('tax/comunicados', { rfc: a.rfc, ...dates }, { key: a.key });
  expect([answer.json.cfdi_codigo, answer.json.data?.['campo']]).toEqual([2001, campo]);
});

it.each([{ desde: '2026-11-20' }, { hasta: '2026-10-21' }, { desde: '2026-10-01', hasta: '2026-10-02' }])(
  'takes %j',
  async (dates) => {
    const kit = await createKit();
    const a = alta(kit.store);
    await guardaCiec(kit, a);
    const answer = await kit.call('tax/comunicados', { rfc: a.rfc, ...dates }, { key: a.key });
    expect(answer.json.cfdi_codigo).toBe(5041);
  },
);

import { expect, it } from 'vitest';
import { describeConsulta } from '../../../test/consulta.ts';
import { alta, createKit } from '../../../test/kit.ts';

describeConsulta({ path: 'usuario/datos-fiscales', cost: 1, needs: 'any', body: (rfc) => ({ rfc }) });

it('needs no stored credential once the idCIF is known', async () => {
  const kit = await createKit();
  const a = alta(kit.store);
  await kit.call('vault/rfc-registrar', { rfc: a.rfc, id_cif: '15020034567' }, { key: a.key });
  expect((await kit.call('usuario/datos-fiscales', { rfc: a.rfc }, { key: a.key })).json.cfdi_codigo).toBe(
    5041,
  );
});

it('names both remedies when there is neither', async () => {
  const kit = await createKit();
  const a = alta(kit.store);
  const answer = await kit.call('usuario/datos-fiscales', { rfc: a.rfc }, { key: a.key });
  expect(answer.json.data?.['motivo']).toMatch(/CIEC.*idCIF/s);
});

import { expect, it } from 'vitest';
import { guardaEfirma } from '../../../test/consulta.ts';
import { createKitWithAlta, guardaCiec } from '../../../test/kit.ts';

const PATH = 'vault/estado';

it('says of every way to the SAT whether it serves, why not, and until when', async () => {
  const { kit, a } = await createKitWithAlta();
  const look = async () => (await kit.call(PATH, { rfc: a.rfc }, { key: a.key })).json.data;
  const caminos = async () => (await look())?.['caminos'] as Record<string, unknown>[];
  expect(await look()).toMatchObject({ rfc: a.rfc, id_cif: null, certificado: null });
  expect((await caminos()).map(({ credencial, canal, sirve }) => [credencial, canal, sirve])).toEqual([
    ['efirma', 'soap', false],
    ['efirma', 'portal', false],
    ['ciec', 'portal', false],
  ]);
  for (const { motivo } of await caminos()) expect(motivo).toMatch(/^No hay .*\. (Registre|Guárdela) .*\.$/);

  await guardaEfirma(kit, a);
  await guardaCiec(kit, a);
  const serves = { sirve: true, motivo: null, rechazada_en: null };
  const inAnHour = new Date(kit.now().getTime() + 3_600_000).toISOString();
  expect(await look()).toMatchObject({
    registrado: true,
    certificado: { no_serie: expect.stringMatching(/^\d{20}$/), titular: expect.any(String) },
    caminos: [
      { ...serves, expira_en: inAnHour },
      { ...serves, expira_en: inAnHour },
      { ...serves, expira_en: null },
    ],
  });
});

it('tells at which channel a credential was refused, and that the key is gone after its hour', async () => {
  const { kit, a } = await createKitWithAlta();
  await guardaEfirma(kit, a);
  await guardaCiec(kit, a);
  for (const { id, tipo } of await kit.filas<{ id: string; tipo: string }>('credencial', a)) {
    if (tipo === 'efirma_cer') await kit.deps.boveda.refuse(a.contribuyenteId, id, 'soap');
    if (tipo === 'ciec') await kit.deps.boveda.refuse(a.contribuyenteId, id, 'portal');
  }
  const caminos = async () =>
    (await kit.call(PATH, { rfc: a.rfc }, { key: a.key })).json.data?.['caminos'] as Record<string, unknown>[];
  const en = kit.now().toISOString();
  expect(await caminos()).toMatchObject([
    { canal: 'soap', sirve: false, motivo: expect.stringContaining('rechazó la e.firma'), rechazada_en: en },
    { canal: 'portal', sirve: true, rechazada_en: null },
    { credencial: 'ciec', sirve: false, motivo: expect.stringContaining('rechazaron la CIEC'), rechazada_en: en },
  ]);
  await kit.setNow(new Date(kit.now().getTime() + 3_600_000));
  expect((await caminos())[1]).toMatchObject({ sirve: false, motivo: expect.stringContaining('ya se borró') });
});

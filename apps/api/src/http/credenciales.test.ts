import { expect, it } from 'vitest';
import { guardaEfirma } from '../../test/consulta.ts';
import { createKitWithAlta, guardaCiec, NOW, operations } from '../../test/kit.ts';
import { eligibleCredenciales } from './credenciales.ts';

it('an e.firma key that a remembered access snapshot still holds is not used from the second its hour ends', async () => {
  const { kit, a } = await createKitWithAlta();
  await guardaEfirma(kit, a);
  const access = await kit.deps.accessSnapshots.load(a.keyId);
  const operation = (await operations()).find(({ accepts }) => accepts === 'efirma');
  if (access === null || operation === undefined) throw new Error('no snapshot, or no operation by e.firma');
  const end = NOW.getTime() + 3_600_000;
  expect(eligibleCredenciales(operation, access, new Date(end - 1))).toMatchObject([{ tipo: 'efirma' }]);
  expect(() => eligibleCredenciales(operation, access, new Date(end))).toThrow(
    expect.objectContaining({ nombre: 'EFIRMA_NO_DISPONIBLE' }),
  );
});

it('the portal comes first for a certificate that the web service is known to refuse, where a CIEC is stored', async () => {
  const { kit, a } = await createKitWithAlta();
  const download = (await operations()).find(({ path }) => path === 'tax/descarga-metadata');
  if (download === undefined) throw new Error('no download');
  const order = async () => {
    const access = await kit.deps.accessSnapshots.load(a.keyId);
    if (access === null) throw new Error('no snapshot');
    return eligibleCredenciales(download, access, NOW).map(({ canal }) => canal);
  };
  await guardaEfirma(kit, a);
  await guardaCiec(kit, a);
  expect(await order()).toEqual(['soap', 'portal']);
  await guardaEfirma(kit, a, { curp: 'XIQB891116MCHZRÑ72' });
  expect(await order()).toEqual(['portal', 'soap']);
});

it('names the CIEC to a caller without credentials, or with an e.firma where only the CIEC serves', async () => {
  const { kit, a } = await createKitWithAlta();
  const snapshot = async () => {
    const access = await kit.deps.accessSnapshots.load(a.keyId);
    if (access === null) throw new Error('no snapshot');
    return access;
  };
  const all = (await operations()).filter(({ accepts }) => accepts === 'ciec');
  expect(all.map(({ path }) => path)).toContain('tax/facturas');
  const nothing = await snapshot();
  await guardaEfirma(kit, a);
  for (const access of [nothing, await snapshot()])
    for (const operation of all)
      expect(() => eligibleCredenciales(operation, access, NOW)).toThrow(
        expect.objectContaining({
          nombre: 'CIEC_NO_GUARDADA',
          datos: { motivo: expect.stringMatching(/CIEC; la e\.firma no sirve/) },
        }),
      );
});

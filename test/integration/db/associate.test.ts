import { createAccessSnapshots, createBoveda, createLlaves } from '@acuse/db';
import { expect, test } from 'vitest';
import { newLlave, seedTaxpayer, useDatabase } from '../fixtures/database.ts';

const t = useDatabase();

test.each([undefined, '15020034567'])(
  'a new key is associated with its RFC, with the idCIF %s as well',
  async (idCif) => {
    const { contribuyenteId } = await seedTaxpayer(t.db);
    const llave = newLlave();
    await createLlaves(t.db).activate({ contribuyenteId, llave, actor: 'prueba', ip: null });
    const accessSnapshots = createAccessSnapshots(t.db);
    expect((await accessSnapshots.load(llave.id))?.apiKey.isRegistrada).toBe(false);
    await createBoveda(t.db).register({
      apiKeyId: llave.id,
      contribuyenteId,
      ip: '127.0.0.1',
      ...(idCif === undefined ? {} : { idCif }),
    });
    expect(await accessSnapshots.load(llave.id)).toMatchObject({
      apiKey: { isRegistrada: true },
      idCif: idCif ?? null,
    });
  },
);

test('an e.firma key is not in the access snapshot from the moment its hour ends', async () => {
  const { apiKeyId, contribuyenteId } = await seedTaxpayer(t.db);
  const guardada = { apiKeyId, contribuyenteId, kid: 'k1', sobre: Buffer.alloc(9) };
  const boveda = createBoveda(t.db);
  const expiraEn = new Date(Date.now() + 3_600_000);
  await boveda.store({ ...guardada, id: crypto.randomUUID(), tipo: 'efirma_cer' }, '127.0.0.1');
  await boveda.store({ ...guardada, id: crypto.randomUUID(), tipo: 'efirma_key', expiraEn }, '127.0.0.1');
  const key = async () => (await createAccessSnapshots(t.db).load(apiKeyId))?.efirmaKey;
  expect(await key()).toMatchObject({ apiKeyId });
  await t.sql`UPDATE credencial SET expira_en = now() - interval '1 second'
    WHERE contribuyente_id = ${contribuyenteId} AND tipo = 'efirma_key'`;
  expect(await key()).toBeNull();
});

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
      ...{ apiKeyId: llave.id, contribuyenteId, ip: '127.0.0.1' },
      ...(idCif === undefined ? {} : { idCif }),
    });
    expect(await accessSnapshots.load(llave.id)).toMatchObject({
      apiKey: { isRegistrada: true },
      idCif: idCif ?? null,
    });
  },
);

import { readFile } from 'node:fs/promises';
import { createIdempotencia } from '@acuse/db';
import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/database.ts';

const MIGRATION = new URL(
  '../../../prisma/migrations/20261122110000_respuestas_selladas/migration.sql',
  import.meta.url,
);

it('the migration removes answers in clear, of which none is given or made again', async () => {
  const { db, close } = await testDatabase();
  try {
    await db.pool.query('ALTER TABLE idempotencia DROP COLUMN sobre, ADD COLUMN respuesta text');
    const request = { apiKeyId: 'llave', operacion: 'tax/facturas', clave: 'pedido-1' };
    await db.pool.query(
      `INSERT INTO idempotencia (api_key_id, operacion, clave, cuerpo_hash, op_id, status, respuesta, bloqueada_hasta)
       VALUES ($1, $2, $3, $4, gen_random_uuid(), 200, '{"rfc":"ACU200101DB1"}', now())`,
      [...Object.values(request), Buffer.alloc(32, 1)],
    );
    await db.pool.query(await readFile(MIGRATION, 'utf8'));
    const { rows } = await db.pool.query('SELECT i::text AS row FROM idempotencia i');
    expect(rows).toEqual([{ row: expect.not.stringMatching(/ACU200101DB1|0101010101/) }]);
    const again = { ...request, cuerpoHash: Buffer.alloc(32, 1), opId: crypto.randomUUID() };
    expect(await createIdempotencia(db).begin({ ...again, bloqueoSegundos: 60 })).toEqual({ resultado: 'OTRO_CUERPO' });
  } finally {
    await close();
  }
});

import type { Documentos } from '@acuse/core';
import type { Database } from './database.ts';
import { execute, rowsOf } from './statements.ts';

const OLD = `
SELECT id, object_key AS "objectKey" FROM documento
WHERE borrado_en IS NULL AND creado_en < now() - make_interval(days => $1) ORDER BY creado_en LIMIT $2`;

/** Notes of stored documents over PostgreSQL. */
export function createDocumentos({ pool }: Pick<Database, 'pool'>): Documentos {
  return {
    async note({ id, contribuyenteId, tipo, objectKey, bytes, sha256 }) {
      await execute(
        pool,
        'INSERT INTO documento (id, contribuyente_id, tipo, object_key, bytes, sha256) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, contribuyenteId, tipo, objectKey, bytes, sha256],
      );
    },

    async old({ retentionDays, limit }) {
      return rowsOf<{ id: string; objectKey: string }>(pool, OLD, [retentionDays, limit]);
    },

    async deleted(id) {
      await execute(pool, 'UPDATE documento SET borrado_en = now() WHERE id = $1', [id]);
    },
  };
}

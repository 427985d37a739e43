import type { DocumentoGuardado } from '@acuse/core';
import type { Database } from './database.ts';
import { execute, rowsOf } from './statements.ts';

const OLD = `
SELECT id, object_key AS "objectKey" FROM documento
WHERE borrado_en IS NULL AND creado_en < now() - make_interval(days => $1) ORDER BY creado_en LIMIT $2`;

/** Notes of documents in object storage, so that they can be deleted when their retention is over. */
export function createDocumentos({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Notes a document before it is written: nothing is ever in storage that no row knows of. */
    async note({ id, contribuyenteId, tipo, objectKey, bytes, sha256 }: DocumentoGuardado): Promise<void> {
      await execute(
        pool,
        'INSERT INTO documento (id, contribuyente_id, tipo, object_key, bytes, sha256) VALUES ($1, $2, $3, $4, $5, $6)',
        [id, contribuyenteId, tipo, objectKey, bytes, sha256],
      );
    },

    /** Documents older than the retention that are not marked as deleted yet. */
    old: ({ retentionDays, limit }: { retentionDays: number; limit: number }) =>
      rowsOf<{ id: string; objectKey: string }>(pool, OLD, [retentionDays, limit]),

    /** Marks a document whose object is gone. */
    async deleted(id: string): Promise<void> {
      await execute(pool, 'UPDATE documento SET borrado_en = now() WHERE id = $1', [id]);
    },
  };
}

export type Documentos = ReturnType<typeof createDocumentos>;

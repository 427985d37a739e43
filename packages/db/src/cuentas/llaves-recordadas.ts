import type { Database } from '../database.ts';
import { execute, rowOf, rowsOf } from '../statements.ts';

const KEEP = `
INSERT INTO llave_recordada (sesion_id, contribuyente_id, api_key_id, sobre, vence_en)
SELECT s.id, $2, k.id, $4, now() + make_interval(secs => $5) FROM sesion s, api_key k
WHERE s.id = $1 AND k.id = $3 AND k.contribuyente_id = $2 AND k.estado = 'ACTIVA'
ON CONFLICT (sesion_id, contribuyente_id)
DO UPDATE SET api_key_id = excluded.api_key_id, sobre = excluded.sobre, vence_en = excluded.vence_en`;

const USE = `
UPDATE llave_recordada SET vence_en = now() + make_interval(secs => $3)
WHERE sesion_id = $1 AND contribuyente_id = $2 AND vence_en > now() RETURNING sobre`;

/** API keys that people typed in, sealed for some minutes of their session; the database never sees a key. */
export function createLlavesRecordadas({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Keeps the active key of a taxpayer for `segundos`, in place of an earlier one. */
    async keep(input: {
      sesionId: string;
      contribuyenteId: string;
      apiKeyId: string;
      sobre: Buffer;
      segundos: number;
    }): Promise<void> {
      const { sesionId, contribuyenteId, apiKeyId, sobre, segundos } = input;
      await execute(pool, KEEP, [sesionId, contribuyenteId, apiKeyId, sobre, segundos]);
    },

    /** Sealed key kept for a taxpayer, prolonged by `segundos` from now; null when there is none or it has expired. */
    async use(sesionId: string, contribuyenteId: string, segundos: number): Promise<Buffer | null> {
      return (await rowOf<{ sobre: Buffer }>(pool, USE, [sesionId, contribuyenteId, segundos]))?.sobre ?? null;
    },

    /** The taxpayers whose key the session has. */
    async known(sesionId: string): Promise<ReadonlySet<string>> {
      const text = 'SELECT contribuyente_id AS id FROM llave_recordada WHERE sesion_id = $1 AND vence_en > now()';
      return new Set((await rowsOf<{ id: string }>(pool, text, [sesionId])).map(({ id }) => id));
    },

    /** Deletes all that the session has. */
    async forget(sesionId: string): Promise<void> {
      await execute(pool, 'DELETE FROM llave_recordada WHERE sesion_id = $1', [sesionId]);
    },

    /** Deletes expired keys. */
    async purge(): Promise<void> {
      await execute(pool, 'DELETE FROM llave_recordada WHERE vence_en < now()');
    },
  };
}

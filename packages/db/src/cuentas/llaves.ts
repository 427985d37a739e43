import type pg from 'pg';
import type { Database } from '../database.ts';
import { isDeadlock } from '../errors.ts';
import { terminarSinPaquete } from '../taller/terminar.ts';
import { Rechazo } from './rechazo.ts';

export interface NuevaLlave {
  readonly id: string;
  readonly modo: 'test' | 'live';
  readonly hash: Buffer;
  readonly pepperVersion: number;
  readonly ultimos4: string;
}

const CANCEL = terminarSinPaquete(`s.api_key_id = $4 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`);

/** Times a change is made when it meets other work on the same solicitudes in a deadlock. */
const MAX_ATTEMPTS = 4;

/** API keys. Both changes lock the taxpayer first, so that they happen one after the other. */
export function createLlaves({ pool }: Pick<Database, 'pool'>) {
  async function locked<T>(
    lock: string,
    id: string,
    unknown: 'RFC_DESCONOCIDO' | 'LLAVE_DESCONOCIDA',
    run: (client: pg.PoolClient, contribuyenteId: string) => Promise<T>,
    attempt = 1,
  ): Promise<T> {
    try {
      return await transact(lock, id, unknown, run);
    } catch (error) {
      if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error;
      return locked(lock, id, unknown, run, attempt + 1);
    }
  }

  async function transact<T>(
    lock: string,
    id: string,
    unknown: 'RFC_DESCONOCIDO' | 'LLAVE_DESCONOCIDA',
    run: (client: pg.PoolClient, contribuyenteId: string) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect();
    let failure: unknown;
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<{ id: string }>(lock, [id]);
      const contribuyenteId = rows[0]?.id;
      if (!contribuyenteId) throw new Rechazo(unknown);
      const result = await run(client, contribuyenteId);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      failure = error;
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    } finally {
      client.release(failure !== undefined && !(failure instanceof Rechazo));
    }
  }

  const forget = (client: pg.PoolClient, contribuyenteId: string) =>
    client.query(
      `WITH ida AS (DELETE FROM credencial WHERE contribuyente_id = $1 RETURNING id)
       DELETE FROM efirma_shred s USING ida WHERE s.credencial_id = ida.id`,
      [contribuyenteId],
    );

  const note = (
    client: pg.PoolClient,
    contribuyenteId: string,
    actor: string,
    accion: string,
    apiKeyId: string,
  ) =>
    client.query(
      `INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle)
       SELECT cuenta_id, id, $2, $3, jsonb_build_object('api_key', $4::text) FROM contribuyente WHERE id = $1`,
      [contribuyenteId, actor, accion, apiKeyId],
    );

  return {
    /**
     * Makes `llave` the only active key of a taxpayer. The earlier one is dead from its next call, and what was encrypted under it is
     * deleted: CIEC and e.firma have to be stored again. Running solicitudes go on. Rejects with `RFC_DESCONOCIDO`.
     */
    activate(input: { contribuyenteId: string; llave: NuevaLlave; actor: string }): Promise<void> {
      const { llave } = input;
      const lock = 'SELECT id FROM contribuyente WHERE id = $1 FOR UPDATE';
      return locked(lock, input.contribuyenteId, 'RFC_DESCONOCIDO', async (client, contribuyenteId) => {
        await client.query(
          `UPDATE api_key SET estado = 'REEMPLAZADA', terminada_en = now() WHERE contribuyente_id = $1 AND estado = 'ACTIVA'`,
          [contribuyenteId],
        );
        await forget(client, contribuyenteId);
        await client.query(
          `INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4) VALUES ($1, $2, $3, $4, $5, $6)`,
          [llave.id, contribuyenteId, llave.modo, llave.hash, llave.pepperVersion, llave.ultimos4],
        );
        await note(client, contribuyenteId, input.actor, 'generar-llave', llave.id);
      });
    },

    /**
     * Revokes a key at once: its credentials are deleted, its open solicitudes end and are refunded. Returns how many were ended. A key that is
     * no longer active stays as it is. Rejects with `LLAVE_DESCONOCIDA`.
     */
    revoke(input: { apiKeyId: string; actor: string }): Promise<number> {
      const lock = `SELECT c.id FROM contribuyente c JOIN api_key k ON k.contribuyente_id = c.id WHERE k.id = $1 FOR UPDATE OF c`;
      return locked(lock, input.apiKeyId, 'LLAVE_DESCONOCIDA', async (client, contribuyenteId) => {
        const { rowCount } = await client.query(
          `UPDATE api_key SET estado = 'REVOCADA', terminada_en = now() WHERE id = $1 AND estado = 'ACTIVA'`,
          [input.apiKeyId],
        );
        if (rowCount !== 1) return 0;
        await forget(client, contribuyenteId);
        const { rows } = await client.query(CANCEL, ['ERROR', 'API_KEY_REVOCADA', null, input.apiKeyId]);
        await note(client, contribuyenteId, input.actor, 'revocar-llave', input.apiKeyId);
        return rows.length;
      });
    },
  };
}

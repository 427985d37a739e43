import type { Autor, CredencialGuardada, Modo, TipoGuardada } from '@acuse/core';
import type pg from 'pg';
import { endWithoutPaquete } from '../claims/end.ts';
import type { Database } from '../database.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { againAfterDeadlock, inTransaction } from '../transaction.ts';
import { nota } from './auditoria.ts';
import { Rechazo } from './rechazo.ts';

export interface NuevaLlave {
  readonly id: string;
  readonly modo: Modo;
  readonly hash: Buffer;
  readonly pepperVersion: number;
  readonly ultimos4: string;
}

/** A key as it may be shown. */
export interface LlaveListada extends Pick<NuevaLlave, 'id' | 'modo' | 'ultimos4'> {
  readonly estado: 'ACTIVA' | 'REEMPLAZADA' | 'REVOCADA';
  readonly creadaEn: Date;
  readonly ultimoUsoEn: Date | null;
  readonly terminadaEn: Date | null;
}

/** A stored credential as a new key finds it. */
export type ToReseal = Pick<CredencialGuardada, 'id' | 'apiKeyId' | 'sobre' | 'shred' | 'expiraEn'> & {
  readonly tipo: TipoGuardada;
};

/** The replacement of a key by one under which the stored credentials go on. */
export interface Relevo {
  /** The key that is replaced, already verified. It must still be the active one. */
  readonly anterior: string;
  /**
   * Seals again under the new key what opens, for rows that keep their dates and refusals; what it leaves out is
   * deleted. Runs inside the transaction.
   */
  reseal(guardadas: readonly ToReseal[]): readonly Pick<CredencialGuardada, 'id' | 'kid' | 'sobre'>[];
}

const POR_RESELLAR = `
SELECT c.id, c.tipo, c.api_key_id AS "apiKeyId", c.sobre, c.expira_en AS "expiraEn", s.llave AS shred
FROM credencial c LEFT JOIN efirma_shred s ON s.credencial_id = c.id AND s.expira_en > now()
WHERE c.contribuyente_id = $1 AND c.api_key_id = $2 AND (c.expira_en IS NULL OR c.expira_en > now()) FOR UPDATE OF c`;

const SAME_MODO = 'SELECT FROM api_key WHERE id = $1 AND modo = $2';

const RESEAL = `
UPDATE credencial SET api_key_id = $3, kid = n.kid, sobre = n.sobre
FROM unnest($4::uuid[], $5::text[], $6::bytea[]) AS n (id, kid, sobre)
WHERE credencial.id = n.id AND contribuyente_id = $1 AND api_key_id = $2`;

const CANCEL = endWithoutPaquete(`s.api_key_id = $4 AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')`);

const note = (accion: string, detalle = `jsonb_build_object('api_key', $4::text)`) =>
  nota({ accion, de: 'contribuyente WHERE id = $1', contribuyente: 'id', detalle, actor: '$2', ip: '$3' });

/** The id of the person behind an actor of the audit log, or null where it is none. */
export const personOf = (actor: string): string | null => /^usuario:([0-9a-f-]{36})$/.exec(actor)?.[1] ?? null;

/** API keys. Both changes lock the taxpayer first, so that they happen one after the other. */
export function createLlaves({ pool }: Pick<Database, 'pool'>) {
  const locked = <T>(
    lock: string,
    id: string,
    unknown: 'RFC_DESCONOCIDO' | 'LLAVE_DESCONOCIDA',
    run: (client: pg.PoolClient, contribuyenteId: string) => Promise<T>,
  ): Promise<T> =>
    againAfterDeadlock(() =>
      inTransaction(pool, async (client) => {
        const row = await rowOf<{ id: string }>(client, lock, [id]);
        if (!row) throw new Rechazo(unknown);
        return run(client, row.id);
      }),
    );

  /** Deletes credentials that are not sealed under the key `except`. */
  const forget = (client: pg.PoolClient, contribuyenteId: string, except: string | null) =>
    execute(
      client,
      `WITH ida AS (DELETE FROM credencial WHERE contribuyente_id = $1 AND api_key_id IS DISTINCT FROM $2 RETURNING id)
       DELETE FROM efirma_shred s USING ida WHERE s.credencial_id = ida.id`,
      [contribuyenteId, except],
    );

  /**
   * Seals the stored credentials again and returns those that did not open. The new key is registered for the RFC if
   * the old one was.
   */
  async function resealInto(
    client: pg.PoolClient,
    contribuyenteId: string,
    llave: NuevaLlave,
    { anterior, reseal }: Relevo,
  ): Promise<TipoGuardada[]> {
    const rows = await rowsOf<ToReseal>(client, POR_RESELLAR, [contribuyenteId, anterior]);
    const nuevas = reseal(rows);
    await execute(client, RESEAL, [
      ...[contribuyenteId, anterior, llave.id],
      ...[nuevas.map(({ id }) => id), nuevas.map(({ kid }) => kid), nuevas.map(({ sobre }) => sobre)],
    ]);
    await execute(
      client,
      'UPDATE api_key SET registrada_en = (SELECT registrada_en FROM api_key WHERE id = $2) WHERE id = $1',
      [llave.id, anterior],
    );
    return rows.filter(({ id }) => !nuevas.some((nueva) => nueva.id === id)).map(({ tipo }) => tipo);
  }

  return {
    /** Whether calls with this key are paid by this account. */
    isOf: (cuentaId: string, apiKeyId: string) =>
      isOne(
        pool,
        'SELECT FROM api_key k JOIN contribuyente c ON c.id = k.contribuyente_id WHERE k.id = $2 AND c.cuenta_id = $1',
        [cuentaId, apiKeyId],
      ),

    /** The newest keys of a taxpayer, the active one among them. Nothing of them opens anything. */
    async list(contribuyenteId: string, limite = 200): Promise<LlaveListada[]> {
      return rowsOf<LlaveListada>(
        pool,
        `SELECT k.id, k.modo, k.ultimos4, k.estado, k.creada_en AS "creadaEn", u.ultimo_uso_en AS "ultimoUsoEn", k.terminada_en AS "terminadaEn"
         FROM api_key k LEFT JOIN api_key_uso u ON u.api_key_id = k.id
         WHERE k.contribuyente_id = $1 ORDER BY k.creada_en DESC, k.id LIMIT $2`,
        [contribuyenteId, limite],
      );
    },

    /**
     * Makes `llave` the only active key of a taxpayer. The earlier key fails from its next call, and credentials under
     * it are deleted, unless `relevo` seals them under the new key in the same transaction. Between keys of different
     * modes nothing is resealed: credentials of the SAT are none of a simulator's. Running solicitudes go on. With
     * `vigente`, the active key that the caller knows (null: none), nothing happens if another key is active: the same
     * order given twice makes one key. Returns the kinds of credential that `relevo` could not keep. Rejects with
     * `RFC_DESCONOCIDO` or `LLAVE_CAMBIADA`.
     */
    activate(
      input: Autor & { contribuyenteId: string; llave: NuevaLlave; vigente?: string | null; relevo?: Relevo },
    ): Promise<TipoGuardada[]> {
      const { llave, relevo } = input;
      const vigente = relevo?.anterior ?? input.vigente;
      const lock = 'SELECT id FROM contribuyente WHERE id = $1 FOR UPDATE';
      return locked(lock, input.contribuyenteId, 'RFC_DESCONOCIDO', async (client, contribuyenteId) => {
        const rows = await rowsOf<{ id: string }>(
          client,
          `UPDATE api_key SET estado = 'REEMPLAZADA', terminada_en = now() WHERE contribuyente_id = $1 AND estado = 'ACTIVA' RETURNING id`,
          [contribuyenteId],
        );
        if (vigente !== undefined && vigente !== (rows[0]?.id ?? null)) throw new Rechazo('LLAVE_CAMBIADA');
        await execute(
          client,
          `INSERT INTO api_key (id, contribuyente_id, modo, hash, pepper_version, ultimos4, usuario_id)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
          [
            ...[llave.id, contribuyenteId, llave.modo, llave.hash, llave.pepperVersion, llave.ultimos4],
            personOf(input.actor),
          ],
        );
        const isKept = relevo && (await isOne(client, SAME_MODO, [relevo.anterior, llave.modo]));
        const lost = isKept ? await resealInto(client, contribuyenteId, llave, relevo) : [];
        await forget(client, contribuyenteId, llave.id);
        const detalle = `jsonb_build_object('api_key', $4::text, 'anterior', $5::text)`;
        const anterior = rows[0]?.id ?? null;
        await execute(client, note('generar-llave', detalle), [
          contribuyenteId,
          input.actor,
          input.ip,
          llave.id,
          anterior,
        ]);
        return lost;
      });
    },

    /**
     * Revokes a key at once: its credentials are deleted, its open solicitudes end and are refunded. Returns how many
     * were ended. A key that is no longer active stays as it is. Rejects with `LLAVE_DESCONOCIDA`.
     */
    revoke(input: Autor & { apiKeyId: string }): Promise<number> {
      const lock = `SELECT c.id FROM contribuyente c JOIN api_key k ON k.contribuyente_id = c.id WHERE k.id = $1 FOR UPDATE OF c`;
      return locked(lock, input.apiKeyId, 'LLAVE_DESCONOCIDA', async (client, contribuyenteId) => {
        const rowCount = await execute(
          client,
          `UPDATE api_key SET estado = 'REVOCADA', terminada_en = now() WHERE id = $1 AND estado = 'ACTIVA'`,
          [input.apiKeyId],
        );
        if (rowCount !== 1) return 0;
        await forget(client, contribuyenteId, null);
        const ended = await execute(client, CANCEL, ['ERROR', 'API_KEY_REVOCADA', null, input.apiKeyId]);
        await execute(client, note('revocar-llave'), [contribuyenteId, input.actor, input.ip, input.apiKeyId]);
        return ended;
      });
    },
  };
}

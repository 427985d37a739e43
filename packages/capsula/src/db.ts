import type { ClaimedSolicitud } from '@acuse/core';
import { type ClaimPart, type Database, inTransaction, isOne, rowOf } from '@acuse/db';

/** A capsula as it is kept: sealed, and what may be known of it. */
export interface CapsulaSellada {
  readonly kid: string;
  readonly sobre: Buffer;
  /** Part of the sealed bytes' associated data. */
  readonly expiraEn: Date;
  readonly folios: readonly string[];
}

/** A change of keys or credentials locks the taxpayer first, so that no capsule is kept beside it. */
const OWNER = 'SELECT id FROM contribuyente WHERE id = $1 FOR SHARE';

const KEEP = `
WITH hecha AS (
  INSERT INTO capsula (solicitud_id, kid, sobre, folios, expira_en)
  SELECT s.id, $3, $4, $5, $6 FROM solicitud s
  WHERE s.id = $1 AND s.epoch = $2 AND s.estado = 'EN_PROCESO' AND s.capsula
    AND EXISTS (SELECT FROM api_key k WHERE k.id = s.api_key_id AND k.estado = 'ACTIVA')
    AND EXISTS (SELECT FROM credencial c WHERE c.contribuyente_id = s.contribuyente_id AND c.api_key_id = s.api_key_id
      AND c.tipo = 'efirma_cer' AND c.no_serie = $7)
  FOR SHARE OF s
  ON CONFLICT (solicitud_id) DO UPDATE SET kid = $3, sobre = $4, folios = $5, hecha_en = now(), expira_en = $6
  RETURNING solicitud_id
), nota AS (
  INSERT INTO evento (solicitud_id, tipo) SELECT solicitud_id, 'CAPSULA_HECHA' FROM hecha
)
SELECT solicitud_id FROM hecha`;

/** Reads with a claim which requests of the solicitud are signed beforehand. */
export const capsulaDeSolicitud: ClaimPart = {
  join: 'LEFT JOIN capsula x ON x.solicitud_id = t.id AND x.expira_en > now()',
  presigned: { folios: 'x.folios', expiraEn: 'x.expira_en' },
};

/** What e.firmas signed beforehand for solicitudes, over PostgreSQL. Only ciphertext passes here. */
export function createCapsulas({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null when there is none, or it is over. */
    read: ({ id }: Pick<ClaimedSolicitud, 'id'>) =>
      rowOf<Pick<CapsulaSellada, 'sobre' | 'expiraEn'>>(
        pool,
        'SELECT sobre, expira_en AS "expiraEn" FROM capsula WHERE solicitud_id = $1 AND expira_en > now()',
        [id],
      ),

    /**
     * Replaces the capsule, with a line in the timeline. False when it keeps nothing: the claim ended, the caller asked
     * for no capsule, the API key ended, or the stored e.firma has another serial number.
     */
    keep: (
      { id, epoch, contribuyenteId }: Pick<ClaimedSolicitud, 'id' | 'epoch' | 'contribuyenteId'>,
      { kid, sobre, folios, expiraEn }: CapsulaSellada,
      noSerie: string,
    ): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await rowOf(client, OWNER, [contribuyenteId]);
        return isOne(client, KEEP, [id, epoch, kid, sobre, folios, expiraEn, noSerie]);
      }),
  };
}

import type { Autor } from '@acuse/core';
import { changeOfUser, nota, OWN } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';

/** The second factor of a user as it is stored. */
export interface SegundoFactorGuardado {
  /** The secret, sealed. */
  readonly secreto: Buffer;
  readonly confirmadoEn: Date | null;
}

const CONFIRM = `
WITH factor AS (
  UPDATE segundo_factor SET confirmado_en = now(), ultimo_paso = $4
  WHERE usuario_id = $1 AND confirmado_en IS NULL AND secreto = $5 RETURNING usuario_id
), fuera AS (DELETE FROM codigo_recuperacion WHERE usuario_id IN (SELECT usuario_id FROM factor) AND huella <> ALL ($6::bytea[])),
codigos AS (
  INSERT INTO codigo_recuperacion (usuario_id, huella) SELECT usuario_id, unnest($6::bytea[]) FROM factor
)
${nota({ accion: 'activar-dos-pasos', de: 'factor JOIN usuario u ON u.id = factor.usuario_id', actor: '$2', ip: '$3' })}`;

const REPLACE_CODIGOS = changeOfUser(
  'renovar-codigos',
  [
    'fuera AS (DELETE FROM codigo_recuperacion WHERE usuario_id = $1)',
    'nuevos AS (INSERT INTO codigo_recuperacion (usuario_id, huella) SELECT $1, unnest($4::bytea[]))',
  ],
  OWN,
);

const REMOVE = changeOfUser(
  'desactivar-dos-pasos',
  [
    'codigos AS (DELETE FROM codigo_recuperacion WHERE usuario_id = $1)',
    'factor AS (DELETE FROM segundo_factor WHERE usuario_id = $1)',
  ],
  OWN,
);

/** Second factors (RFC 6238) and the recovery codes beside them. */
export function createSegundosFactores({ pool }: Pick<Database, 'pool'>) {
  return {
    async find(usuarioId: string): Promise<SegundoFactorGuardado | null> {
      const { rows } = await pool.query<SegundoFactorGuardado>(
        'SELECT secreto, confirmado_en AS "confirmadoEn" FROM segundo_factor WHERE usuario_id = $1',
        [usuarioId],
      );
      return rows[0] ?? null;
    },

    /**
     * Keeps a secret that still has to be confirmed, in place of an earlier unconfirmed one. False when one is in
     * force.
     */
    async propose(usuarioId: string, secreto: Buffer): Promise<boolean> {
      const { rowCount } = await pool.query(
        `INSERT INTO segundo_factor AS f (usuario_id, secreto) VALUES ($1, $2)
         ON CONFLICT (usuario_id) DO UPDATE SET secreto = excluded.secreto, creado_en = now() WHERE f.confirmado_en IS NULL`,
        [usuarioId, secreto],
      );
      return rowCount === 1;
    },

    /** Puts the proposed secret in force with its recovery codes (hashes). False unless it is the one proposed. */
    async confirm(
      input: { usuarioId: string; secreto: Buffer; paso: number; huellas: readonly Buffer[] } & Autor,
    ): Promise<boolean> {
      const { usuarioId, actor, ip, paso, secreto, huellas } = input;
      const { rowCount } = await pool.query(CONFIRM, [usuarioId, actor, ip, paso, secreto, huellas]);
      return rowCount === 1;
    },

    /**
     * Takes the code of one time step, once: false when that step or a later one was already taken (RFC 6238, section
     * 5.2).
     */
    async takePaso(usuarioId: string, paso: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        'UPDATE segundo_factor SET ultimo_paso = $2 WHERE usuario_id = $1 AND confirmado_en IS NOT NULL AND ultimo_paso < $2',
        [usuarioId, paso],
      );
      return rowCount === 1;
    },

    /** Takes a recovery code, once. */
    async takeCodigo(usuarioId: string, huella: Buffer): Promise<boolean> {
      const { rowCount } = await pool.query(
        'UPDATE codigo_recuperacion SET usado_en = now() WHERE usuario_id = $1 AND huella = $2 AND usado_en IS NULL',
        [usuarioId, huella],
      );
      return rowCount === 1;
    },

    async countCodigos(usuarioId: string): Promise<number> {
      const { rows } = await pool.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM codigo_recuperacion WHERE usuario_id = $1 AND usado_en IS NULL',
        [usuarioId],
      );
      return rows[0]?.n ?? 0;
    },

    /** Replaces all recovery codes. */
    async replaceCodigos(usuarioId: string, huellas: readonly Buffer[], { actor, ip }: Autor): Promise<void> {
      await pool.query(REPLACE_CODIGOS, [usuarioId, actor, ip, huellas]);
    },

    /** Takes the second factor and its codes away. */
    async remove(usuarioId: string, { actor, ip }: Autor): Promise<void> {
      await pool.query(REMOVE, [usuarioId, actor, ip]);
    },
  };
}

export type SegundosFactores = ReturnType<typeof createSegundosFactores>;

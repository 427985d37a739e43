import type { Autor } from '@acuse/core';
import type { Records } from '../records.ts';
import { execute, isOne } from '../statements.ts';
import { changeOfUser, cuentaOf, nota, OWN } from './auditoria.ts';

/** The second factor of a user as it is stored. */
export interface SegundoFactorGuardado {
  /** The secret, sealed. */
  readonly secreto: Buffer;
  readonly confirmadoEn: Date | null;
}

const PROPOSE = `
INSERT INTO segundo_factor AS f (usuario_id, secreto) VALUES ($1, $2)
ON CONFLICT (usuario_id) DO UPDATE SET secreto = excluded.secreto, creado_en = now() WHERE f.confirmado_en IS NULL`;

const CONFIRM = `
WITH factor AS (
  UPDATE segundo_factor SET confirmado_en = now(), ultimo_paso = $4
  WHERE usuario_id = $1 AND confirmado_en IS NULL AND secreto = $5 RETURNING usuario_id
), fuera AS (DELETE FROM codigo_recuperacion WHERE usuario_id IN (SELECT usuario_id FROM factor) AND huella <> ALL ($6::bytea[])),
codigos AS (
  INSERT INTO codigo_recuperacion (usuario_id, huella) SELECT usuario_id, unnest($6::bytea[]) FROM factor
), sesiones AS (
  DELETE FROM sesion s USING factor WHERE s.usuario_id = factor.usuario_id AND s.huella IS DISTINCT FROM $7
)
${nota({ accion: 'activar-dos-pasos', de: 'factor', cuenta: cuentaOf('factor.usuario_id'), actor: '$2', ip: '$3' })}`;

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
export function createSegundosFactores({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  return {
    async find(usuarioId: string): Promise<SegundoFactorGuardado | null> {
      const select = { secreto: true, confirmadoEn: true };
      const found = await prisma.segundoFactor.findUnique({ where: { usuarioId }, select });
      return found && { ...found, secreto: Buffer.from(found.secreto) };
    },

    /**
     * Keeps a secret that still has to be confirmed, in place of an earlier unconfirmed one. False when one is in
     * force.
     */
    propose: (usuarioId: string, secreto: Buffer) => isOne(pool, PROPOSE, [usuarioId, secreto]),

    /**
     * Puts the proposed secret in force with its recovery codes (hashes), and ends the user's sessions but the one with
     * the hash `salvo`. False unless it is the one proposed.
     */
    confirm(
      input: { usuarioId: string; secreto: Buffer; paso: number; huellas: readonly Buffer[]; salvo: Buffer } & Autor,
    ): Promise<boolean> {
      const { usuarioId, actor, ip, paso, secreto, huellas, salvo } = input;
      return isOne(pool, CONFIRM, [usuarioId, actor, ip, paso, secreto, huellas, salvo]);
    },

    /**
     * Takes the code of one time step, once: false when that step or a later one was already taken (RFC 6238, section
     * 5.2).
     */
    async takePaso(usuarioId: string, paso: number): Promise<boolean> {
      const where = { usuarioId, confirmadoEn: { not: null }, ultimoPaso: { lt: paso } };
      return (await prisma.segundoFactor.updateMany({ where, data: { ultimoPaso: paso } })).count === 1;
    },

    /** Takes a recovery code, once. */
    async takeCodigo(usuarioId: string, huella: Buffer): Promise<boolean> {
      const where = { usuarioId, huella: new Uint8Array(huella), usadoEn: null };
      return (await prisma.codigoRecuperacion.updateMany({ where, data: { usadoEn: new Date() } })).count === 1;
    },

    countCodigos: (usuarioId: string) => prisma.codigoRecuperacion.count({ where: { usuarioId, usadoEn: null } }),

    /** Replaces all recovery codes. */
    async replaceCodigos(usuarioId: string, huellas: readonly Buffer[], { actor, ip }: Autor): Promise<void> {
      await execute(pool, REPLACE_CODIGOS, [usuarioId, actor, ip, huellas]);
    },

    /** Takes the second factor and its codes away. */
    async remove(usuarioId: string, { actor, ip }: Autor): Promise<void> {
      await execute(pool, REMOVE, [usuarioId, actor, ip]);
    },
  };
}

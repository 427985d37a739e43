import type { Autor } from '@acuse/core';
import type { Prisma } from '../generated/client.ts';
import type { Records } from '../records.ts';
import { isOne } from '../statements.ts';
import { changeUser } from './auditoria.ts';

const PROPOSE = `
INSERT INTO segundo_factor AS f (usuario_id, secreto) VALUES ($1, $2)
ON CONFLICT (usuario_id) DO UPDATE SET secreto = excluded.secreto, creado_en = now() WHERE f.confirmado_en IS NULL`;

/** Replaces the recovery codes of a user by those with these hashes. */
async function setCodigos(tx: Prisma.TransactionClient, usuarioId: string, huellas: readonly Buffer[]): Promise<void> {
  await tx.codigoRecuperacion.deleteMany({ where: { usuarioId } });
  await tx.codigoRecuperacion.createMany({
    data: huellas.map((huella) => ({ usuarioId, huella: new Uint8Array(huella) })),
  });
}

/** Deletes the second factor of a user and its recovery codes. */
export async function removeFactor(tx: Prisma.TransactionClient, usuarioId: string): Promise<void> {
  await tx.segundoFactor.deleteMany({ where: { usuarioId } });
  await setCodigos(tx, usuarioId, []);
}

/** Second factors (RFC 6238) and the recovery codes beside them. */
export function createSegundosFactores({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  return {
    /** The second factor of a user with its secret, sealed. */
    async find(usuarioId: string) {
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
    confirm: (
      input: { usuarioId: string; secreto: Buffer; paso: number; huellas: readonly Buffer[]; salvo: Buffer } & Autor,
    ): Promise<boolean> =>
      changeUser(prisma, input.usuarioId, 'activar-dos-pasos', input, async (tx) => {
        const { usuarioId, paso, secreto, huellas, salvo } = input;
        const { count } = await tx.segundoFactor.updateMany({
          where: { usuarioId, confirmadoEn: null, secreto: new Uint8Array(secreto) },
          data: { confirmadoEn: new Date(), ultimoPaso: paso },
        });
        if (count === 0) return false;
        await setCodigos(tx, usuarioId, huellas);
        return tx.sesion.deleteMany({ where: { usuarioId, huella: { not: new Uint8Array(salvo) } } });
      }),

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
    replaceCodigos: (usuarioId: string, huellas: readonly Buffer[], autor: Autor) =>
      changeUser(prisma, usuarioId, 'renovar-codigos', autor, (tx) => setCodigos(tx, usuarioId, huellas)),

    /** Takes the second factor and its codes away. */
    remove: (usuarioId: string, autor: Autor) =>
      changeUser(prisma, usuarioId, 'desactivar-dos-pasos', autor, (tx) => removeFactor(tx, usuarioId)),
  };
}

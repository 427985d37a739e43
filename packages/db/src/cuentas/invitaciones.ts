import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Autor } from '@acuse/core';
import type { Records } from '../records.ts';
import { executeInBatches, rowOf, rowsOf } from '../statements.ts';
import { nota, note } from './auditoria.ts';
import { normalizeEmail } from './cuentas.ts';
import type { Papel } from './equipo.ts';
import { refusingCopies } from './rechazo.ts';
import type { PasswordGuardada } from './usuarios.ts';

/** People of an account and invitations to it, together. */
export const MAX_PERSONAS = 50;
/** Days that an invitation is good. */
export const DIAS_INVITACION = 7;

/** An invitation as its account shows it. */
export interface InvitacionVista {
  readonly id: string;
  readonly email: string;
  readonly papel: Papel;
  readonly creadaEn: Date;
  readonly venceEn: Date;
  /** E-mail of who invited. */
  readonly persona: string;
}

/** An invitation as the holder of its code sees it. */
export interface InvitacionRecibida extends Pick<InvitacionVista, 'email' | 'papel' | 'venceEn' | 'persona'> {
  /** Name of the account. */
  readonly cuenta: string;
}

/** A shown code, or why there is none: the person is there already, or the account has as many people as it may. */
export type ResultadoInvitacion = { readonly codigo: string; readonly isMailed: boolean } | 'YA_ESTA' | 'DEMASIADAS';

const LIST = `
SELECT i.id, i.email, i.papel, i.creada_en AS "creadaEn", i.vence_en AS "venceEn", u.email AS persona
FROM invitacion i JOIN usuario u ON u.id = i.usuario_id WHERE i.cuenta_id = $1 ORDER BY i.email`;

/** A code, or the link of a mail, by its hash. */
const BY_HUELLA = (huella: string) =>
  `i.id IN (SELECT id FROM invitacion WHERE huella = ${huella} UNION ALL SELECT invitacion_id FROM enlace_correo WHERE huella = ${huella})`;

const FIND = `
SELECT i.email, i.papel, i.vence_en AS "venceEn", u.email AS persona, c.nombre AS cuenta
FROM invitacion i JOIN usuario u ON u.id = i.usuario_id JOIN cuenta c ON c.id = i.cuenta_id
WHERE ${BY_HUELLA('$1')} AND i.vence_en > now()`;

const ACCEPTED = nota({
  accion: 'aceptar-invitacion',
  de: 'hecho',
  detalle: `jsonb_build_object('papel', papel)`,
  actor: `'usuario:' || usuario_id`,
  ip: '$3',
});

/** A member whom the operator added meanwhile keeps the role. */
const ACCEPT = `
WITH tomada AS (
  DELETE FROM invitacion i USING usuario u WHERE ${BY_HUELLA('$1')} AND i.vence_en > now() AND u.id = $2 AND u.email = i.email
  RETURNING i.cuenta_id, i.papel
), hecho AS (
  INSERT INTO miembro (usuario_id, cuenta_id, papel) SELECT $2, cuenta_id, papel FROM tomada ON CONFLICT DO NOTHING
  RETURNING cuenta_id, usuario_id, papel
), libro AS (${ACCEPTED})
SELECT cuenta_id AS "cuentaId" FROM tomada`;

/** Who came by the link of a mail has shown that the address is theirs. */
const REGISTER = `
WITH tomada AS (
  DELETE FROM invitacion i WHERE ${BY_HUELLA('$1')} AND i.vence_en > now() RETURNING i.cuenta_id, i.papel, i.email, i.huella
), nuevo AS (
  INSERT INTO usuario (id, email, nombre, password_hash, password_kid, correo_verificado_en)
  SELECT $2, email, $4, $5, $6, CASE WHEN huella <> $1 THEN now() END FROM tomada RETURNING id
), hecho AS (
  INSERT INTO miembro (usuario_id, cuenta_id, papel) SELECT nuevo.id, tomada.cuenta_id, tomada.papel FROM tomada, nuevo
  RETURNING cuenta_id, usuario_id, papel
), libro AS (${ACCEPTED})
SELECT usuario_id AS "usuarioId" FROM hecho`;

const huellaDe = (codigo: string) => createHash('sha256').update(codigo).digest();

/** Invitations to accounts, each for one address and good once. A code has 256 random bits; only its SHA-256 is kept. */
export function createInvitaciones({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  return {
    /**
     * Invites an address, with or without a user: the answer shows no difference. Replaces an earlier invitation of the
     * address to the account. `porCorreo`: also mails it, when the inviter's own address is confirmed.
     */
    invite: (
      input: { cuentaId: string; usuarioId: string; email: string; papel: Papel; porCorreo?: boolean } & Autor,
    ): Promise<ResultadoInvitacion> =>
      prisma.$transaction(async (tx) => {
        const { cuentaId, usuarioId, papel, actor, ip } = input;
        const email = normalizeEmail(input.email);
        // All invitations of an account are made one after the other, so that no more are made than may.
        const [locked] = await tx.$queryRaw<{ now: Date }[]>`
          SELECT now() AS now FROM cuenta WHERE id = ${cuentaId}::uuid FOR NO KEY UPDATE`;
        if (locked === undefined) throw new Error('an invitation needs its account');
        const { now } = locked;
        if ((await tx.miembro.count({ where: { cuentaId, usuario: { email } } })) > 0) return 'YA_ESTA';
        const personas = await tx.miembro.count({ where: { cuentaId } });
        const others = { cuentaId, email: { not: email }, venceEn: { gt: now } };
        if (personas + (await tx.invitacion.count({ where: others })) >= MAX_PERSONAS) return 'DEMASIADAS';
        // Mails of an invitation and their links go with it.
        await tx.invitacion.deleteMany({ where: { cuentaId, OR: [{ email }, { NOT: { venceEn: { gt: now } } }] } });
        const codigo = randomBytes(32).toString('base64url');
        const id = randomUUID();
        const venceEn = new Date(now.getTime() + DIAS_INVITACION * 86_400_000);
        await tx.invitacion.createMany({
          data: { id, cuentaId, email, papel, huella: huellaDe(codigo), usuarioId, venceEn },
        });
        await note(tx, { accion: 'invitar-persona', cuentaId, detalle: { email, papel }, actor, ip });
        if (!input.porCorreo) return { codigo, isMailed: false };
        const [mailed] = await tx.$queryRaw<{ correo: string | null }[]>`SELECT correo_invita(${id}::uuid) AS correo`;
        return { codigo, isMailed: mailed?.correo != null };
      }),

    /** The invitations of an account, by address: those that are open, and those that lapsed lately. */
    list: (cuentaId: string) => rowsOf<InvitacionVista>(pool, LIST, [cuentaId]),

    /** Takes an invitation back. False when the account has none with this id. */
    revoke: (cuentaId: string, id: string, { actor, ip }: Autor): Promise<boolean> =>
      prisma.$transaction(async (tx) => {
        const detalle = await tx.invitacion.findFirst({
          where: { cuentaId, id },
          select: { email: true, papel: true },
        });
        const { count } = await tx.invitacion.deleteMany({ where: { cuentaId, id } });
        if (detalle === null || count === 0) return false;
        await note(tx, { accion: 'revocar-invitacion', cuentaId, detalle, actor, ip });
        return true;
      }),

    /** What a code invites to, or null for one that is not good. */
    find: (codigo: string) => rowOf<InvitacionRecibida>(pool, FIND, [huellaDe(codigo)]),

    /**
     * Lets a user join the account of an invitation to the user's own address, once. The account's id, or null for a
     * code that is not good or is for another address.
     */
    async accept(codigo: string, usuarioId: string, ip: string): Promise<string | null> {
      return (await rowOf<{ cuentaId: string }>(pool, ACCEPT, [huellaDe(codigo), usuarioId, ip]))?.cuentaId ?? null;
    },

    /**
     * Creates a user with the invited address as a member, once. Returns the user's id, or null for an invalid code.
     * Rejects with `EMAIL_REPETIDO` when the address has a user; the invitation then stays.
     */
    async register(
      codigo: string,
      { nombre, password, ip }: { nombre: string; password: PasswordGuardada; ip: string },
    ): Promise<string | null> {
      const { hash, kid } = password;
      const values = [huellaDe(codigo), randomUUID(), ip, nombre.trim(), hash, kid];
      const statement = rowOf<{ usuarioId: string }>(pool, REGISTER, values);
      return (await refusingCopies('EMAIL_REPETIDO', statement))?.usuarioId ?? null;
    },

    /** Deletes invitations that lapsed weeks ago, in batches; any number of processes may do it at once. */
    purge: () =>
      executeInBatches(
        pool,
        `DELETE FROM invitacion WHERE id = ANY (ARRAY(SELECT id FROM invitacion
         WHERE vence_en < now() - interval '30 days' ORDER BY vence_en LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      ),
  };
}

export type Invitaciones = ReturnType<typeof createInvitaciones>;

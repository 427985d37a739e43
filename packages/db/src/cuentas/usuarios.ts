import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Autor } from '@acuse/core';
import type { Prisma } from '../generated/client.ts';
import type { Records } from '../records.ts';
import { execute, rowOf, rowsOf } from '../statements.ts';
import { changeUser, cuentaOf, nota, note } from './auditoria.ts';
import { normalizeEmail } from './cuentas.ts';
import type { Papel } from './equipo.ts';
import { refusingCopies } from './rechazo.ts';
import { removeFactor } from './segundo-factor.ts';
import type { RolUsuario } from './sesiones.ts';

/** Hash of the token of a link: the 256 random bits cannot be derived from it. */
export const huellaDeEnlace = (token: string): Buffer => createHash('sha256').update(token).digest();

/** A password as it is stored: an argon2id hash (PHC string) and the id of the pepper it was made with. */
export interface PasswordGuardada {
  readonly hash: string;
  readonly kid: string;
}

export interface UsuarioVista {
  readonly id: string;
  /** The account that opens at the next log-in; null for who works in none. */
  readonly cuentaId: string | null;
  readonly email: string;
  readonly nombre: string;
  readonly rol: RolUsuario;
}

/** New user of an account. */
export type UsuarioNuevo = UsuarioVista & { readonly cuentaId: string };

/** What a log-in needs to know of a user. */
export interface UsuarioAcceso extends UsuarioVista {
  readonly password: PasswordGuardada | null;
  readonly tieneSegundoFactor: boolean;
  /** Signed up where mail is sent, and has not followed the link yet: the address may be another's. */
  readonly faltaConfirmar: boolean;
}

const VISTA = `u.id, ${cuentaOf('u.id')} AS "cuentaId", u.email, u.nombre, u.rol`;

const ACCESO = `
SELECT ${VISTA}, u.password_hash, u.password_kid,
       EXISTS (SELECT FROM segundo_factor f WHERE f.usuario_id = u.id AND f.confirmado_en IS NOT NULL) AS "tieneSegundoFactor",
       u.correo_exigido AND u.correo_verificado_en IS NULL AS "faltaConfirmar"
FROM usuario u`;

/** Mails a user with a confirmed address that the password has changed. */
const TELL_CHANGE = (ip: string) =>
  `CASE WHEN correo_verificado_en IS NOT NULL THEN correo_anota(id, 'password.cambiada', jsonb_build_object('en', now(), 'ip', ${ip})) END`;

/** Open ways to choose a password, links in mails included; `$1` is the one just used. */
const NO_MORE_CODES = (de: string, usado = '') => [
  `codigos AS (DELETE FROM codigo_acceso WHERE usuario_id ${de} ${usado})`,
  `enlaces AS (DELETE FROM enlace_correo WHERE usuario_id ${de} AND tipo = 'password.restablecer' ${usado})`,
  `pedidos AS (DELETE FROM correo WHERE usuario_id ${de} AND tipo = 'password.restablecer' AND estado = 'PENDIENTE')`,
];

/** The link of a mail confirms the address. */
const REDEEM = `
WITH codigo AS (DELETE FROM codigo_acceso WHERE huella = $1 AND vence_en > now() RETURNING usuario_id),
enlace AS (DELETE FROM enlace_correo WHERE huella = $1 AND tipo = 'password.restablecer' AND vence_en > now() RETURNING usuario_id),
quien AS (SELECT usuario_id, NULL::timestamptz AS visto_en FROM codigo UNION ALL SELECT usuario_id, now() FROM enlace),
hecho AS (
  UPDATE usuario u SET password_hash = $2, password_kid = $3, correo_verificado_en = coalesce(u.correo_verificado_en, quien.visto_en)
  FROM quien WHERE u.id = quien.usuario_id RETURNING u.id, u.email, ${TELL_CHANGE('$4::text')} AS aviso
), ${NO_MORE_CODES('IN (SELECT id FROM hecho)', 'AND huella <> $1').join(',\n')},
fuera AS (DELETE FROM sesion WHERE usuario_id IN (SELECT id FROM hecho)),
libro AS (${nota({ accion: 'elegir-password', de: 'hecho', cuenta: cuentaOf('hecho.id'), actor: `'usuario:' || id`, ip: '$4' })})
SELECT email FROM hecho`;

const SET_PASSWORD = `
WITH hecho AS (UPDATE usuario SET password_hash = $4, password_kid = $5 WHERE id = $1 RETURNING id, ${TELL_CHANGE('$3::text')}),
fuera AS (DELETE FROM sesion WHERE usuario_id = $1 AND huella IS DISTINCT FROM $6),
${NO_MORE_CODES('= $1').join(',\n')}
${nota({ accion: 'cambiar-password', de: 'hecho', cuenta: cuentaOf('hecho.id'), actor: '$2', ip: '$3' })}`;

type AccesoRow = Omit<UsuarioAcceso, 'password'> & { password_hash: string | null; password_kid: string | null };

/** A user as a member of an account. A trigger has made an owner a member already. */
async function create(
  tx: Prisma.TransactionClient,
  usuario: Prisma.UsuarioCreateManyInput,
  miembro: { readonly cuentaId: string; readonly papel: Papel },
): Promise<void> {
  await tx.usuario.createMany({ data: usuario });
  await tx.miembro.createMany({ data: { ...miembro, usuarioId: usuario.id }, skipDuplicates: true });
}

/** Users of the panel, their passwords, and the codes for choosing one. */
export function createUsuarios({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  return {
    /**
     * A new account with its first user, who owns it; `verificar`: who is mailed a link, and asked to follow it before anything else.
     * Rejects with `EMAIL_REPETIDO` when an account or a user has the e-mail.
     */
    async register(input: {
      nombre: string;
      email: string;
      password: PasswordGuardada;
      verificar?: boolean;
      ip: string;
    }): Promise<UsuarioNuevo> {
      const [cuentaId, id] = [randomUUID(), randomUUID()];
      const [email, nombre] = [normalizeEmail(input.email), input.nombre.trim()];
      const { password, verificar: correoExigido = false, ip } = input;
      const owner = {
        id,
        cuentaId,
        email,
        nombre,
        passwordHash: password.hash,
        passwordKid: password.kid,
        correoExigido,
      };
      const change = prisma.$transaction(async (tx) => {
        await tx.cuenta.createMany({ data: { id: cuentaId, nombre, email } });
        await create(tx, owner, { cuentaId, papel: 'PROPIETARIO' });
        await note(tx, { accion: 'registrarse', cuentaId, actor: `usuario:${id}`, ip });
        if (correoExigido) await tx.$executeRaw`SELECT correo_anota(${id}::uuid, 'correo.verificar', '{}')`;
      });
      await refusingCopies('EMAIL_REPETIDO', change);
      return { id, cuentaId, email, nombre, rol: 'CLIENTE' };
    },

    /**
     * A further user of an account, who owns it unless `papel` says something else; without a password until one is
     * chosen with a code. Rejects with `EMAIL_REPETIDO`.
     */
    async add(
      input: { cuentaId: string; email: string; nombre: string; rol: RolUsuario; papel?: Papel } & Autor,
    ): Promise<UsuarioNuevo> {
      const [id, email, nombre] = [randomUUID(), normalizeEmail(input.email), input.nombre.trim()];
      const { cuentaId, rol, papel = 'PROPIETARIO', actor, ip } = input;
      const user = { id, email, nombre, rol, cuentaId: papel === 'PROPIETARIO' ? cuentaId : null };
      const change = prisma.$transaction(async (tx) => {
        await create(tx, user, { cuentaId, papel });
        await note(tx, { accion: 'crear-usuario', cuentaId, detalle: { usuario: id, rol, papel }, actor, ip });
      });
      await refusingCopies('EMAIL_REPETIDO', change);
      return { id, cuentaId, email, nombre, rol };
    },

    async findByEmail(email: string): Promise<UsuarioAcceso | null> {
      const row = await rowOf<AccesoRow>(pool, `${ACCESO} WHERE u.email = $1`, [normalizeEmail(email)]);
      if (!row) return null;
      const { password_hash: hash, password_kid: kid, ...vista } = row;
      return { ...vista, password: hash !== null && kid !== null ? { hash, kid } : null };
    },

    list: () => rowsOf<UsuarioVista>(pool, `SELECT ${VISTA} FROM usuario u ORDER BY u.creado_en, u.email`),

    setNombre: (id: string, nombre: string, autor: Autor) =>
      changeUser(prisma, id, 'cambiar-nombre', autor, async (tx) => {
        const data = { nombre: nombre.trim() };
        return (await tx.usuario.updateMany({ where: { id, NOT: data }, data })).count > 0;
      }),

    /**
     * Replaces the stored password by one of the same words under newer parameters; nothing happens if it was changed
     * meanwhile.
     */
    async rehash(id: string, antes: PasswordGuardada, nueva: PasswordGuardada): Promise<void> {
      const data = { passwordHash: nueva.hash, passwordKid: nueva.kid };
      await prisma.usuario.updateMany({ where: { id, passwordHash: antes.hash }, data });
    },

    /** Changes a password by its owner: all the owner's sessions end but the one with the hash `salvo`. */
    async setPassword(id: string, { hash, kid }: PasswordGuardada, salvo: Buffer, { actor, ip }: Autor): Promise<void> {
      await execute(pool, SET_PASSWORD, [id, actor, ip, hash, kid, salvo]);
    },

    /** Changes what a user may do, and ends the user's sessions; nothing happens to one who may do that already. */
    setRol: ({ id }: Pick<UsuarioVista, 'id'>, rol: RolUsuario, autor: Autor) =>
      changeUser(prisma, id, 'cambiar-rol', { ...autor, detalle: { usuario: id, rol } }, async (tx) => {
        const { count } = await tx.usuario.updateMany({ where: { id, NOT: { rol } }, data: { rol } });
        return count > 0 && tx.sesion.deleteMany({ where: { usuarioId: id } });
      }),

    /** Removes the second factor of a user who lost it and its recovery codes, and ends the user's sessions. */
    removeSegundoFactor: ({ id }: Pick<UsuarioVista, 'id'>, autor: Autor) =>
      changeUser(prisma, id, 'quitar-dos-pasos', { ...autor, detalle: { usuario: id } }, async (tx) => {
        await removeFactor(tx, id);
        await tx.sesion.deleteMany({ where: { usuarioId: id } });
      }),

    /**
     * Makes a code with which a user may choose a password, once, within `segundos`. An earlier code is no longer good.
     * The code has 256 random bits; only its SHA-256 is kept.
     */
    async offerCodigo({ id }: Pick<UsuarioVista, 'id'>, segundos: number, autor: Autor): Promise<string> {
      const codigo = randomBytes(32).toString('base64url');
      await changeUser(prisma, id, 'ofrecer-password', { ...autor, detalle: { usuario: id } }, async (tx) => {
        await tx.$executeRaw`INSERT INTO codigo_acceso (usuario_id, huella, vence_en)
          VALUES (${id}::uuid, ${huellaDeEnlace(codigo)}, now() + make_interval(secs => ${segundos}))
          ON CONFLICT (usuario_id) DO UPDATE SET huella = excluded.huella, vence_en = excluded.vence_en`;
      });
      return codigo;
    },

    /**
     * Sets the password of the user whose code this is, given by the operator or mailed, once, and ends the user's
     * sessions and all other codes. The user's e-mail, or null for a code that is not good.
     */
    async redeemCodigo(codigo: string, { hash, kid }: PasswordGuardada, ip: string): Promise<string | null> {
      return (await rowOf<{ email: string }>(pool, REDEEM, [huellaDeEnlace(codigo), hash, kid, ip]))?.email ?? null;
    },
  };
}

export type Usuarios = ReturnType<typeof createUsuarios>;

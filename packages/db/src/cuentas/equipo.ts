import type { Autor } from '@acuse/core';
import type { Records } from '../records.ts';
import { rowsOf } from '../statements.ts';
import { note } from './auditoria.ts';

/** Role of a person in an account. The panel defines its rights. */
export const PAPELES = ['PROPIETARIO', 'CONTADOR', 'DESARROLLADOR'] as const;
export type Papel = (typeof PAPELES)[number];

/** Member of an account. */
export interface MiembroVista {
  readonly usuarioId: string;
  readonly email: string;
  readonly nombre: string;
  readonly papel: Papel;
  readonly desde: Date;
  readonly tieneSegundoFactor: boolean;
}

/** An account, as one of its people sees it from outside. */
export interface CuentaDePersona {
  readonly cuentaId: string;
  readonly nombre: string;
  readonly email: string;
  readonly papel: Papel;
  readonly desde: Date;
  /** True for the only owner. */
  readonly esUnicoPropietario: boolean;
}

/** An active key whose maker no longer works in the account. */
export interface LlaveDeAusente {
  readonly rfc: string;
  readonly ultimos4: string;
  readonly creadaEn: Date;
  /** E-mail of who made it. */
  readonly persona: string;
}

/** A change of the people of an account. */
interface CambioDeEquipo extends Autor {
  readonly cuentaId: string;
  /** Who asks, and has to own the account at that moment; null for the operator, who need not. */
  readonly quien: string | null;
}

/**
 * `SIN_PROPIETARIO`: the account would lose its last owner. `SIN_CAMBIO`: the member is unknown, or the author lacks
 * the right.
 */
export type ResultadoEquipo = 'HECHO' | 'SIN_PROPIETARIO' | 'SIN_CAMBIO';

const LIST = `
SELECT m.usuario_id AS "usuarioId", u.email, u.nombre, m.papel, m.desde,
  EXISTS (SELECT FROM segundo_factor f WHERE f.usuario_id = u.id AND f.confirmado_en IS NOT NULL) AS "tieneSegundoFactor"
FROM miembro m JOIN usuario u ON u.id = m.usuario_id WHERE m.cuenta_id = $1 ORDER BY u.email LIMIT $2`;

const CUENTAS = `
SELECT m.cuenta_id AS "cuentaId", c.nombre, c.email, m.papel, m.desde, m.papel = 'PROPIETARIO' AND NOT EXISTS (
  SELECT FROM miembro o WHERE o.cuenta_id = m.cuenta_id AND o.papel = 'PROPIETARIO' AND o.usuario_id <> m.usuario_id) AS "esUnicoPropietario"
FROM miembro m JOIN cuenta c ON c.id = m.cuenta_id WHERE m.usuario_id = $1 ORDER BY c.nombre, c.email, c.id`;

const LLAVES = `
SELECT c.rfc, k.ultimos4, k.creada_en AS "creadaEn", u.email AS persona
FROM contribuyente c JOIN api_key k ON k.contribuyente_id = c.id AND k.estado = 'ACTIVA' JOIN usuario u ON u.id = k.usuario_id
WHERE c.cuenta_id = $1 AND NOT EXISTS (SELECT FROM miembro m WHERE m.usuario_id = k.usuario_id AND m.cuenta_id = $1)
ORDER BY c.rfc LIMIT $2`;

/** A member before a change, and what the change may do. */
interface Antes {
  readonly papel: Papel;
  /** Another member owns the account. */
  readonly hasOther: boolean;
  /** The author owns the account, or is the operator. */
  readonly isAllowed: boolean;
}

/** New role of each person whom a change concerns; null removes the person. */
type Papeles = readonly (readonly [usuarioId: string, papel: Papel | null])[];

/** The people of accounts. At least one of them owns each account, however many changes come at once. */
export function createEquipo({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  /** Changes roles as `decide` says and notes the first one; `salvo` is the hash of a session that stays open. */
  const change = (
    accion: string,
    { cuentaId, quien, actor, ip }: CambioDeEquipo,
    usuarioId: string,
    salvo: Buffer | null,
    decide: (antes: Antes) => Papeles,
  ): Promise<ResultadoEquipo> =>
    prisma.$transaction(async (tx) => {
      // In the order of their ids. The second of two changes waits here, and then sees the first one.
      const locked = await tx.$queryRaw<{ id: string; papel: Papel; email: string }[]>`
        SELECT u.id, m.papel, u.email FROM miembro m JOIN usuario u ON u.id = m.usuario_id
        WHERE m.cuenta_id = ${cuentaId}::uuid AND (m.papel = 'PROPIETARIO' OR m.usuario_id = ${usuarioId}::uuid)
        ORDER BY m.usuario_id FOR UPDATE OF m`;
      const suyo = locked.find(({ id }) => id === usuarioId);
      if (!suyo) return 'SIN_CAMBIO';
      const owners = locked.filter(({ papel }) => papel === 'PROPIETARIO').map(({ id }) => id);
      const hasOther = owners.some((id) => id !== usuarioId);
      const [first, ...others] = decide({ papel: suyo.papel, hasOther, isAllowed: !quien || owners.includes(quien) });
      if (!first) return hasOther || suyo.papel !== 'PROPIETARIO' ? 'SIN_CAMBIO' : 'SIN_PROPIETARIO';
      for (const [id, papel] of [first, ...others]) {
        const where = { cuentaId, usuarioId: id };
        // Open invitations of a former owner end with the role: the person could know their codes.
        if (papel !== 'PROPIETARIO') await tx.invitacion.deleteMany({ where });
        await tx.sesion.deleteMany({ where: { ...where, ...(salvo && { NOT: { huella: new Uint8Array(salvo) } }) } });
        await (papel ? tx.miembro.updateMany({ where, data: { papel } }) : tx.miembro.deleteMany({ where }));
      }
      const detalle = { usuario: usuarioId, email: suyo.email, papel: first[1] ?? suyo.papel };
      await note(tx, { accion, cuentaId, detalle, actor, ip });
      return 'HECHO';
    });

  return {
    /** The people of an account, by e-mail. */
    list: (cuentaId: string, limite = 200) => rowsOf<MiembroVista>(pool, LIST, [cuentaId, limite]),

    /** The accounts that a person may enter, by name. */
    cuentasOf: (usuarioId: string) => rowsOf<CuentaDePersona>(pool, CUENTAS, [usuarioId]),

    /**
     * Changes the role of a member and ends the member's sessions in the account.
     * Of two owners who degrade each other at once, one succeeds.
     */
    setPapel: (cambio: CambioDeEquipo, usuarioId: string, papel: Papel) =>
      change('cambiar-papel', cambio, usuarioId, null, (antes) =>
        antes.isAllowed && antes.papel !== papel && (papel === 'PROPIETARIO' || antes.hasOther)
          ? [[usuarioId, papel]]
          : [],
      ),

    /**
     * Removes a member with the sessions there and the invitations that the member made. Keys and other things of the
     * account stay.
     */
    remove: (cambio: CambioDeEquipo, usuarioId: string) =>
      change('quitar-persona', cambio, usuarioId, null, ({ isAllowed, hasOther }) =>
        isAllowed && hasOther ? [[usuarioId, null]] : [],
      ),

    /** The same by the person who goes. */
    leave: (cuentaId: string, usuarioId: string, autor: Autor) =>
      change('dejar-cuenta', { cuentaId, quien: null, ...autor }, usuarioId, null, ({ hasOther }) =>
        hasOther ? [[usuarioId, null]] : [],
      ),

    /** Makes a member the owner in place of `quien`, who becomes `papel`; the session with the hash `salvo` stays open. */
    transfer: (
      cambio: CambioDeEquipo & { readonly quien: string },
      a: string,
      papel: Exclude<Papel, 'PROPIETARIO'>,
      salvo: Buffer,
    ) =>
      change('traspasar-cuenta', cambio, a, salvo, ({ isAllowed }) =>
        isAllowed && a !== cambio.quien
          ? [
              [a, 'PROPIETARIO'],
              [cambio.quien, papel],
            ]
          : [],
      ),

    /** Adds an existing user without an invitation, for the operator. False for a member. */
    add: ({ cuentaId, actor, ip }: { readonly cuentaId: string } & Autor, usuarioId: string, papel: Papel) =>
      prisma.$transaction(async (tx) => {
        const data = { cuentaId, usuarioId, papel };
        if ((await tx.miembro.createMany({ data, skipDuplicates: true })).count === 0) return false;
        const { email } = await tx.usuario.findUniqueOrThrow({ where: { id: usuarioId }, select: { email: true } });
        const detalle = { usuario: usuarioId, email, papel };
        await note(tx, { accion: 'agregar-persona', cuentaId, detalle, actor, ip });
        return true;
      }),

    /** The active keys of an account that were made by people who are no longer there, and who may know them. */
    llavesDeAusentes: (cuentaId: string, limite: number) => rowsOf<LlaveDeAusente>(pool, LLAVES, [cuentaId, limite]),
  };
}

export type Equipo = ReturnType<typeof createEquipo>;

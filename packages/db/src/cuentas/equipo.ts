import type { Autor } from '@acuse/core';
import type { Database } from '../database.ts';
import { isOne, rowsOf } from '../statements.ts';
import { nota } from './auditoria.ts';

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

/**
 * Locks those who own the account `$1`, and `$2`, in the order of their ids, and counts all of them: of two changes at
 * the same moment the second one waits here, and then sees what the first one left. The rest of its statement does not.
 */
const LOCKED = `
candado AS (
  SELECT usuario_id, papel FROM miembro WHERE cuenta_id = $1 AND (papel = 'PROPIETARIO' OR usuario_id = $2) ORDER BY usuario_id FOR UPDATE
), hay AS (
  SELECT count(*) FILTER (WHERE papel = 'PROPIETARIO' AND usuario_id <> $2) AS otros, count(*) FILTER (WHERE usuario_id = $2) AS suyos,
    coalesce($3::uuid IS NULL OR bool_or(papel = 'PROPIETARIO' AND usuario_id = $3), false) AS allowed
  FROM candado
)`;

/** Open invitations of a former owner end with the role: the person could know their codes. */
const INVITED = (who: string) =>
  `invitadas AS (DELETE FROM invitacion i USING ${who} h WHERE i.cuenta_id = h.cuenta_id AND i.usuario_id = h.usuario_id)`;

const SESSIONS = (who: string, salvo: string) =>
  `fuera AS (DELETE FROM sesion s USING ${who} h
   WHERE s.usuario_id = h.usuario_id AND s.cuenta_id = h.cuenta_id AND s.huella IS DISTINCT FROM ${salvo})`;

const DETALLE = `jsonb_build_object('usuario', usuario_id, 'email', (SELECT email FROM usuario WHERE id = usuario_id), 'papel', papel)`;

const SET_PAPEL = `
WITH ${LOCKED}, hecho AS (
  UPDATE miembro m SET papel = $6 FROM hay
  WHERE m.cuenta_id = $1 AND m.usuario_id = $2 AND m.papel <> $6 AND hay.allowed AND ($6 = 'PROPIETARIO' OR hay.otros > 0)
  RETURNING m.cuenta_id, m.usuario_id, m.papel
), degradado AS (SELECT * FROM hecho WHERE papel <> 'PROPIETARIO'),
${INVITED('degradado')},
${SESSIONS('hecho', '$7::bytea')}
${nota({ accion: 'cambiar-papel', de: 'hecho', detalle: DETALLE, actor: '$4', ip: '$5' })}`;

/** Its sessions in the account go with the row, by their foreign key. */
const removing = (accion: string, allowed: string) => `
WITH ${LOCKED}, hecho AS (
  DELETE FROM miembro m USING hay
  WHERE m.cuenta_id = $1 AND m.usuario_id = $2 AND ${allowed} AND hay.otros > 0
  RETURNING m.cuenta_id, m.usuario_id, m.papel
), ${INVITED('hecho')}
${nota({ accion, de: 'hecho', detalle: DETALLE, actor: '$4', ip: '$5' })}`;
const REMOVE = removing('quitar-persona', 'hay.allowed');
const LEAVE = removing('dejar-cuenta', 'm.usuario_id = $3');

const TRANSFER = `
WITH ${LOCKED}, hecho AS (
  UPDATE miembro m SET papel = CASE m.usuario_id WHEN $2 THEN 'PROPIETARIO' ELSE $6 END FROM hay
  WHERE m.cuenta_id = $1 AND m.usuario_id IN ($2, $3) AND $2 <> $3 AND hay.allowed AND hay.suyos = 1
  RETURNING m.cuenta_id, m.usuario_id, m.papel
), antes AS (SELECT * FROM hecho WHERE usuario_id = $3),
${INVITED('antes')},
${SESSIONS('hecho', '$7::bytea')}
${nota({ accion: 'traspasar-cuenta', de: 'hecho WHERE usuario_id = $2', detalle: DETALLE, actor: '$4', ip: '$5' })}`;

const ADD = `
WITH hecho AS (
  INSERT INTO miembro (usuario_id, cuenta_id, papel) VALUES ($2, $1, $5) ON CONFLICT DO NOTHING RETURNING cuenta_id, usuario_id, papel
)
${nota({ accion: 'agregar-persona', de: 'hecho', detalle: DETALLE, actor: '$3', ip: '$4' })}`;

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

/** The people of accounts. At least one of them owns each account, however many changes come at once. */
export function createEquipo({ pool }: Pick<Database, 'pool'>) {
  async function change(
    statement: string,
    cuentaId: string,
    usuarioId: string,
    rest: readonly unknown[],
  ): Promise<ResultadoEquipo> {
    if (await isOne(pool, statement, [cuentaId, usuarioId, ...rest])) return 'HECHO';
    const alone = (await cuentasOf(usuarioId)).find((each) => each.cuentaId === cuentaId);
    return alone?.esUnicoPropietario ? 'SIN_PROPIETARIO' : 'SIN_CAMBIO';
  }

  const cuentasOf = (usuarioId: string) => rowsOf<CuentaDePersona>(pool, CUENTAS, [usuarioId]);

  return {
    /** The people of an account, by e-mail. */
    list: (cuentaId: string, limite = 200) => rowsOf<MiembroVista>(pool, LIST, [cuentaId, limite]),

    /** The accounts that a person may enter, by name. */
    cuentasOf,

    /**
     * Changes the role of a member and ends the member's sessions in the account, except the one with the hash `salvo`.
     * Of two owners who degrade each other at once, one succeeds.
     */
    setPapel: (
      { cuentaId, quien, actor, ip }: CambioDeEquipo,
      usuarioId: string,
      papel: Papel,
      salvo: Buffer | null = null,
    ): Promise<ResultadoEquipo> => change(SET_PAPEL, cuentaId, usuarioId, [quien, actor, ip, papel, salvo]),

    /**
     * Removes a member with the sessions there and the invitations that the member made. Keys and other things of the
     * account stay.
     */
    remove: ({ cuentaId, quien, actor, ip }: CambioDeEquipo, usuarioId: string): Promise<ResultadoEquipo> =>
      change(REMOVE, cuentaId, usuarioId, [quien, actor, ip]),

    /** The same by the person who goes. */
    leave: (cuentaId: string, usuarioId: string, { actor, ip }: Autor): Promise<ResultadoEquipo> =>
      change(LEAVE, cuentaId, usuarioId, [usuarioId, actor, ip]),

    /** Makes a member the owner in place of `quien`, who becomes `papel`; `salvo` as above. False without a change. */
    transfer: (
      { cuentaId, quien, actor, ip }: CambioDeEquipo & { readonly quien: string },
      a: string,
      papel: Exclude<Papel, 'PROPIETARIO'>,
      salvo: Buffer,
    ): Promise<boolean> => isOne(pool, TRANSFER, [cuentaId, a, quien, actor, ip, papel, salvo]),

    /** Adds an existing user without an invitation, for the operator. False for a member. */
    add: ({ cuentaId, actor, ip }: { readonly cuentaId: string } & Autor, usuarioId: string, papel: Papel) =>
      isOne(pool, ADD, [cuentaId, usuarioId, actor, ip, papel]),

    /** The active keys of an account that were made by people who are no longer there, and who may know them. */
    llavesDeAusentes: (cuentaId: string, limite: number) => rowsOf<LlaveDeAusente>(pool, LLAVES, [cuentaId, limite]),
  };
}

export type Equipo = ReturnType<typeof createEquipo>;

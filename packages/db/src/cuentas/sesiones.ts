import type { Autor } from '@acuse/core';
import type { Records } from '../records.ts';
import { execute, executeInBatches, isOne, rowOf, rowsOf } from '../statements.ts';
import { isUuid } from '../uuid.ts';
import { changeUser, cuentaOf, nota } from './auditoria.ts';
import type { Papel } from './equipo.ts';

export type RolUsuario = 'CLIENTE' | 'OPERADOR';

/** SEGUNDO_PASO knows the password but not yet the code; COMPLETA is logged in. */
export type FaseSesion = 'SEGUNDO_PASO' | 'COMPLETA';

export interface AvisoGuardado {
  readonly tono: 'exito' | 'error' | 'info';
  readonly texto: string;
}

/** Who is logged in, and in which account the session is. */
export interface UsuarioDeSesion {
  readonly id: string;
  readonly email: string;
  readonly nombre: string;
  /** What the user may do in the installation. */
  readonly rol: RolUsuario;
  /** Null while the session is in no account: the user has none, or has not chosen one. */
  readonly cuentaId: string | null;
  /** The account's name. */
  readonly cuenta: string | null;
  /** What the user is in the account. */
  readonly papel: Papel | null;
  /** How many accounts the user may enter. */
  readonly cuentas: number;
  /** Why the operator suspended the account; null while it is open. */
  readonly suspension: string | null;
  /** The user has to show that the address is theirs before anything else, where the installation sends mail. */
  readonly porVerificar: boolean;
}

/** A live session with its user, as it is read for every request. */
export interface SesionPanel {
  readonly id: string;
  readonly fase: FaseSesion;
  readonly aviso: AvisoGuardado | null;
  readonly usuario: UsuarioDeSesion;
}

/** One line of a user's list of sessions. */
export interface SesionVista {
  readonly id: string;
  /** The browser's User-Agent, shortened. */
  readonly agente: string;
  readonly ip: string;
  readonly creadaEn: Date;
  readonly ultimoUsoEn: Date;
}

export interface NuevaSesion {
  /** SHA-256 of the 256-bit id in the cookie; the id itself is stored nowhere. */
  readonly huella: Buffer;
  readonly id: string;
  readonly usuarioId: string;
  readonly fase: FaseSesion;
  readonly agente: string;
  readonly ip: string;
  /** Way of the log-in, for the audit log; absent where another line exists, or without a log-in. */
  readonly entrada?: 'entrar' | 'entrar-con-recuperacion';
  /** Seconds without use after which it is over. */
  readonly inactividad: number;
  /** Seconds after which it is over in any case. */
  readonly duracion: number;
}

const LIVE = 'inactiva_en > now() AND vence_en > now()';
const LOGGED_IN = `fase = 'COMPLETA' AND ${LIVE}`;

const LOAD = `
SELECT s.id, s.fase, s.aviso, s.ultimo_uso_en < now() - interval '30 seconds' AS vieja, jsonb_build_object(
  'id', u.id, 'email', u.email, 'nombre', u.nombre, 'rol', u.rol, 'cuentaId', m.cuenta_id, 'cuenta', q.nombre, 'papel', m.papel,
  'cuentas', (SELECT count(*) FROM miembro x WHERE x.usuario_id = u.id), 'suspension', q.suspension_motivo,
  'porVerificar', u.correo_exigido AND u.correo_verificado_en IS NULL) AS usuario
FROM sesion s JOIN usuario u ON u.id = s.usuario_id
LEFT JOIN miembro m ON m.usuario_id = s.usuario_id AND m.cuenta_id = s.cuenta_id LEFT JOIN cuenta q ON q.id = m.cuenta_id
WHERE s.huella = $1 AND ${LIVE}`;

const TOUCH = `
UPDATE sesion SET ultimo_uso_en = now(), inactiva_en = now() + make_interval(secs => $2), ip = $3 WHERE huella = $1`;

/** Its line in the audit log has no row where `$10`, how the user came in, is null. */
const OPEN = `
WITH antes AS (DELETE FROM sesion WHERE huella = $9), nueva AS (
  INSERT INTO sesion (huella, id, usuario_id, cuenta_id, fase, agente, ip, inactiva_en, vence_en)
  VALUES ($1, $2, $3, ${cuentaOf('$3')}, $4, $5, $6, now() + make_interval(secs => $7), now() + make_interval(secs => $8))
  RETURNING usuario_id, cuenta_id
)
${nota({ accion: '$10::text', de: 'nueva WHERE $10::text IS NOT NULL', actor: `'usuario:' || usuario_id`, ip: '$6' })}`;

/**
 * The session goes on in another account, under another id, and no longer than before. What hangs on its id, keys that
 * were typed in and streams, stays behind.
 */
const ENTER = `
WITH antes AS (
  DELETE FROM sesion s USING miembro m WHERE s.huella = $1 AND ${LOGGED_IN} AND m.usuario_id = s.usuario_id AND m.cuenta_id = $4
  RETURNING s.usuario_id, s.agente, s.inactiva_en, s.vence_en
), abierta AS (UPDATE miembro m SET abierta_en = now() FROM antes WHERE m.usuario_id = antes.usuario_id AND m.cuenta_id = $4),
nueva AS (
  INSERT INTO sesion (huella, id, usuario_id, cuenta_id, fase, agente, ip, inactiva_en, vence_en)
  SELECT $2, $3, usuario_id, $4, 'COMPLETA', agente, $5, inactiva_en, vence_en FROM antes RETURNING usuario_id, cuenta_id
)
${nota({ accion: 'abrir-cuenta', de: 'nueva', actor: `'usuario:' || usuario_id`, ip: '$5' })}`;

/** Sessions of the panel. All times are the database's. */
export function createSesiones({ pool, prisma }: Pick<Records, 'pool' | 'prisma'>) {
  return {
    /** The live session with this hash, or null. Its use is noted at most every 30 seconds. */
    async load(huella: Buffer, uso: { inactividad: number; ip: string }): Promise<SesionPanel | null> {
      const row = await rowOf<SesionPanel & { vieja: boolean }>(pool, LOAD, [huella]);
      if (!row) return null;
      const { vieja, ...sesion } = row;
      if (vieja && sesion.fase === 'COMPLETA') await execute(pool, TOUCH, [huella, uso.inactividad, uso.ip]);
      return sesion;
    },

    /**
     * Opens a session; `reemplaza` is the hash of the one that it takes the place of, which is over at the same moment.
     */
    async open(nueva: NuevaSesion, reemplaza: Buffer | null): Promise<void> {
      const { huella, id, usuarioId, fase, agente, ip, entrada, inactividad, duracion } = nueva;
      const sesion = [huella, id, usuarioId, fase, agente, ip, inactividad, duracion];
      await execute(pool, OPEN, [...sesion, reemplaza, entrada ?? null]);
    },

    /** Gives a live session another id (another cookie), and leaves everything else as it is. False when it is over. */
    rotate: (huella: Buffer, nueva: Buffer) =>
      isOne(pool, `UPDATE sesion SET huella = $2 WHERE huella = $1 AND ${LIVE}`, [huella, nueva]),

    /**
     * Takes a live session into another account of its user, under the id `id` and the hash `nueva`. False when it is
     * over, or the account is none of the user's.
     */
    enter: (
      huella: Buffer,
      { nueva, id, cuentaId, ip }: { nueva: Buffer; id: string; cuentaId: string; ip: string },
    ): Promise<boolean> => isOne(pool, ENTER, [huella, nueva, id, cuentaId, ip]),

    /** Leaves a message for the next page, or takes it away. */
    async setAviso(huella: Buffer, aviso: AvisoGuardado | null): Promise<void> {
      const values = [huella, aviso ? JSON.stringify(aviso) : null];
      await execute(pool, 'UPDATE sesion SET aviso = $2 WHERE huella = $1', values);
    },

    async close(huella: Buffer): Promise<void> {
      await execute(pool, 'DELETE FROM sesion WHERE huella = $1', [huella]);
    },

    /** Where a user is logged in, the last used first. */
    list: (usuarioId: string) =>
      rowsOf<SesionVista>(
        pool,
        `SELECT id, agente, ip, creada_en AS "creadaEn", ultimo_uso_en AS "ultimoUsoEn" FROM sesion
         WHERE usuario_id = $1 AND ${LOGGED_IN} ORDER BY ultimo_uso_en DESC, creada_en DESC LIMIT 100`,
        [usuarioId],
      ),

    /** Which of these sessions are still logged in. */
    async live(ids: readonly string[]): Promise<ReadonlySet<string>> {
      const text = `SELECT id FROM sesion WHERE id = ANY ($1::uuid[]) AND ${LOGGED_IN}`;
      return new Set((await rowsOf<{ id: string }>(pool, text, [ids])).map(({ id }) => id));
    },

    /** Ends one session of a user. False when the user has none with that id. */
    closeOne: (usuarioId: string, id: string, autor: Autor) =>
      changeUser(prisma, usuarioId, 'cerrar-sesion', autor, async (tx) => {
        return isUuid(id) && (await tx.sesion.deleteMany({ where: { usuarioId, id } })).count > 0;
      }),

    /** Ends all sessions of a user, at the user's own wish. */
    closeAll: (usuarioId: string, autor: Autor) =>
      changeUser(prisma, usuarioId, 'cerrar-sesiones', autor, (tx) => tx.sesion.deleteMany({ where: { usuarioId } })),

    /** Deletes sessions that are over, in batches; any number of processes may do it at once. */
    purge: () =>
      executeInBatches(
        pool,
        `DELETE FROM sesion WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM sesion WHERE inactiva_en < now() OR vence_en < now() LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      ),
  };
}

export type Sesiones = ReturnType<typeof createSesiones>;

import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  type ClaveSesion,
  ESPERA_TURNO_MS,
  type LoginShare,
  MAX_RECHAZOS,
  PARTE_POR_CUENTA,
  type RechazoAcceso,
  type SesionesPortal,
  type SesionPortal,
  type TitularAcceso,
} from '@acuse/core';
import type { Database } from '../database.ts';
import { isUniqueViolation } from '../errors.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';

type Row = ClaveSesion & SesionPortal & { readonly idleMs: number; readonly isNueva: boolean };

/** What stands before the RFC in the rows about a simulator that is asked beside the SAT. */
const PRUEBAS = 'pruebas:';

/** SQL: the rows about the SAT, or those about the simulator beside it. */
const ofScope = (isPruebas: boolean, rfc: string) => `${isPruebas ? '' : 'NOT '}starts_with(${rfc}, '${PRUEBAS}')`;

const LOAD = `
SELECT id, cookies, sal, huella, (extract(epoch FROM now() - usada_en) * 1000)::float8 AS "idleMs", usada_en = abierta_en AS "isNueva"
FROM sesion_portal WHERE portal = $1 AND rfc = $2 AND tipo = $3 AND NOT por_cerrar`;

const RETIRE =
  'UPDATE sesion_portal SET por_cerrar = true WHERE portal = $1 AND rfc = $2 AND tipo = $3 AND NOT por_cerrar';

const INSERT =
  'INSERT INTO sesion_portal (portal, rfc, tipo, id, cookies, sal, huella) VALUES ($1, $2, $3, $4, $5, $6, $7)';

const TOUCH = `UPDATE sesion_portal SET usada_en = greatest(now(), abierta_en + interval '1 millisecond'), cookies = $5
WHERE id = $4 AND portal = $1 AND rfc = $2 AND tipo = $3 AND NOT por_cerrar`;

const DROP = 'DELETE FROM sesion_portal WHERE id = $4 AND portal = $1 AND rfc = $2 AND tipo = $3';

const ACQUIRE = `
INSERT INTO turno_acceso AS t (rfc, tipo, token, hasta) VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
ON CONFLICT (rfc, tipo) DO UPDATE SET token = excluded.token, hasta = excluded.hasta WHERE t.hasta <= now()`;

/** One at a time chooses: two at once would take the same place. */
const LOCK = `SELECT pg_try_advisory_xact_lock(hashtext('acuse_accesos')) AS mine`;

/** Stands in line, or goes on standing where it stood; nothing while another process holds the turn. */
const STAND_IN_LINE = `
INSERT INTO turno_acceso AS t (rfc, tipo, cuenta_id, hasta) VALUES ($1, $2, $3, now() + ${ESPERA_TURNO_MS} * interval '1 millisecond')
ON CONFLICT (rfc, tipo) DO UPDATE SET cuenta_id = excluded.cuenta_id, hasta = excluded.hasta, token = NULL,
  desde = CASE WHEN t.token IS NULL AND t.hasta > now() THEN t.desde ELSE now() END
WHERE t.token IS NULL OR t.hasta <= now()`;

/** Takes a place when the line says so. What an account had is seen by its turns that are over. */
const takePlaceOf = (isPruebas: boolean) => `
WITH turno AS MATERIALIZED (
  SELECT rfc, cuenta_id, token, desde FROM turno_acceso
  WHERE tipo = $2 AND hasta > now() AND ${ofScope(isPruebas, 'rfc')}
), libre AS (
  SELECT $5::int - count(*) AS n FROM turno WHERE token IS NOT NULL
), en_curso AS (
  SELECT cuenta_id, count(*) AS n FROM turno WHERE token IS NOT NULL GROUP BY cuenta_id
), servida AS (
  SELECT cuenta_id, max(hasta) AS en FROM turno_acceso 
  WHERE tipo = $2 AND token IS NOT NULL AND hasta <= now() AND ${ofScope(isPruebas, 'rfc')} GROUP BY cuenta_id
), espera AS (
  SELECT t.rfc, t.desde, coalesce(e.n, 0) + row_number() OVER (PARTITION BY t.cuenta_id ORDER BY t.desde, t.rfc) AS nth,
    coalesce(s.en, min(t.desde) OVER (PARTITION BY t.cuenta_id)) AS turno_de_cuenta
  FROM turno t LEFT JOIN en_curso e ON e.cuenta_id IS NOT DISTINCT FROM t.cuenta_id
    LEFT JOIN servida s ON s.cuenta_id IS NOT DISTINCT FROM t.cuenta_id
  WHERE t.token IS NULL
), fila AS (
  SELECT rfc, nth, row_number() OVER (ORDER BY nth, turno_de_cuenta, desde, rfc) AS pos FROM espera
)
UPDATE turno_acceso SET token = $3, hasta = now() + $4 * interval '1 millisecond'
WHERE rfc = $1 AND tipo = $2 AND token IS NULL AND EXISTS (
  SELECT FROM fila, libre WHERE fila.rfc = $1 AND pos <= libre.n AND nth <= ${PARTE_POR_CUENTA} * (libre.n - pos + 1)
)`;

const EXTEND = `UPDATE turno_acceso SET hasta = greatest(hasta, now() + $4 * interval '1 millisecond')
WHERE rfc = $1 AND tipo = $2 AND token = $3 AND hasta > now()`;

/** Over, and kept for a while: whose turn comes next follows from it. */
const RELEASE = `UPDATE turno_acceso SET hasta = now() - interval '1 millisecond' WHERE rfc = $1 AND tipo = $2 AND token = $3`;

const HELD = `SELECT replace(token::text, '-', '') AS token FROM turno_acceso WHERE token IS NOT NULL AND hasta > now()`;

const RELEASE_DEAD = `UPDATE turno_acceso SET hasta = now() - interval '1 millisecond' WHERE token = ANY($1::uuid[])`;

const SAVE_RECHAZO = `
WITH nuevo AS (
  INSERT INTO rechazo_acceso (rfc, tipo, huella, sal, motivo, codigo) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (rfc, tipo, huella) DO UPDATE SET creado_en = now(), motivo = excluded.motivo, codigo = excluded.codigo
)
DELETE FROM rechazo_acceso WHERE rfc = $1 AND tipo = $2 AND huella <> $3 AND huella NOT IN (
  SELECT huella FROM rechazo_acceso WHERE rfc = $1 AND tipo = $2 AND huella <> $3 ORDER BY creado_en DESC LIMIT $7
)`;

/** Also deletes turns that decide no next turn any more. */
const takeEndedOf = (isPruebas: boolean) => `
WITH turnos AS (DELETE FROM turno_acceso WHERE hasta <= now() - interval '10 minutes'),
terminada AS (
  SELECT id FROM sesion_portal
  WHERE (por_cerrar OR usada_en <= now() - $1 * interval '1 millisecond') AND ${ofScope(isPruebas, 'rfc')}
  LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM sesion_portal s USING terminada t WHERE s.id = t.id
RETURNING s.portal, s.rfc, s.tipo, s.id, s.cookies, s.sal, s.huella`;

/**
 * The start of this process's tokens: 6 bytes of its host's name, its process id in 4, and 2 at random, which an earlier
 * process with the same id did not have. The 4 bytes that follow are random for each turn.
 */
const OWN = Buffer.concat([createHash('sha256').update(hostname()).digest().subarray(0, 6), randomBytes(6)]);
OWN.writeUInt32BE(process.pid, 6);

const toSesion = ({ id, cookies, sal, huella }: Row): SesionPortal => ({ id, cookies, sal, huella });

/**
 * Ends the turns of processes that died on this host, where a process is started in their place. `isRunning` tells
 * whether the host has a process with an id.
 */
export async function releaseTurnsOfDead(
  { pool }: Pick<Database, 'pool'>,
  isRunning: (pid: number) => boolean,
): Promise<void> {
  const held = await rowsOf<{ token: string }>(pool, HELD);
  const dead = held.filter(({ token }) => {
    const start = Buffer.from(token, 'hex').subarray(0, OWN.length);
    const pid = start.readUInt32BE(6);
    const isHere = start.subarray(0, 6).equals(OWN.subarray(0, 6)) && !start.equals(OWN);
    return isHere && (pid === process.pid || !isRunning(pid));
  });
  if (dead.length > 0) await execute(pool, RELEASE_DEAD, [dead.map(({ token }) => token)]);
}

/**
 * Sessions with the portals over PostgreSQL, whose clock is the one of all processes. `isPruebas`: those of a simulator
 * that is asked beside the SAT, which share nothing with the SAT's: no session, no turn, no place and no refusal.
 */
export function createSesionesPortal(
  { pool }: Pick<Database, 'pool'>,
  { isPruebas = false }: { readonly isPruebas?: boolean } = {},
): SesionesPortal {
  const prefix = isPruebas ? PRUEBAS : '';
  const TAKE_PLACE = takePlaceOf(isPruebas);
  const TAKE_ENDED = takeEndedOf(isPruebas);
  const own = (rfc: string) => prefix + rfc;
  const keyOf = ({ portal, rfc, tipo }: ClaveSesion) => [portal, own(rfc), tipo];

  const replace = (clave: ClaveSesion, { id, cookies, sal, huella }: SesionPortal): Promise<void> =>
    inTransaction(pool, async (client) => {
      await execute(client, RETIRE, keyOf(clave));
      await execute(client, INSERT, [...keyOf(clave), id, cookies, sal, huella]);
    });

  async function takePlace(
    { rfc, tipo }: TitularAcceso,
    token: string,
    leaseMs: number,
    { plazas, cuentaId }: LoginShare,
  ): Promise<boolean> {
    if (!(await isOne(pool, STAND_IN_LINE, [own(rfc), tipo, cuentaId]))) return false;
    return inTransaction(pool, async (client) => {
      const lock = await rowOf<{ mine: boolean }>(client, LOCK);
      if (!lock?.mine) return false;
      const values = [own(rfc), tipo, token, leaseMs, plazas];
      return isOne(client, TAKE_PLACE, values);
    });
  }

  return {
    async load(clave) {
      const row = await rowOf<Row>(pool, LOAD, keyOf(clave));
      return row ? { sesion: toSesion(row), idleMs: row.idleMs, isNueva: row.isNueva } : null;
    },

    async save(clave, sesion) {
      await replace(clave, sesion).catch((error: unknown) => {
        // Another process opened one at this very moment; its row is there now, to be replaced.
        if (!isUniqueViolation(error, 'sesion_portal_viva_key')) throw error;
        return replace(clave, sesion);
      });
    },

    async touch(clave, id, cookies) {
      await execute(pool, TOUCH, [...keyOf(clave), id, cookies]);
    },

    async drop(clave, id) {
      await execute(pool, DROP, [...keyOf(clave), id]);
    },

    async acquireTurn(titular, leaseMs, share) {
      const token = Buffer.concat([OWN, randomBytes(4)]).toString('hex');
      const isTaken = share
        ? await takePlace(titular, token, leaseMs, share)
        : await isOne(pool, ACQUIRE, [own(titular.rfc), titular.tipo, token, leaseMs]);
      return isTaken ? { token } : null;
    },

    async extendTurn({ rfc, tipo }, { token }, leaseMs) {
      return await isOne(pool, EXTEND, [own(rfc), tipo, token, leaseMs]);
    },

    async releaseTurn({ rfc, tipo }, { token }) {
      await execute(pool, RELEASE, [own(rfc), tipo, token]);
    },

    async rechazos({ rfc, tipo }) {
      return rowsOf<RechazoAcceso>(
        pool,
        `SELECT sal, huella, motivo, codigo FROM rechazo_acceso WHERE rfc = $1 AND tipo = $2 ORDER BY creado_en DESC`,
        [own(rfc), tipo],
      );
    },

    async saveRechazo({ rfc, tipo }, { sal, huella, motivo, codigo }) {
      const values = [own(rfc), tipo, huella, sal, motivo, codigo, MAX_RECHAZOS - 1];
      await execute(pool, SAVE_RECHAZO, values);
    },

    async forget(rfc) {
      await execute(pool, 'DELETE FROM rechazo_acceso WHERE rfc = $1', [own(rfc)]);
      const text = 'UPDATE sesion_portal SET por_cerrar = true WHERE rfc = $1 AND NOT por_cerrar';
      await execute(pool, text, [own(rfc)]);
    },

    async takeEnded(idleMs, limit) {
      const values = [idleMs, limit];
      const rows = await rowsOf<Row>(pool, TAKE_ENDED, values);
      return rows.map((row) => ({
        clave: { portal: row.portal, rfc: row.rfc.slice(prefix.length), tipo: row.tipo },
        sesion: toSesion(row),
      }));
    },
  };
}

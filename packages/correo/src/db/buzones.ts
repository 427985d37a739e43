import { EVENTOS_CORREO, type EventoCorreo } from '@acuse/contract';
import type { Autor } from '@acuse/core';
import {
  cuentaOf,
  type Database,
  execute,
  executeInBatches,
  huellaDeEnlace,
  isOne,
  isUuid,
  normalizeEmail,
  nota,
  rowOf,
  rowsOf,
} from '@acuse/db';

/** Mail settings of a user. */
export interface Buzon {
  /** Time of the confirmation of the address; notices need it. */
  readonly verificadoEn: Date | null;
  /** Events without mail. */
  readonly apagados: readonly EventoCorreo[];
}

/** Writes one row with or without such a user, so that both answers wait for a commit. */
const ASK_RESET = `
WITH igual AS (INSERT INTO intento AS i (clave, tat) VALUES ($2, now()) ON CONFLICT (clave) DO UPDATE SET tat = i.tat),
quien AS (SELECT id FROM usuario WHERE email = $1),
pedido AS MATERIALIZED (SELECT id, correo_anota(id, 'password.restablecer', '{}') AS correo FROM quien)
${nota({ accion: 'pedir-password', de: 'pedido WHERE correo IS NOT NULL', cuenta: cuentaOf('pedido.id'), actor: `'usuario:' || id`, ip: '$3' })}`;

const ASK_VERIFICATION = `
SELECT correo_anota(id, 'correo.verificar', '{}') AS correo FROM usuario WHERE id = $1 AND correo_verificado_en IS NULL`;

const VERIFY = `
WITH enlace AS (DELETE FROM enlace_correo WHERE huella = $1 AND tipo = 'correo.verificar' AND vence_en > now() RETURNING usuario_id),
hecho AS (
  UPDATE usuario u SET correo_verificado_en = coalesce(u.correo_verificado_en, now()) FROM enlace WHERE u.id = enlace.usuario_id
  RETURNING u.id, u.email
), demas AS (DELETE FROM enlace_correo WHERE usuario_id IN (SELECT id FROM hecho) AND tipo = 'correo.verificar' AND huella <> $1),
pendientes AS (DELETE FROM correo WHERE usuario_id IN (SELECT id FROM hecho) AND tipo = 'correo.verificar' AND estado = 'PENDIENTE'),
libro AS (${nota({ accion: 'verificar-correo', de: 'hecho', cuenta: cuentaOf('hecho.id'), actor: `'usuario:' || id`, ip: '$2' })})
SELECT email FROM hecho`;

/** SQL: mails that no worker holds; a held mail is still sent. */
const UNSENT = `c.estado = 'PENDIENTE' AND c.tomado_hasta IS NULL`;

const TOLD = `
SELECT x.e AS evento FROM unnest($2::text[]) WITH ORDINALITY x (e, n)
WHERE EXISTS (SELECT FROM miembro m WHERE m.usuario_id = $1 AND se_entera(m.papel, x.e)) ORDER BY x.n`;

const detalle = `jsonb_build_object('apagados', avisos_apagados)`;

const SET_OFF = `
WITH hecho AS (
  UPDATE usuario SET avisos_apagados = $2 WHERE id = $1 AND avisos_apagados IS DISTINCT FROM $2 RETURNING id, avisos_apagados
), pendientes AS (DELETE FROM correo c WHERE c.usuario_id = $1 AND c.tipo = ANY ($2) AND ${UNSENT})
${nota({ accion: 'cambiar-avisos-correo', de: 'hecho', cuenta: cuentaOf('hecho.id'), detalle, actor: '$3', ip: '$4' })}`;

const UNSUBSCRIBE = `
WITH de AS (SELECT usuario_id, tipo FROM correo WHERE baja = $1 AND NOT urgente),
hecho AS (
  UPDATE usuario u SET avisos_apagados = array_append(u.avisos_apagados, de.tipo) FROM de
  WHERE u.id = de.usuario_id AND de.tipo <> ALL (u.avisos_apagados) RETURNING u.id, u.avisos_apagados
), pendientes AS (DELETE FROM correo c USING de WHERE c.usuario_id = de.usuario_id AND c.tipo = de.tipo AND ${UNSENT}),
libro AS (${nota({ accion: 'cambiar-avisos-correo', de: 'hecho', cuenta: cuentaOf('hecho.id'), detalle, actor: `'usuario:' || id`, ip: '$2' })})
SELECT tipo FROM de`;

/** Mail as users manage it: links, confirmation, preferences. */
export function createBuzones({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Mails a link for a new password to the address of a user. Neither result nor effort shows whether the user exists.
     * `limite`: key of the rate limit.
     */
    async askReset(email: string, { limite, ip }: { readonly limite: string; readonly ip: string }): Promise<void> {
      await execute(pool, ASK_RESET, [normalizeEmail(email), limite, ip]);
    },

    /** Mails a registered address about a sign-up attempt, with a link for a new password. The result does not show whether the user exists. */
    async tellRegistered(email: string): Promise<void> {
      const text = `SELECT correo_anota(id, 'password.restablecer', '{"registro": true}') FROM usuario WHERE email = $1`;
      await execute(pool, text, [normalizeEmail(email)]);
    },

    /** Mails a user the link that confirms the address. False when it is confirmed already. */
    askVerification: (usuarioId: string): Promise<boolean> => isOne(pool, ASK_VERIFICATION, [usuarioId]),

    /** Redeems the token of such a link, once. Returns the address, or null for an invalid token. */
    async verify(token: string, ip: string): Promise<string | null> {
      return (await rowOf<{ email: string }>(pool, VERIFY, [huellaDeEnlace(token), ip]))?.email ?? null;
    },

    async find(usuarioId: string): Promise<Buzon | null> {
      const text = `SELECT correo_verificado_en AS "verificadoEn", avisos_apagados AS apagados FROM usuario WHERE id = $1`;
      return rowOf<Buzon>(pool, text, [usuarioId]);
    },

    /** Events with mail for a user: those that the user's role may see in some account. */
    async toldOf(usuarioId: string): Promise<EventoCorreo[]> {
      const rows = await rowsOf<{ evento: EventoCorreo }>(pool, TOLD, [usuarioId, EVENTOS_CORREO]);
      return rows.map(({ evento }) => evento);
    },

    /** Sets the events without mail; waiting mails about them are not sent. */
    async setApagados(usuarioId: string, apagados: readonly EventoCorreo[], { actor, ip }: Autor): Promise<void> {
      await execute(pool, SET_OFF, [usuarioId, [...new Set(apagados)].sort(), actor, ip]);
    },

    /** Unsubscribes from the event of a mail by the token of its link. Returns the event, or null for an unknown token. */
    async unsubscribe(token: string, ip: string): Promise<EventoCorreo | null> {
      if (!isUuid(token)) return null;
      return (await rowOf<{ tipo: EventoCorreo }>(pool, UNSUBSCRIBE, [token, ip]))?.tipo ?? null;
    },

    /** Event of an unsubscribe link; null for an unknown token. */
    async kindOf(token: string): Promise<EventoCorreo | null> {
      if (!isUuid(token)) return null;
      const text = 'SELECT tipo FROM correo WHERE baja = $1 AND NOT urgente';
      return (await rowOf<{ tipo: EventoCorreo }>(pool, text, [token]))?.tipo ?? null;
    },

    /** Deletes links whose time is over, in batches; any number of processes may do it at once. */
    purge: () =>
      executeInBatches(
        pool,
        `DELETE FROM enlace_correo WHERE huella = ANY (ARRAY(
        SELECT huella FROM enlace_correo WHERE vence_en < now() ORDER BY vence_en LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      ),
  };
}

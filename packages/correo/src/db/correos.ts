import type { EventoCorreo } from '@acuse/contract';
import { type Database, execute, isOne, listenTo, rowOf, rowsOf } from '@acuse/db';

/** LISTEN/NOTIFY channel for new mails; functions of the database notify it. */
const CANAL_CORREO = 'acuse_correo';

/** Mails that a person waits for or that protect an account, and those of connect links; they cannot be switched off. */
export const CORREOS_DE_SEGURIDAD = [
  'correo.verificar',
  'password.restablecer',
  'password.cambiada',
  'equipo.invitacion',
  'conexion.enlace',
] as const;
export type TipoCorreo = EventoCorreo | (typeof CORREOS_DE_SEGURIDAD)[number];

/** A mail on its way, held until its lease ends. */
export interface CorreoTomado {
  readonly id: string;
  readonly epoch: number;
  /** Earlier attempts. */
  readonly intentos: number;
  readonly tipo: TipoCorreo;
  readonly para: string;
  /** Subjects of the mail, at most the first twenty. */
  readonly datos: readonly Readonly<Record<string, unknown>>[];
  /** Number of all subjects. */
  readonly cuantas: number;
  /** Token of its unsubscribe link. */
  readonly baja: string;
}

/** A mail that was given up. */
export interface CorreoFallido {
  readonly id: string;
  readonly tipo: TipoCorreo;
  readonly para: string;
  /** The receiver's server refused it for good, or no server took it in time. */
  readonly motivo: 'RECHAZADO' | 'VENCIDO';
  readonly error: string | null;
  readonly intentos: number;
  readonly creadoEn: Date;
  readonly terminadoEn: Date;
}

const CLAIM = `
WITH libre AS MATERIALIZED (
  SELECT id FROM correo WHERE estado = 'PENDIENTE' AND due_at <= now() AND vence_en > now()
  ORDER BY urgente DESC, due_at, id LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE correo c SET epoch = c.epoch + 1, tomado_hasta = now() + make_interval(secs => $2), due_at = now() + make_interval(secs => $2)
FROM libre WHERE c.id = libre.id
RETURNING c.id, c.epoch, c.intentos, c.tipo, c.para, c.datos, c.cuantas, c.baja`;

const HELD = `id = $1 AND epoch = $2 AND estado = 'PENDIENTE' AND tomado_hasta IS NOT NULL`;

const SENT = `
UPDATE correo SET estado = 'ENVIADO', terminado_en = now(), intentos = intentos + 1, tomado_hasta = NULL, error = NULL WHERE ${HELD}`;

/** `$3` error; `$4` seconds to the next attempt; gives up after a permanent refusal (`$5`), or when the mail expires before it. */
const FAILED = `
UPDATE correo SET intentos = intentos + 1, tomado_hasta = NULL, error = $3, due_at = now() + make_interval(secs => coalesce($4::float8, 0)),
  (estado, motivo, terminado_en) = (SELECT CASE WHEN s THEN 'PENDIENTE' ELSE 'FALLIDO' END, CASE WHEN $5 THEN 'RECHAZADO' WHEN NOT s THEN 'VENCIDO' END,
    CASE WHEN NOT s THEN now() END FROM (SELECT NOT $5::boolean AND coalesce(now() + make_interval(secs => $4::float8) < vence_en, false) AS s) q)
WHERE ${HELD} RETURNING estado`;

/** Mails that no sender holds. */
const IDLE = `estado = 'PENDIENTE' AND (tomado_hasta IS NULL OR tomado_hasta <= now())`;

const EXPIRE = `
UPDATE correo SET estado = 'FALLIDO', motivo = 'VENCIDO', terminado_en = now(), tomado_hasta = NULL WHERE id = ANY (ARRAY(
  SELECT id FROM correo WHERE ${IDLE} AND vence_en <= now() ORDER BY vence_en LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))`;

const DISCARD = `
DELETE FROM correo WHERE id = ANY (ARRAY(SELECT id FROM correo WHERE ${IDLE} LIMIT $1 FOR UPDATE SKIP LOCKED))`;

const FAILURES = `
SELECT id, tipo, para, motivo, error, intentos, creado_en AS "creadoEn", terminado_en AS "terminadoEn"
FROM correo WHERE estado = 'FALLIDO' ORDER BY terminado_en DESC LIMIT $1`;

/** Mails for the workers; given-up mails for the operator. */
export function createCorreos({ pool, settings }: Pick<Database, 'pool' | 'settings'>) {
  return {
    /** Claims up to `limite` due mails for `leaseSeconds`, security mails first. Due again when the lease expires. */
    claim: (input: Record<'limite' | 'leaseSeconds', number>) =>
      rowsOf<CorreoTomado>(pool, CLAIM, [input.limite, input.leaseSeconds]),

    /** Activates the link of a claimed mail by the SHA-256 of its token. Returns its end; null when another worker holds the mail. */
    async link({ id, epoch }: Pick<CorreoTomado, 'id' | 'epoch'>, huella: Buffer): Promise<Date | null> {
      const row = await rowOf<{ fin: Date | null }>(pool, 'SELECT correo_enlaza($1, $2, $3) AS fin', [
        ...[id, epoch, huella],
      ]);
      return row?.fin ?? null;
    },

    /** Notes a success. False when another worker holds the mail. */
    sent: ({ id, epoch }: Pick<CorreoTomado, 'id' | 'epoch'>) => isOne(pool, SENT, [id, epoch]),

    /**
     * Notes a failure: tries again after `enSegundos`, or gives up when that is null, when the mail expires before, or
     * after a permanent refusal. Returns the state; null when another worker holds the mail.
     */
    async failed(
      { id, epoch }: Pick<CorreoTomado, 'id' | 'epoch'>,
      { error, enSegundos, isRefused }: { error: string; enSegundos: number | null; isRefused: boolean },
    ): Promise<'PENDIENTE' | 'FALLIDO' | null> {
      const row = await rowOf<{ estado: 'PENDIENTE' | 'FALLIDO' }>(pool, FAILED, [
        ...[id, epoch, error, enSegundos, isRefused],
      ]);
      return row?.estado ?? null;
    },

    /** Gives up at most `limite` expired mails. Returns how many. */
    expire: (limite: number) => execute(pool, EXPIRE, [limite]),

    /** Deletes up to `limite` that wait, for an installation that sends none. Returns how many. */
    discard: (limite: number) => execute(pool, DISCARD, [limite]),

    /** Given-up mails, the last first. */
    failures: (limite: number) => rowsOf<CorreoFallido>(pool, FAILURES, [limite]),

    /** Calls `wake` on a notification of a new mail. Best effort: poll as well. */
    listen: (wake: () => void) => listenTo(settings, CANAL_CORREO, wake),
  };
}

export type Correos = ReturnType<typeof createCorreos>;

import type { Autor } from '@acuse/core';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { execute, rowOf, rowsOf } from '../statements.ts';

/** A connection of another process to this database. */
export interface ConnectedProgram {
  readonly proceso: string;
  readonly conexiones: number;
}

const CONNECTED = `
SELECT coalesce(nullif(application_name, ''), usename) AS proceso, count(*)::int AS conexiones FROM pg_stat_activity
WHERE datname = current_database() AND usename IS NOT NULL
  AND (application_name, usename) <> (current_setting('application_name'), current_user)
GROUP BY 1 ORDER BY 1`;

/**
 * Further than any solicitud, or the changes of a subscription, may have come since the backup: what still stands in the queue, or in the hands of a
 * worker that was not ended, is of an older generation and of a stale epoch.
 */
const LEAP = 1_000_000;

const RECOVER = `
WITH abierta AS (
  UPDATE solicitud SET epoch = epoch + ${LEAP}, gen = gen + ${LEAP}, lease_until = NULL
  WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') RETURNING id, estado, fase, cuenta_id, gen, due_at
), timbre AS (
  INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
  SELECT id, gen, CASE fase WHEN 'ENSAMBLE' THEN 'ensambles' ELSE 'descargas' END, cuenta_id, due_at FROM abierta WHERE estado = 'EN_PROCESO'
  ON CONFLICT (solicitud_id) DO UPDATE SET gen = excluded.gen, cola = excluded.cola, due_at = excluded.due_at, rung_at = NULL
), latidos AS (
  DELETE FROM latido
), cerrada AS (
  DELETE FROM sesion RETURNING id
), codigos AS (
  DELETE FROM codigo_acceso
), enlaces AS (
  DELETE FROM enlace_correo
), invitaciones AS (
  DELETE FROM invitacion
), consentimientos AS (
  DELETE FROM consentimiento
), pausadas AS (
  UPDATE sincronizacion SET estado = 'PAUSADA', motivo = 'SIN_CONSENTIMIENTO', pausada_en = now() WHERE estado = 'ACTIVA'
), almacenes AS (
  UPDATE almacen SET cambios = cambios + ${LEAP}
), cuenta_de AS (
  SELECT (SELECT count(*) FROM abierta)::int AS abiertas, (SELECT count(*) FROM cerrada)::int AS cerradas
), nota AS (${nota({
  accion: 'recuperar-base',
  de: 'cuenta_de',
  cuenta: 'NULL::uuid',
  detalle: `jsonb_build_object('solicitudes', abiertas, 'sesiones', cerradas)`,
  actor: '$1',
  ip: '$2',
})})
SELECT abiertas, cerradas, (SELECT max(creada_en) FROM solicitud) AS "ultimaSolicitudEn",
  (SELECT max(creado_en) FROM movimiento) AS "ultimoMovimientoEn",
  (SELECT count(*) FROM api_key WHERE estado = 'ACTIVA')::int AS "llavesActivas"
FROM cuenta_de`;

export interface Recovered {
  /** Solicitudes without an end, which go on. */
  readonly abiertas: number;
  /** Sessions of the panel that were ended. */
  readonly cerradas: number;
  readonly ultimaSolicitudEn: Date | null;
  readonly ultimoMovimientoEn: Date | null;
  readonly llavesActivas: number;
}

/** The audit log's word for a backup. */
export const BACKUP_ACTION = 'respaldar-base';

/** Notes a backup of so many `bytes` under the moment that it shows, `desde`, which its age is counted from. */
export const noteBackup = (
  { pool }: Pick<Database, 'pool'>,
  { desde, bytes, actor, ip }: Autor & { readonly desde: Date; readonly bytes: number },
): Promise<unknown> =>
  execute(
    pool,
    `INSERT INTO auditoria (actor, accion, detalle, ip, en) VALUES ($1, '${BACKUP_ACTION}', jsonb_build_object('bytes', $2::bigint), $3, $4)`,
    [actor, bytes, ip, desde],
  );

/** Lines of the audit log before its first are pruned: what they justified is not asked for. */
const RULES = `
WITH origen AS MATERIALIZED (
  SELECT cuenta_id, (detalle ->> 'creditos')::integer AS creditos, CASE accion WHEN 'abonar-creditos' THEN 'compra' ELSE 'ajuste' END AS tipo,
    CASE accion WHEN 'abonar-creditos' THEN detalle ->> 'referencia' ELSE detalle ->> 'saldo' END AS clave
  FROM auditoria WHERE accion IN ('abonar-creditos', 'ajustar-saldo')
  UNION ALL SELECT cuenta_id, creditos, 'compra', id::text FROM pago WHERE estado = 'ACREDITADO'
)
SELECT 'saldo' AS regla, c.id::text FROM cuenta c
  LEFT JOIN (SELECT cuenta_id, sum(importe) AS suma FROM movimiento GROUP BY cuenta_id) m ON m.cuenta_id = c.id
  WHERE c.saldo <> coalesce(m.suma, 0)
UNION ALL SELECT 'un cargo', s.id::text FROM solicitud s
  LEFT JOIN (SELECT op_id, count(*) AS n FROM movimiento WHERE tipo = 'cargo' GROUP BY op_id) m ON m.op_id = s.id
  WHERE coalesce(m.n, 0) <> (s.costo > 0)::int
UNION ALL SELECT 'reembolso', s.id::text FROM solicitud s
  LEFT JOIN (SELECT DISTINCT op_id FROM movimiento WHERE tipo = 'reembolso') m ON m.op_id = s.id
  WHERE (s.costo > 0 AND (s.estado IN ('ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA')
         OR (s.registros = 0 AND coalesce(s.confianza, '') = 'sin_confirmar'))) <> (m.op_id IS NOT NULL)
    AND NOT (m.op_id IS NOT NULL AND s.sincronizacion_id IS NOT NULL AND s.estado = 'TERMINADA'
      AND NOT EXISTS (SELECT FROM lectura l WHERE l.solicitud_id = s.id AND NOT l.es_dudosa))
UNION ALL SELECT 'reembolso sin cargo', r.op_id::text FROM movimiento r
  LEFT JOIN movimiento m ON m.op_id = r.op_id AND m.tipo = 'cargo' AND m.importe = -r.importe AND m.cuenta_id = r.cuenta_id
  WHERE r.tipo = 'reembolso' AND m.op_id IS NULL
UNION ALL SELECT 'ingreso sin origen', m.op_id::text FROM movimiento m
  LEFT JOIN origen o ON o.cuenta_id = m.cuenta_id AND o.creditos = m.importe AND o.tipo = m.tipo
    AND o.clave = CASE m.tipo WHEN 'compra' THEN m.pago_id ELSE m.saldo::text END
  WHERE m.tipo IN ('compra', 'ajuste') AND m.importe > 0 AND o.cuenta_id IS NULL AND m.creado_en >= (SELECT min(en) FROM auditoria)
UNION ALL SELECT 'pago sin abono', p.id::text FROM pago p
  LEFT JOIN movimiento m ON m.op_id = p.id AND m.tipo = 'compra' AND m.cuenta_id = p.cuenta_id AND m.importe = p.creditos
  WHERE p.estado = 'ACREDITADO' AND m.op_id IS NULL
UNION ALL SELECT 'credencial', s.id::text FROM solicitud s JOIN credencial_sellada c ON c.solicitud_id = s.id
  WHERE s.terminada_en IS NOT NULL OR (s.estado = 'ESPERA_EFIRMA' AND c.tipo = 'efirma')
UNION ALL SELECT 'cápsula', s.id::text FROM solicitud s JOIN capsula c ON c.solicitud_id = s.id WHERE s.estado <> 'EN_PROCESO' OR NOT s.capsula
ORDER BY 1, 2 LIMIT $1`;

/** A rule of credits and credentials that holds at any moment, and the id of the account or solicitud that breaks it. */
export interface BrokenRule {
  readonly regla: string;
  readonly id: string;
}

/**
 * What breaks the rules that hold at any moment: a balance is the sum of its movements, credits that came in have a
 * credited payment or the operator's order behind them, a solicitud that costs has one charge and, if it failed, one
 * refund (one that its subscription could not use may have it), and keeps no credential beyond its end. Reads the whole
 * ledger.
 */
export const brokenRules = ({ pool }: Pick<Database, 'pool'>, { limite = 1_000 } = {}) =>
  rowsOf<BrokenRule>(pool, RULES, [limite]);

/** Who else is connected to this database: programs of Acuse by their name, others by theirs or by their user. */
export const connectedPrograms = ({ pool }: Pick<Database, 'pool'>) => rowsOf<ConnectedProgram>(pool, CONNECTED);

/**
 * Makes a restored database safe to work on. Wakes every open solicitud under a new generation and epoch, which no
 * earlier process has, and forgets workers. Ends all panel sessions, codes, invitations and consents (one that ended
 * after the backup would live again); their subscriptions pause. Numbers changes from further on, so that readers
 * beyond the backup miss none. May be repeated.
 */
export async function recover({ pool }: Pick<Database, 'pool'>, { actor, ip }: Autor): Promise<Recovered> {
  const row = await rowOf<Recovered>(pool, RECOVER, [actor, ip]);
  if (!row) throw new Error('a statement without FROM gave no row');
  return row;
}

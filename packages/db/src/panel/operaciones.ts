import type { Database } from '../database.ts';

const ON = `
WITH duena AS (SELECT id, cuenta_id FROM contribuyente WHERE cuenta_id = $1 AND rfc = $2 FOR NO KEY UPDATE),
cambio AS (DELETE FROM operacion_deshabilitada o USING duena WHERE o.contribuyente_id = duena.id AND o.operacion = ANY ($3::text[])
  RETURNING o.operacion),
nota AS (
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
  SELECT cuenta_id, id, $4, 'habilitar-operacion', jsonb_build_object('operacion', operacion), $5 FROM duena, cambio
)
SELECT id FROM duena`;

const OFF = `
WITH duena AS (SELECT id, cuenta_id FROM contribuyente WHERE cuenta_id = $1 AND rfc = $2 FOR NO KEY UPDATE),
cambio AS (
  INSERT INTO operacion_deshabilitada (contribuyente_id, operacion) SELECT id, operacion FROM duena, unnest($3::text[]) AS o (operacion)
  ON CONFLICT DO NOTHING RETURNING operacion
), nota AS (
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
  SELECT cuenta_id, id, $4, 'deshabilitar-operacion', jsonb_build_object('operacion', operacion), $5 FROM duena, cambio
)
SELECT id FROM duena`;

const IPS = `
WITH duena AS (SELECT id, cuenta_id FROM contribuyente WHERE cuenta_id = $1 AND rfc = $2 FOR NO KEY UPDATE),
fuera AS (
  DELETE FROM ip_permitida p USING duena WHERE p.contribuyente_id = duena.id AND p.cidr <> ALL ($3::text[]) RETURNING p.cidr
), dentro AS (
  INSERT INTO ip_permitida (contribuyente_id, cidr) SELECT duena.id, nueva.cidr FROM duena, unnest($3::text[]) AS nueva (cidr)
  ON CONFLICT DO NOTHING RETURNING cidr
), nota AS (
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
  SELECT cuenta_id, id, $4, 'cambiar-ips', jsonb_build_object('cidrs', $3::text[]), $5 FROM duena
  WHERE EXISTS (SELECT FROM fuera) OR EXISTS (SELECT FROM dentro)
)
SELECT id FROM duena`;

interface Cambio {
  readonly cuentaId: string;
  readonly rfc: string;
  readonly actor: string;
  readonly ip: string;
}

/**
 * What a taxpayer's key may do and from where, changed by its owner. The next call already sees it: the rows move the taxpayer's version. Only
 * changes are noted in the audit log. Each answers false when the account has no such RFC.
 */
export function createPanelOperaciones({ pool }: Pick<Database, 'pool'>) {
  const run = async (text: string, { cuentaId, rfc, actor, ip }: Cambio, value: readonly string[]) =>
    (await pool.query(text, [cuentaId, rfc, value, actor, ip])).rowCount === 1;
  return {
    /** Switches all of these at once. `operaciones` are paths without /api/v1/. */
    setOperaciones: (cambio: Cambio & { operaciones: readonly string[]; isHabilitada: boolean }) =>
      run(cambio.isHabilitada ? ON : OFF, cambio, [...new Set(cambio.operaciones)]),

    /** Replaces the addresses (CIDR) that may call; none means any. */
    setIps: (cambio: Cambio & { cidrs: readonly string[] }) => run(IPS, cambio, [...new Set(cambio.cidrs)]),
  };
}

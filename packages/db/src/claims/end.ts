/**
 * The part of a statement that gives back the charges of the solicitudes `fin`, if `when`, with `detalle` in the
 * ledger; both are SQL.
 */
export const devolucion = (when: string, detalle: string) => `cargo AS (
  SELECT m.* FROM movimiento m JOIN fin ON m.op_id = fin.id AND m.tipo = 'cargo' WHERE ${when}
), libro AS (
  INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id, detalle)
  SELECT cuenta_id, contribuyente_id, op_id, 'reembolso', -importe, operacion, solicitud_id, ${detalle} FROM cargo
  RETURNING cuenta_id, importe
), devuelto AS (
  UPDATE cuenta SET saldo = saldo + d.importe
  FROM (SELECT cuenta_id, sum(importe)::integer AS importe FROM libro GROUP BY cuenta_id) d WHERE cuenta.id = d.cuenta_id
)`;

/**
 * The one statement that ends solicitudes without a package: state, refund in balance and ledger, death of the sealed
 * credential and a line in the timeline, together. `where` picks the rows of `solicitud s`; parameters $1 estado, $2
 * motivo, $3 codigo. `also` are more parts, beginning with a comma, that may read the ended ones from `fin`.
 */
export function endWithoutPaquete(where: string, also = ''): string {
  return `
WITH fin AS (
  UPDATE solicitud s SET estado = $1, motivo = $2, terminada_en = now(), lease_until = NULL, gen = s.gen + 1, epoch = s.epoch + 1
  WHERE ${where} RETURNING s.id, s.cuenta_id, s.contribuyente_id
), ${devolucion('true', '$2')}, sellada AS (
  DELETE FROM credencial_sellada c USING fin WHERE c.solicitud_id = fin.id
), salida AS (
  DELETE FROM outbox o USING fin WHERE o.solicitud_id = fin.id
), nota AS (
  INSERT INTO evento (solicitud_id, tipo, codigo, detalle) SELECT id, $1, $3, $2 FROM fin
)${also}
SELECT id FROM fin`;
}

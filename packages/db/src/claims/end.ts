/**
 * The only statement that ends solicitudes without a package, by the one function of the database with that right:
 * state, refund in balance and ledger, deletion of the sealed credential and a line in the timeline, together. `where`
 * picks rows of `solicitud s`; open ones end. Parameters: $1 estado, $2 motivo, $3 codigo. `also`: more parts,
 * beginning with a comma, that may read the ended rows from `fin`.
 */
export function endWithoutPaquete(where: string, also = ''): string {
  return `
WITH cual AS MATERIALIZED (SELECT s.id FROM solicitud s WHERE ${where} ORDER BY s.id FOR NO KEY UPDATE),
fin AS MATERIALIZED (SELECT * FROM solicitudes_terminan(ARRAY(SELECT id FROM cual), $1, $2, $3))${also}
SELECT id FROM fin`;
}

/**
 * The one statement that ends solicitudes without a package, by the function of the database that alone may do so: state,
 * refund in balance and ledger, death of the sealed credential and a line in the timeline, together. `where` picks the rows
 * of `solicitud s`, of which those that are open end; parameters $1 estado, $2 motivo, $3 codigo. `also` are more parts,
 * beginning with a comma, that may read the ended ones from `fin`.
 */
export function endWithoutPaquete(where: string, also = ''): string {
  return `
WITH cual AS MATERIALIZED (SELECT s.id FROM solicitud s WHERE ${where} ORDER BY s.id FOR NO KEY UPDATE),
fin AS MATERIALIZED (SELECT * FROM solicitudes_terminan(ARRAY(SELECT id FROM cual), $1, $2, $3))${also}
SELECT id FROM fin`;
}

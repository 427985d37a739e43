import type { FinishNote } from '@acuse/db';

/**
 * Notes which counterparties of a package stand on a published list when the package is ready, with their CFDI. Looks up
 * the observed counterparties only.
 */
export const cruceDePaquete: FinishNote = {
  name: 'contrapartes',
  before: (observed) => `vista AS MATERIALIZED (
  SELECT v.rfc, v.nombre, v.ingresos, v.egresos FROM jsonb_to_recordset(${observed}) AS v (rfc text, nombre text, ingresos jsonb, egresos jsonb)
), listada AS MATERIALIZED (
  SELECT v.*, l.lista, l.supuesto, l.es_adverso, l.publicada FROM vista v CROSS JOIN LATERAL listado_de(v.rfc) l
), `,
  set: (observed) => `,
    contrapartes_listadas = CASE WHEN ${observed} IS NOT NULL THEN (SELECT count(DISTINCT rfc) FROM listada) END,
    contrapartes_adversas = CASE WHEN ${observed} IS NOT NULL THEN (SELECT count(DISTINCT rfc) FILTER (WHERE es_adverso) FROM listada) END`,
  after: `, cruzada AS (
  INSERT INTO riesgo_paquete (solicitud_id, rfc, lista, supuesto, es_adverso, publicada, nombre, ingresos, ingresos_monto, egresos, egresos_monto)
  SELECT fin.id, l.rfc, l.lista, l.supuesto, l.es_adverso, l.publicada, l.nombre, (l.ingresos ->> 'cfdi')::int, (l.ingresos ->> 'monto')::numeric,
    (l.egresos ->> 'cfdi')::int, (l.egresos ->> 'monto')::numeric
  FROM fin CROSS JOIN listada l
)`,
};

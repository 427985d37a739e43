-- Counterparties of the package of a solicitud that stand on a published list (lista_actual), as it ended.

-- CFDI in force of the package, of income and of expense, with one of them.
CREATE TABLE riesgo_paquete (
  solicitud_id uuid NOT NULL REFERENCES solicitud (id) ON DELETE CASCADE,
  rfc text NOT NULL,
  lista text NOT NULL,
  supuesto text NOT NULL,
  es_adverso boolean NOT NULL,
  publicada date,
  nombre text NOT NULL,
  ingresos integer NOT NULL,
  ingresos_monto numeric NOT NULL,
  egresos integer NOT NULL,
  egresos_monto numeric NOT NULL,
  PRIMARY KEY (solicitud_id, rfc, lista)
);

-- How many RFCs stand there, and how many of them under a word that speaks against them. Null: its package was crossed with no list.
ALTER TABLE solicitud ADD COLUMN contrapartes_listadas integer;
ALTER TABLE solicitud ADD COLUMN contrapartes_adversas integer;

-- Where an RFC stands now, one row a list. Of several rows of a list of article 69-B it stands under the worst, or under the newest that clears;
-- on another list under all of them.
CREATE FUNCTION listado_de(de_rfc text) RETURNS TABLE (lista text, supuesto text, es_adverso boolean, publicada date)
LANGUAGE sql STABLE AS $$
  WITH fila AS MATERIALIZED (
    SELECT l.lista, l.supuesto, l.publicada, supuesto_adverso(l.supuesto) AS es_adverso FROM lista_actual l WHERE l.rfc = de_rfc
  ), peor AS (
    SELECT DISTINCT ON (f.lista) f.* FROM fila f
    ORDER BY f.lista, f.es_adverso DESC, lower(f.supuesto) = 'definitivo' DESC, f.publicada DESC NULLS LAST, f.supuesto
  )
  SELECT p.lista, CASE WHEN p.lista LIKE '69-B%' THEN p.supuesto
    ELSE (SELECT string_agg(DISTINCT f.supuesto, ', ' ORDER BY f.supuesto) FROM fila f WHERE f.lista = p.lista) END,
    p.es_adverso, p.publicada
  FROM peor p
$$;

-- Published lists of the SAT.

-- Whether a row of a published file is adverse to the taxpayer, by the file and by the wording (supuesto) of the row. Adverse: operations presumed
-- not to exist (69-B), losses passed on unduly (69-B Bis), a seal without effect (17-H), taxes owed and not paid, a taxpayer not found at the
-- address, a conviction (69, I to IV: the State may not contract with these, 32-D), and a credit written off because the debtor is insolvent or was
-- not found (69, V; 146-A: the debt stands). Not adverse: a debt forgiven or reduced (69, VI; 21, 74, 146-B), a credit written off as not worth
-- collecting or without a reason in its row, all of 2007 to 2015 (lapsed), investments brought back by decree, and public bodies that left out a
-- duty. Won or rebutted proceedings clear. A file without a rule here is adverse.
CREATE OR REPLACE FUNCTION supuesto_adverso(archivo text, supuesto text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN CASE archivo WHEN 'cancelados' THEN supuesto ILIKE '%insolvencia%'
  ELSE archivo NOT IN ('cancelados-2007-2015', 'condonados-21', 'condonados-146b', 'condonados-decreto', 'condonados-2007-2015', 'reduccion-74',
      'retorno-inversiones', 'entes-publicos')
    AND lower(supuesto) NOT IN ('desvirtuado', 'sentencia favorable') END;

CREATE OR REPLACE VIEW lista_actual (lista, rfc, nombre, supuesto, publicada, version_id, archivo, es_adverso) AS
  SELECT e.*, '69-b'::text, supuesto_adverso('69-b', e.supuesto) FROM (
    SELECT '69-B'::text, f.rfc, f.nombre,
      CASE f.situacion WHEN 'PRESUNTO' THEN 'Presunto' WHEN 'DESVIRTUADO' THEN 'Desvirtuado' WHEN 'DEFINITIVO' THEN 'Definitivo'
        ELSE 'Sentencia Favorable' END,
      (SELECT max(coalesce(p.paso->>'fechaSat', p.paso->>'fechaDof'))::date FROM jsonb_array_elements(f.historial) AS p (paso)
        WHERE p.paso->>'situacion' = f.situacion),
      f.version_id
    FROM efos_fila f JOIN efos_vigente g ON g.version_id = f.version_id
    WHERE f.rfc IS NOT NULL
  ) e (lista, rfc, nombre, supuesto, publicada, version_id)
  UNION ALL
  SELECT g.lista, f.rfc, f.nombre, f.supuesto, f.publicada, f.version_id, g.archivo, supuesto_adverso(g.archivo, f.supuesto)
  FROM listado_fila f JOIN listado_vigente g ON g.version_id = f.version_id
  WHERE f.rfc IS NOT NULL;

CREATE OR REPLACE VIEW lista_vigente (lista, version_id) AS
  SELECT '69-B'::text, g.version_id FROM efos_vigente g UNION ALL SELECT g.lista, g.version_id FROM listado_vigente g;

CREATE OR REPLACE FUNCTION lista_analiza(cual text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  CASE cual
    WHEN 'efos_fila' THEN ANALYZE efos_fila;
    WHEN 'edos_rfc' THEN ANALYZE edos_rfc;
    WHEN 'listado_fila' THEN ANALYZE listado_fila;
  END CASE;
END $$;

-- Where an RFC stands now, one row a list. Of several rows of a list of article 69-B it stands under the worst, or under the newest that clears;
-- on another list under all of them.
CREATE OR REPLACE FUNCTION listado_de(de_rfc text) RETURNS TABLE (lista text, supuesto text, es_adverso boolean, publicada date)
LANGUAGE sql STABLE AS $$
  WITH fila AS MATERIALIZED (
    SELECT l.lista, l.supuesto, l.publicada, l.es_adverso FROM lista_actual l WHERE l.rfc = de_rfc
  ), peor AS (
    SELECT DISTINCT ON (f.lista) f.* FROM fila f
    ORDER BY f.lista, f.es_adverso DESC, lower(f.supuesto) = 'definitivo' DESC, f.publicada DESC NULLS LAST, f.supuesto
  )
  SELECT p.lista, CASE WHEN p.lista LIKE '69-B%' THEN p.supuesto
    ELSE (SELECT string_agg(DISTINCT f.supuesto, ', ' ORDER BY f.supuesto) FROM fila f WHERE f.lista = p.lista) END,
    p.es_adverso, p.publicada
  FROM peor p
$$;

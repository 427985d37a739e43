-- Whether it speaks against a taxpayer to stand in a file that the SAT publishes, under a word of it. Adverse is what the Código Fiscal de la
-- Federación holds against him today: operations that are presumed not to exist (69-B), losses passed on unduly (69-B Bis), a seal without effect
-- (17-H), taxes owed and not paid, nobody found at his address, a conviction (69, I to IV: with those the State may not contract, 32-D). Not
-- adverse, whatever their word is: a debt that was forgiven or made smaller (69, VI; 21, 74, 146-B), one that the SAT wrote off as not worth
-- collecting or not collectable (69, V; 146-A: it is owed still, nobody demands it, and no row tells which of the two it is), investments brought
-- back by decree, and public bodies that left out a duty. A file that nobody decided on yet is adverse. Proceedings that were won or rebutted clear.
-- supuesto_adverso(supuesto) stays for the processes of the version before.
CREATE OR REPLACE FUNCTION supuesto_adverso(archivo text, supuesto text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN archivo NOT IN ('cancelados', 'cancelados-2007-2015', 'condonados-21', 'condonados-146b', 'condonados-decreto', 'condonados-2007-2015',
    'reduccion-74', 'retorno-inversiones', 'entes-publicos')
  AND lower(supuesto) NOT IN ('desvirtuado', 'sentencia favorable');

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

-- What is noted already follows, and is no change of a list that anybody has to be told of.
UPDATE riesgo_contraparte r SET es_adverso = false
FROM (
  SELECT l.rfc, l.lista FROM lista_actual l WHERE l.lista = '69' AND l.rfc IN (SELECT k.rfc FROM riesgo_contraparte k WHERE k.lista = '69' AND k.es_adverso)
  GROUP BY l.rfc, l.lista HAVING NOT bool_or(l.es_adverso)
) x
WHERE r.rfc = x.rfc AND r.lista = x.lista AND r.es_adverso AND r.salio_en IS NULL;

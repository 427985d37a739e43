-- Of the credits that the SAT wrote off (69, V; 146-A) those of an insolvent debtor are adverse: they are owed still, and he has nothing to take, or
-- was not found. Those not worth collecting, and those whose row does not say which, are information, and so are all from 2007 to 2015, which
-- lapsed. The rest is as in 20261123220600_supuestos_adversos, where the reasons stand.
CREATE OR REPLACE FUNCTION supuesto_adverso(archivo text, supuesto text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN CASE archivo WHEN 'cancelados' THEN supuesto ILIKE '%insolvencia%'
  ELSE archivo NOT IN ('cancelados-2007-2015', 'condonados-21', 'condonados-146b', 'condonados-decreto', 'condonados-2007-2015', 'reduccion-74',
      'retorno-inversiones', 'entes-publicos')
    AND lower(supuesto) NOT IN ('desvirtuado', 'sentencia favorable') END;

-- What is noted already follows, and is no change of a list that anybody has to be told of.
UPDATE riesgo_contraparte r SET es_adverso = x.es_adverso
FROM (
  SELECT l.rfc, l.lista, bool_or(l.es_adverso) AS es_adverso FROM lista_actual l
  WHERE l.lista = '69' AND l.rfc IN (SELECT k.rfc FROM riesgo_contraparte k WHERE k.lista = '69')
  GROUP BY l.rfc, l.lista
) x
WHERE r.rfc = x.rfc AND r.lista = x.lista AND r.es_adverso <> x.es_adverso AND r.salio_en IS NULL;

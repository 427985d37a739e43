-- Who stands on the lists that the SAT publishes now, by RFC, whatever list it is; an RFC may have several rows of one list. Rows whose RFC the
-- SAT hides are not here. `supuesto` is the list's own word, `publicada` the day of that word.
CREATE VIEW lista_actual (lista, rfc, nombre, supuesto, publicada, version_id) AS
  SELECT '69-B'::text, f.rfc, f.nombre,
    CASE f.situacion WHEN 'PRESUNTO' THEN 'Presunto' WHEN 'DESVIRTUADO' THEN 'Desvirtuado' WHEN 'DEFINITIVO' THEN 'Definitivo'
      ELSE 'Sentencia Favorable' END,
    (SELECT max(coalesce(p.paso->>'fechaSat', p.paso->>'fechaDof'))::date FROM jsonb_array_elements(f.historial) AS p (paso)
      WHERE p.paso->>'situacion' = f.situacion),
    f.version_id
  FROM efos_fila f JOIN efos_vigente g ON g.version_id = f.version_id
  WHERE f.rfc IS NOT NULL;

-- The version of each list that is there. Another list joins both views.
CREATE VIEW lista_vigente (lista, version_id) AS SELECT '69-B'::text, g.version_id FROM efos_vigente g;

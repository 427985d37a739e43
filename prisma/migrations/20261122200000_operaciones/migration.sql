-- The operations that exist: a table in place of a check, so that a new one needs no migration. `acuse migrar` adds those that are new. None is
-- taken away: a process of the version before may still know it.
CREATE TABLE operacion (path text PRIMARY KEY);

-- What the check allowed, and with it everything that is switched off now.
INSERT INTO operacion
SELECT (regexp_matches(pg_get_constraintdef(oid), '''([^'']+)''', 'g'))[1]
FROM pg_constraint WHERE conname = 'operacion_deshabilitada_operacion_check';

ALTER TABLE operacion_deshabilitada
  DROP CONSTRAINT operacion_deshabilitada_operacion_check,
  ADD CONSTRAINT operacion_deshabilitada_operacion_fkey FOREIGN KEY (operacion) REFERENCES operacion (path);

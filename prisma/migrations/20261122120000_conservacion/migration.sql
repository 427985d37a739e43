-- A look that says what the one before it said is counted in its row: most events were such.
ALTER TABLE evento ADD COLUMN veces integer NOT NULL DEFAULT 1, ADD COLUMN ultima_en timestamptz(3);
ALTER TABLE evento SET (fillfactor = 90);

-- When the trace of an ended solicitud (parts, packages of the SAT, events) was deleted.
ALTER TABLE solicitud ADD COLUMN rastro_borrado_en timestamptz(3);
CREATE INDEX solicitud_rastro ON solicitud (terminada_en) WHERE objetos_borrados_en IS NOT NULL AND rastro_borrado_en IS NULL;
CREATE INDEX documento_borrado_idx ON documento (borrado_en) WHERE borrado_en IS NOT NULL;
CREATE INDEX latido_visto_en_idx ON latido (visto_en);

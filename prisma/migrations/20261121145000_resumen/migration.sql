-- What the package of a solicitud holds, counted at its assembly. Null for those assembled before, and for those without a package.
ALTER TABLE solicitud ADD COLUMN resumen jsonb;

-- A page of solicitudes, newest first, by account or by taxpayer, and how many there are in each state. Ids are ordered by time.
CREATE INDEX solicitud_cuenta_lista ON solicitud (cuenta_id, estado, tipo, id) INCLUDE (desde, hasta, creada_en);
CREATE INDEX solicitud_contribuyente_lista ON solicitud (contribuyente_id, estado, tipo, id) INCLUDE (desde, hasta, creada_en);
DROP INDEX solicitud_contribuyente_id_creada_en_idx;

-- Filters of a request: equal requests have equal filters.
ALTER TABLE solicitud ADD COLUMN filtros jsonb;
CREATE UNIQUE INDEX solicitud_igual_filtrada ON solicitud (api_key_id, tipo, desde, hasta, formato, coalesce(filtros, '{}'))
  WHERE (estado IN ('EN_PROCESO', 'ESPERA_EFIRMA'));
DROP INDEX solicitud_igual_abierta;

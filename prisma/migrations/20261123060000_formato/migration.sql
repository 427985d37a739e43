-- What the rows of a package are written as. A process of the version before asks for none, and gets csv.
ALTER TABLE solicitud ADD COLUMN formato text NOT NULL DEFAULT 'csv' CHECK (formato IN ('csv', 'xlsx', 'ndjson', 'parquet'));

-- The same period in another format is another request. A process of the version before knows but one of each and answers with any of them.
CREATE UNIQUE INDEX solicitud_igual_abierta_formato ON solicitud (api_key_id, tipo, desde, hasta, formato)
  WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA');
DROP INDEX solicitud_igual_abierta;
ALTER INDEX solicitud_igual_abierta_formato RENAME TO solicitud_igual_abierta;

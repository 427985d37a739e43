-- Subscriptions that keep the XML: which reading brought that of each CFDI, and which CFDI still wait for theirs.
ALTER TABLE sincronizacion ADD COLUMN contenido text DEFAULT 'metadata' NOT NULL,
  ADD CONSTRAINT sincronizacion_contenido_check CHECK (contenido IN ('metadata', 'xml'));
ALTER TABLE cfdi ADD COLUMN xml integer;
CREATE INDEX cfdi_sin_xml ON cfdi (almacen_id, recibido, emitida) WHERE xml IN (0, -1);

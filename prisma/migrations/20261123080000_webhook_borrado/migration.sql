-- A deleted endpoint is off and nobody sees it; its log, of any length, goes in small batches, and the endpoint after it.
ALTER TABLE webhook ADD COLUMN borrado_en timestamptz(3);
ALTER TABLE webhook ADD CHECK (borrado_en IS NULL OR estado = 'APAGADO');
CREATE INDEX webhook_borrado_en_idx ON webhook (borrado_en) WHERE borrado_en IS NOT NULL;

-- What comes to its end is found by its time, and who wants to be told of a low balance by that: neither reads all taxpayers of all accounts.
CREATE INDEX credencial_vigente_hasta_idx ON credencial (vigente_hasta, id) WHERE tipo = 'efirma_cer';
CREATE INDEX api_key_activa_creada_en_idx ON api_key (creada_en, id) WHERE estado = 'ACTIVA';
CREATE INDEX webhook_saldo_bajo_idx ON webhook (id) WHERE estado = 'ACTIVO' AND 'saldo.bajo' = ANY (eventos);
CREATE INDEX webhook_aviso_saldo_bajo_idx ON webhook_aviso (webhook_id) WHERE clave = 'saldo.bajo';

-- Until when it has to be known that an endpoint was told: the end of a certificate, a year for a key, and for a balance as long as it is low.
ALTER TABLE webhook_aviso ADD COLUMN hasta timestamptz(3);
UPDATE webhook_aviso SET hasta = now() + interval '1 year' WHERE clave <> 'saldo.bajo';
CREATE INDEX webhook_aviso_hasta_idx ON webhook_aviso (hasta) WHERE hasta IS NOT NULL;

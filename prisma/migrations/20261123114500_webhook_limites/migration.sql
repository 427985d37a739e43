-- A receiver that fails and for which too much waits is switched off, with a reason of its own.
ALTER TABLE webhook DROP CONSTRAINT webhook_motivo_check;
ALTER TABLE webhook ADD CONSTRAINT webhook_motivo_check CHECK (motivo IN ('USUARIO', 'CONTESTO_410', 'FALLA_DIAS', 'MUCHOS_PENDIENTES'));

-- Those that were given up, for whoever looks for them among all that arrived.
CREATE INDEX webhook_entrega_fallida ON webhook_entrega (webhook_id, secuencia) WHERE estado = 'FALLIDA';

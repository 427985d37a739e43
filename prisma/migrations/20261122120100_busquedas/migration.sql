-- Whether an account has anything of a period, by steps from one first day to the next.
CREATE INDEX solicitud_periodo ON solicitud (cuenta_id, desde, hasta);
-- The end of an id, which is what people read out.
CREATE INDEX solicitud_final ON solicitud (cuenta_id, reverse(id::text) text_pattern_ops);

-- The audit log by time, whatever else is asked; and the few movements that are no charges, by taxpayer.
CREATE INDEX auditoria_en_idx ON auditoria (en);
CREATE INDEX movimiento_no_cargo_rfc_idx ON movimiento (contribuyente_id, tipo, creado_en, id) WHERE tipo <> 'cargo';

-- The operator looks at the refunds that nobody asked for, newest first. Most refunds are others, and need not be read past.
DROP INDEX movimiento_reembolso_creado_en_idx;
CREATE INDEX movimiento_sin_pedir_idx ON movimiento (creado_en, id)
  WHERE tipo = 'reembolso' AND detalle IN ('la llamada quedó sin respuesta', 'PLAZO_AGOTADO');

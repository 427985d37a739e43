-- The calls of one taxpayer to one operation, in their order.
CREATE INDEX movimiento_contribuyente_id_operacion_creado_en_id_idx ON movimiento (contribuyente_id, operacion, creado_en, id);

-- Only purchases name a payment: a charge need not stand in this index.
DROP INDEX movimiento_pago_id_key;
CREATE UNIQUE INDEX movimiento_pago_id_key ON movimiento (pago_id) WHERE pago_id IS NOT NULL;

-- The sums by day are kept once a statement, not once a row: a lot of charges or refunds adds each of its sums up first.
DROP TRIGGER movimiento_cuenta_uso ON movimiento;
CREATE OR REPLACE FUNCTION movimiento_cuenta_uso() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uso_dia AS u (cuenta_id, dia, tipo, operacion, movimientos, importe)
  SELECT n.cuenta_id, (n.creado_en AT TIME ZONE 'America/Mexico_City')::date, n.tipo, coalesce(n.operacion, ''), count(*), sum(n.importe)
  FROM nuevos n GROUP BY 1, 2, 3, 4
  ON CONFLICT (cuenta_id, dia, tipo, operacion)
  DO UPDATE SET movimientos = u.movimientos + excluded.movimientos, importe = u.importe + excluded.importe;
  RETURN NULL;
END $$;
CREATE TRIGGER movimiento_cuenta_uso AFTER INSERT ON movimiento REFERENCING NEW TABLE AS nuevos
  FOR EACH STATEMENT EXECUTE FUNCTION movimiento_cuenta_uso();

-- Risk: counterparties of a store that stand on a list of the SAT.

-- What CFDI of a store there are with a counterparty: those in force, of income and of expense, their pesos, and the newest UUIDs. One counterparty
-- is looked up by an index of each month, however large the store is.
CREATE OR REPLACE FUNCTION contraparte_cfdi(de_almacen integer, de_rfc text, cuantos integer) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH suyo AS MATERIALIZED (
    SELECT x.uuid, x.recibido, x.efecto, x.monto, x.emitida FROM nombrado n CROSS JOIN LATERAL (
      SELECT * FROM cfdi c WHERE c.almacen_id = de_almacen AND c.contraparte_id = n.id AND c.vigente AND c.ausente IS NULL AND c.efecto IN ('I', 'E') OFFSET 0
    ) x WHERE n.almacen_id = de_almacen AND n.rfc = de_rfc
  )
  SELECT jsonb_build_object(
    'total', count(*),
    'recibidos', jsonb_build_object(
      'ingresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE recibido AND efecto = 'I'), 'monto', coalesce(sum(monto) FILTER (WHERE recibido AND efecto = 'I'), 0.00)::text),
      'egresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE recibido AND efecto = 'E'), 'monto', coalesce(sum(monto) FILTER (WHERE recibido AND efecto = 'E'), 0.00)::text)),
    'emitidos', jsonb_build_object(
      'ingresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE NOT recibido AND efecto = 'I'), 'monto', coalesce(sum(monto) FILTER (WHERE NOT recibido AND efecto = 'I'), 0.00)::text),
      'egresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE NOT recibido AND efecto = 'E'), 'monto', coalesce(sum(monto) FILTER (WHERE NOT recibido AND efecto = 'E'), 0.00)::text)),
    'uuids', coalesce((SELECT jsonb_agg(upper(u.uuid::text) ORDER BY u.emitida DESC, u.uuid) FROM (SELECT uuid, emitida FROM suyo ORDER BY emitida DESC, uuid LIMIT cuantos) u), '[]'))
  FROM suyo
$$;

-- The name that a counterparty had last.
CREATE OR REPLACE FUNCTION contraparte_nombre(de_almacen integer, de_rfc text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT n.nombre FROM nombrado n WHERE n.almacen_id = de_almacen AND n.rfc = de_rfc AND n.nombre <> '' ORDER BY n.id DESC LIMIT 1), '')
$$;

CREATE OR REPLACE FUNCTION riesgo_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
BEGIN
  SELECT * INTO s FROM sincronizacion x WHERE x.almacen_id = NEW.almacen_id AND x.estado <> 'BORRADA';
  IF FOUND THEN
    PERFORM webhook_emite(s.cuenta_id, s.rfc, 'proveedor.listado', NULL, jsonb_build_object(
      'modo', (SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id),
      'cambio', CASE NEW.clase WHEN 'E' THEN 'entra' WHEN 'C' THEN 'cambia' ELSE 'sale' END,
      'proveedor_rfc', NEW.rfc, 'proveedor_nombre', contraparte_nombre(NEW.almacen_id, NEW.rfc), 'lista', NEW.lista, 'supuesto', NEW.supuesto,
      'supuesto_anterior', NEW.antes, 'adverso', NEW.es_adverso AND NEW.clase <> 'S', 'publicado_en', NEW.publicada,
      'notado_en', to_char(NEW.en AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'cfdi', contraparte_cfdi(NEW.almacen_id, NEW.rfc, 20)));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER riesgo_avisa AFTER INSERT ON riesgo_cambio FOR EACH ROW EXECUTE FUNCTION riesgo_avisa();

-- What a process may do to the ledger, the audit log and the sums without holding a right to their tables (docs/adr/0026). Each runs with the
-- rights of the owner, so that its search_path is fixed: nobody's table or operator takes the place of ours.

-- Gives back the charges of these calls that were not given back yet, in ledger and balance. Gives the calls whose charge it was.
CREATE FUNCTION libro_devuelve(ops uuid[], por text) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY WITH cargo AS (
    SELECT m.* FROM movimiento m WHERE m.op_id = ANY (ops) AND m.tipo = 'cargo'
      AND NOT EXISTS (SELECT FROM movimiento r WHERE r.op_id = m.op_id AND r.tipo = 'reembolso')
  ), libro AS (
    INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id, detalle)
    SELECT c.cuenta_id, c.contribuyente_id, c.op_id, 'reembolso', -c.importe, c.operacion, c.solicitud_id, por FROM cargo c
    RETURNING movimiento.op_id, movimiento.cuenta_id, movimiento.importe
  ), devuelto AS (
    UPDATE cuenta c SET saldo = c.saldo + d.importe
    FROM (SELECT l.cuenta_id, sum(l.importe)::integer AS importe FROM libro l GROUP BY l.cuenta_id) d WHERE c.id = d.cuenta_id
  )
  SELECT l.op_id FROM libro l;
END $$;

-- Gives an account credits that were bought, or corrects its balance, which is never less than nothing. Gives the balance after it; no row when
-- there is no such account or it has too little.
CREATE FUNCTION libro_abona(a_cuenta uuid, op uuid, que text, creditos integer, pago text, por text) RETURNS SETOF integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  despues integer;
BEGIN
  IF que IS NULL OR que NOT IN ('compra', 'ajuste') THEN
    RAISE EXCEPTION 'charges and refunds are written by their own statements' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE cuenta c SET saldo = c.saldo + creditos WHERE c.id = a_cuenta AND c.saldo + creditos >= 0 RETURNING c.saldo INTO despues;
  IF despues IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id, detalle) VALUES (a_cuenta, op, que, creditos, pago, por);
  RETURN NEXT despues;
END $$;

-- Ends those of these solicitudes that are open, without a package: state, refund in balance and ledger, death of the sealed credential and a line
-- in the timeline. The refund comes before the row is written, since that locks webhooks: accounts are locked before them everywhere.
CREATE FUNCTION solicitudes_terminan(cuales uuid[], en text, por text, con_codigo text)
RETURNS TABLE (id uuid, cuenta_id uuid, contribuyente_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  fin uuid[];
BEGIN
  IF en IS NULL OR en NOT IN ('ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA') THEN
    RAISE EXCEPTION 'a solicitud ends with its package by the statement of the worker that made it' USING ERRCODE = 'insufficient_privilege';
  END IF;
  fin := ARRAY(SELECT s.id FROM solicitud s WHERE s.id = ANY (cuales) AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY s.id FOR NO KEY UPDATE);
  IF cardinality(fin) = 0 THEN
    RETURN;
  END IF;
  PERFORM libro_devuelve(fin, por);
  DELETE FROM credencial_sellada c WHERE c.solicitud_id = ANY (fin);
  DELETE FROM outbox o WHERE o.solicitud_id = ANY (fin);
  INSERT INTO evento (solicitud_id, tipo, codigo, detalle) SELECT f, en, con_codigo, por FROM unnest(fin) f;
  RETURN QUERY UPDATE solicitud s SET estado = en, motivo = por, terminada_en = now(), lease_until = NULL, gen = s.gen + 1, epoch = s.epoch + 1
    WHERE s.id = ANY (fin) RETURNING s.id, s.cuenta_id, s.contribuyente_id;
END $$;

-- Deletes the oldest lines of the audit log, but none that is younger than a year, whoever asks. Gives their ids.
CREATE FUNCTION auditoria_poda(cuantas integer, dias integer) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- The log is written in the order of time: only its beginning can be over.
  RETURN QUERY DELETE FROM auditoria a WHERE a.id = ANY (ARRAY(
    SELECT v.id FROM auditoria v WHERE v.id IN (SELECT x.id FROM auditoria x ORDER BY x.id LIMIT cuantas)
      AND v.en < now() - make_interval(days => greatest(dias, 365)) FOR UPDATE SKIP LOCKED)) RETURNING a.id;
END $$;

-- Tells the planner what a list holds that was loaded just now; only the owner of a table may.
CREATE FUNCTION lista_analiza(cual text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  CASE cual WHEN 'efos_fila' THEN ANALYZE efos_fila; WHEN 'edos_rfc' THEN ANALYZE edos_rfc; END CASE;
END $$;

-- The name that stands in sealed bytes at an offset, length first (packages/vault, keyring.ts and sealed-credencial.ts).
CREATE FUNCTION nombre_sellado(sellado bytea, en integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN length(sellado) > en THEN encode(substring(sellado FROM en + 2 FOR get_byte(sellado, en)), 'escape') END;

-- Under which id of which secret a row is sealed, encrypted or hashed: whoever may look here sees the name of the key and nothing of the row.
CREATE VIEW secreto_en_uso (secreto, que, id) AS
  SELECT 'API_KEY_PEPPERS', 'API keys activas', pepper_version::text FROM api_key WHERE estado = 'ACTIVA'
  UNION ALL SELECT 'KEYRING', 'credenciales guardadas', kid FROM credencial
  UNION ALL SELECT 'KEYRING', 'respuestas guardadas por su Idempotency-Key', nombre_sellado(sobre, 1) FROM idempotencia
    WHERE sobre IS NOT NULL AND creada_en > now() - interval '24 hours'
  UNION ALL SELECT 'WORKER_KEYS', 'copias selladas de solicitudes abiertas', kid FROM credencial_sellada
  UNION ALL SELECT 'WORKER_PSKS', 'copias selladas de solicitudes abiertas',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM credencial_sellada
  UNION ALL SELECT 'SESSION_KEYS', 'sesiones con portales del SAT', nombre_sellado(cookies, 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'pruebas de sesiones con portales del SAT', nombre_sellado(decode(huella, 'base64'), 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'rechazos del SAT recordados', nombre_sellado(decode(huella, 'base64'), 0) FROM rechazo_acceso
  UNION ALL SELECT 'PANEL_SECRETS', 'segundos factores', nombre_sellado(secreto, 0) FROM segundo_factor
  UNION ALL SELECT 'PANEL_SECRETS', 'contraseñas del panel', password_kid FROM usuario
  UNION ALL SELECT 'WEBHOOK_KEYS', 'secretos de webhooks', nombre_sellado(sobre, 0) FROM webhook_secreto;

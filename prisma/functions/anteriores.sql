-- Functions that only the version before calls (permisos-anteriores.sql).

-- As before, but nothing is asked for, nor charged, that the subscription does not hold any more: a kind or a month that was under way when
-- somebody left it out came back with its reading, and was read and charged ever after. And it pauses the subscription itself, under the lock under
-- which it found out why: a pause that came a moment later stopped who had consented anew, or had bought credits, in between.
CREATE OR REPLACE FUNCTION sincronizacion_pide(de uuid, que text, cual date, con_epoch integer, nueva uuid, d date, h date, hoy date, paga integer, plazo timestamptz, a_la_vez integer)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
  pausa text;
BEGIN
  IF paga IS NULL OR paga < 0 OR h > hoy THEN
    RAISE EXCEPTION 'no such reading' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT * INTO s FROM sincronizacion WHERE id = de;
  PERFORM FROM contribuyente c WHERE c.id = s.contribuyente_id FOR SHARE;
  SELECT * INTO s FROM sincronizacion WHERE id = de FOR NO KEY UPDATE;
  PERFORM FROM tramo t WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual AND t.epoch = con_epoch AND t.fase = 'PEDIR' FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'DESPLAZADO';
  END IF;
  IF s.estado <> 'ACTIVA' THEN
    RETURN 'PAUSADA';
  END IF;
  -- The newest days are under the month 0001-01-01.
  IF (que = 'emitidos' AND NOT s.emitidos) OR (que = 'recibidos' AND NOT s.recibidos)
    OR (cual > '0001-01-01' AND cual < date_trunc('month', s.desde)) THEN
    DELETE FROM tramo t WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual;
    RETURN 'DESPLAZADO';
  END IF;
  -- Days that were asked for by the settings before: they are asked for anew by those of now.
  IF d < s.desde THEN
    RETURN 'OCUPADA';
  END IF;
  IF d > h THEN
    RAISE EXCEPTION 'no such reading' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT EXISTS (SELECT FROM consentimiento k WHERE k.sincronizacion_id = de AND k.expira_en > now())
    OR NOT EXISTS (SELECT FROM api_key k WHERE k.id = s.api_key_id AND k.estado = 'ACTIVA') THEN
    pausa := 'SIN_CONSENTIMIENTO';
  ELSIF EXISTS (SELECT FROM credencial c WHERE c.contribuyente_id = s.contribuyente_id AND c.tipo = 'ciec' AND c.rechazada_portal_en IS NOT NULL) THEN
    pausa := 'CIEC_RECHAZADA';
  ELSIF EXISTS (SELECT FROM cuenta c WHERE c.id = s.cuenta_id AND c.suspendida_en IS NOT NULL) THEN
    pausa := 'CUENTA_SUSPENDIDA';
  ELSE
    IF EXISTS (SELECT FROM tramo t WHERE t.sincronizacion_id = de AND t.tipo = que AND t.fase IN ('ESPERAR', 'LEER') AND t.desde <= h AND t.hasta >= d)
      OR (SELECT count(*) FROM tramo t WHERE t.sincronizacion_id = de AND t.fase = 'ESPERAR') >= a_la_vez THEN
      RETURN 'OCUPADA';
    END IF;
    -- Somebody asked for the same himself: two of a kind are not open together.
    IF EXISTS (SELECT FROM solicitud x WHERE x.api_key_id = s.api_key_id AND x.tipo = que AND x.desde = d AND x.hasta = h AND x.formato = 'csv'
      AND x.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')) THEN
      RETURN 'OCUPADA';
    END IF;
    UPDATE cuenta c SET saldo = c.saldo - paga WHERE c.id = s.cuenta_id AND c.saldo >= paga;
    IF NOT FOUND THEN
      pausa := 'SIN_SALDO';
    END IF;
  END IF;
  IF pausa IS NOT NULL THEN
    UPDATE sincronizacion x SET estado = 'PAUSADA', motivo = pausa, pausada_en = now() WHERE x.id = de;
    RETURN pausa;
  END IF;
  INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, costo, rfc, tipo, desde, hasta, formato, canal, deadline_at, sincronizacion_id)
  VALUES (nueva, s.cuenta_id, s.contribuyente_id, s.api_key_id, paga, s.rfc, que, d, h, 'csv', 'portal', plazo, de);
  IF paga > 0 THEN
    INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id)
    VALUES (s.cuenta_id, s.contribuyente_id, nueva, 'cargo', -paga, 'tax/descarga-metadata', nueva);
  END IF;
  INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) VALUES (nueva, 1, 'descargas', s.cuenta_id, now());
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle)
  VALUES (s.cuenta_id, s.contribuyente_id, 'sincronizacion', 'usar-consentimiento', jsonb_build_object('solicitud', nueva));
  UPDATE tramo t SET fase = 'ESPERAR', solicitud_id = nueva, pedido = hoy, desde = d, hasta = h, tomado_hasta = NULL, epoch = t.epoch + 1
  WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual;
  RETURN 'PEDIDA';
END $$;

-- Whether a word of a list speaks against who stands there under it: proceedings that were won or rebutted clear.
CREATE OR REPLACE FUNCTION supuesto_adverso(supuesto text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN lower(supuesto) NOT IN ('desvirtuado', 'sentencia favorable');

-- Readings of subscriptions: what a worker asks for, and what becomes of its charge. A worker may not say which solicitud a tramo waits for.

-- Asks for a tramo that its worker holds under this epoch: accepts its solicitud, with a line in the audit log, or says why not. Nothing is asked for
-- that the subscription does not hold any more. It pauses the subscription itself, under the lock under which it found out why.
CREATE OR REPLACE FUNCTION tramo_pide(de uuid, que text, cual date, con_epoch integer, nueva uuid, d date, h date, hoy date, gratis boolean, plazo timestamptz, a_la_vez integer)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
  con_version bigint;
  pausa text;
  hecho record;
BEGIN
  IF h > hoy THEN
    RAISE EXCEPTION 'no such reading' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SELECT * INTO s FROM sincronizacion WHERE id = de;
  SELECT c.version INTO con_version FROM contribuyente c WHERE c.id = s.contribuyente_id FOR SHARE;
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
  -- Days of the settings before: the worker asks for them again by the settings of now.
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
    SELECT * INTO hecho FROM solicitud_acepta(id => ARRAY[nueva], contribuyente_id => ARRAY[s.contribuyente_id], api_key_id => ARRAY[s.api_key_id],
      version => ARRAY[con_version], tipo => ARRAY[que], desde => ARRAY[d], hasta => ARRAY[h], formato => ARRAY['csv'], canal => ARRAY['portal'],
      gratis => ARRAY[gratis], deadline_at => ARRAY[plazo], expira_en => ARRAY['infinity'::timestamptz], es_lectura => true);
    -- The taxpayer asked for the same: two of a kind are not open together.
    IF hecho.igual IS NOT NULL OR NOT hecho.pase THEN
      RETURN 'OCUPADA';
    END IF;
    IF NOT hecho.aceptada THEN
      pausa := 'SIN_SALDO';
    END IF;
  END IF;
  IF pausa IS NOT NULL THEN
    UPDATE sincronizacion x SET estado = 'PAUSADA', motivo = pausa, pausada_en = now() WHERE x.id = de;
    RETURN pausa;
  END IF;
  UPDATE solicitud x SET sincronizacion_id = de WHERE x.id = nueva;
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle)
  VALUES (s.cuenta_id, s.contribuyente_id, 'sincronizacion', 'usar-consentimiento', jsonb_build_object('solicitud', nueva));
  UPDATE tramo t SET fase = 'ESPERAR', solicitud_id = nueva, pedido = hoy, desde = d, hasta = h, tomado_hasta = NULL, epoch = t.epoch + 1
  WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual;
  RETURN 'PEDIDA';
END $$;

-- Ends the reading of a tramo that its worker holds under this epoch, under a new epoch. A reading that brought nothing that could be merged, or was
-- doubted, is refunded, though its package is there. It is asked for again after so many seconds; without `por` that is no failure. True when it was
-- held.
CREATE OR REPLACE FUNCTION tramo_falla(de uuid, que text, cual date, con_epoch integer, segundos float8, por text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  leida uuid;
BEGIN
  SELECT t.solicitud_id INTO leida FROM tramo t
  WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual AND t.epoch = con_epoch AND t.fase = 'LEER' FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE tramo t SET epoch = t.epoch + 1, tomado_hasta = NULL, solicitud_id = NULL, fase = 'PEDIR', due_at = now() + make_interval(secs => segundos),
    fallos = t.fallos + CASE WHEN por IS NULL THEN 0 ELSE 1 END, motivo = coalesce(por, t.motivo)
  WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual;
  IF NOT EXISTS (SELECT FROM lectura l JOIN sincronizacion s ON s.almacen_id = l.almacen_id
    WHERE s.id = de AND l.solicitud_id = leida AND NOT l.es_dudosa) THEN
    PERFORM libro_devuelve(ARRAY[leida], por);
  END IF;
  RETURN true;
END $$;

-- The package of a tramo is merged: the same, without a refund. `vence` is when it is due again, null for never.
CREATE OR REPLACE FUNCTION tramo_leido(de uuid, que text, cual date, con_epoch integer, vence timestamptz, en_duda integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE tramo t SET epoch = t.epoch + 1, tomado_hasta = NULL, solicitud_id = NULL, fase = CASE WHEN vence IS NULL THEN 'FIN' ELSE 'PEDIR' END,
    due_at = coalesce(vence, t.due_at), lecturas = t.lecturas + 1, fallos = 0, motivo = NULL, por_confirmar = en_duda
  WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual AND t.epoch = con_epoch AND t.fase = 'LEER';
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION tramo_pide, tramo_falla, tramo_leido FROM PUBLIC;

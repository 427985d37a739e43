-- Readings of subscriptions: what a worker asks for, and what becomes of its charge. A worker may not say which solicitud a tramo waits for.

-- Returns the days from `primero` on whose XML is asked for next: the newest days in a row of one month, each with a CFDI in force without XML; CFDI
-- that were not asked for yet come first. A CFDI is asked for twice at most, so no third request is equal. No row: no XML is missing.
CREATE OR REPLACE FUNCTION cfdi_sin_xml(de_almacen integer, que text, primero date) RETURNS TABLE (desde date, hasta date, es_nuevo boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH dia AS (
    SELECT x.emitida::date AS dia, max(x.xml) AS xml FROM cfdi x
    WHERE x.almacen_id = de_almacen AND x.recibido = (que = 'recibidos') AND x.xml IN (0, -1) AND x.emitida >= primero AND x.vigente AND x.ausente IS NULL
    GROUP BY 1
  ), fila AS (
    SELECT d.dia, d.xml, d.dia - (row_number() OVER (ORDER BY d.dia))::integer AS serie FROM dia d WHERE d.xml = (SELECT max(e.xml) FROM dia e)
  )
  SELECT min(f.dia), max(f.dia), max(f.xml) = 0 FROM fila f GROUP BY f.serie, date_trunc('month', f.dia) ORDER BY max(f.dia) DESC LIMIT 1
$$;

-- Asks for a tramo that its worker holds under this epoch: accepts its solicitud, with a line in the audit log, or says why not. Nothing is asked for
-- that the subscription does not hold any more. It pauses the subscription itself, under the lock under which it found out why. The XML are asked for
-- in the days that `cfdi_sin_xml` returns, and with the metadata in the first reading of a period.
CREATE OR REPLACE FUNCTION tramo_pide(de uuid, que text, cual date, con_epoch integer, nueva uuid, d date, h date, hoy date, gratis boolean, plazo timestamptz, a_la_vez integer)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
  con_version bigint;
  pausa text;
  hecho record;
  con_xml boolean;
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
  -- The newest days are under the month 0001-01-01, CFDI that wait for their XML under 0001-02-01.
  IF cual = '0001-02-01' THEN
    SELECT x.desde, x.hasta INTO d, h FROM cfdi_sin_xml(s.almacen_id, que, s.desde) x WHERE s.contenido = 'xml' AND x.hasta <= hoy;
  END IF;
  IF (que = 'emitidos' AND NOT s.emitidos) OR (que = 'recibidos' AND NOT s.recibidos)
    OR (cual > '0001-02-01' AND cual < date_trunc('month', s.desde)) OR d IS NULL THEN
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
    con_xml := s.contenido = 'xml' AND (cual = '0001-02-01' OR NOT EXISTS (
      SELECT FROM tramo t WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual AND t.fallos > 0 UNION ALL
      SELECT FROM lectura l WHERE l.almacen_id = s.almacen_id AND l.tipo = que AND l.desde <= h AND l.hasta >= d));
    SELECT * INTO hecho FROM solicitud_acepta(id => ARRAY[nueva], contribuyente_id => ARRAY[s.contribuyente_id], api_key_id => ARRAY[s.api_key_id],
      version => ARRAY[con_version], tipo => ARRAY[que], desde => ARRAY[d], hasta => ARRAY[h], formato => ARRAY['csv'],
      filtros => CASE WHEN con_xml THEN ARRAY['{"contenido":"xml"}'::jsonb] END, canal => ARRAY['portal'],
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

-- The package of a tramo is merged: the same, without a refund. `vence` is when it is due again, null for never. CFDI that wait for their XML are due
-- at once, a day later when they were asked for in vain, and are no tramo when none waits.
CREATE OR REPLACE FUNCTION tramo_leido(de uuid, que text, cual date, con_epoch integer, vence timestamptz, en_duda integer) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
  falta record;
BEGIN
  UPDATE tramo t SET epoch = t.epoch + 1, tomado_hasta = NULL, solicitud_id = NULL, fase = CASE WHEN vence IS NULL THEN 'FIN' ELSE 'PEDIR' END,
    due_at = coalesce(vence, t.due_at), lecturas = t.lecturas + 1, fallos = 0, motivo = NULL, por_confirmar = en_duda
  WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual AND t.epoch = con_epoch AND t.fase = 'LEER';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT * INTO s FROM sincronizacion WHERE id = de;
  IF s.contenido = 'xml' THEN
    SELECT * INTO falta FROM cfdi_sin_xml(s.almacen_id, que, s.desde);
    IF FOUND THEN
      INSERT INTO tramo (sincronizacion_id, tipo, mes, due_at) VALUES (de, que, '0001-02-01', now() + CASE WHEN falta.es_nuevo THEN '0 s' ELSE '1 day' END::interval)
      ON CONFLICT (sincronizacion_id, tipo, mes) DO UPDATE SET due_at = excluded.due_at WHERE tramo.fase = 'PEDIR' AND tramo.fallos = 0
        AND (cual = '0001-02-01' OR falta.es_nuevo);
    ELSIF cual = '0001-02-01' THEN
      DELETE FROM tramo t WHERE t.sincronizacion_id = de AND t.tipo = que AND t.mes = cual;
    END IF;
  END IF;
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION cfdi_sin_xml, tramo_pide, tramo_falla, tramo_leido FROM PUBLIC;

-- As before, but whether a partition is there is asked of the table of tables: what a session had looked up before it waited for its turn could be
-- a name that nobody had then, and the partition was made twice, which failed.
CREATE OR REPLACE FUNCTION cfdi_meses(desde date, hasta date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  mes date;
  nombre text;
  hechas integer := 0;
BEGIN
  IF hasta < desde OR hasta > desde + 4000 OR desde < '2004-01-01' THEN
    RAISE EXCEPTION 'no such months of CFDI: % to %', desde, hasta USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOR mes IN SELECT generate_series(date_trunc('month', desde::timestamp), hasta, interval '1 month')::date LOOP
    nombre := to_char(mes, '"cfdi_"YYYY"_"MM');
    CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = nombre AND relnamespace = 'public'::regnamespace);
    PERFORM pg_advisory_xact_lock(7211964070);
    CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = nombre AND relnamespace = 'public'::regnamespace);
    EXECUTE format('CREATE TABLE %I (LIKE cfdi INCLUDING ALL)', nombre);
    EXECUTE format('ALTER TABLE cfdi ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', nombre, mes, (mes + interval '1 month')::date);
    hechas := hechas + 1;
  END LOOP;
  RETURN hechas;
END $$;

-- The end of a reading wakes its tramo, whoever ends it; an integrator is not told of each reading as of a request of his own.
CREATE OR REPLACE FUNCTION solicitud_leida() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE tramo SET fase = 'LEER', due_at = now(), tomado_hasta = NULL, epoch = epoch + 1 WHERE solicitud_id = NEW.id AND fase = 'ESPERAR';
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER solicitud_leida AFTER UPDATE OF estado ON solicitud
  FOR EACH ROW WHEN (OLD.estado <> NEW.estado AND NEW.estado NOT IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND NEW.sincronizacion_id IS NOT NULL)
  EXECUTE FUNCTION solicitud_leida();

CREATE OR REPLACE FUNCTION lectura_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
BEGIN
  SELECT * INTO s FROM sincronizacion x WHERE x.almacen_id = NEW.almacen_id AND x.estado <> 'BORRADA';
  IF FOUND THEN
    PERFORM webhook_emite(s.cuenta_id, s.rfc, 'cfdi.cambios', NULL, jsonb_build_object(
      'modo', (SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id), 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta,
      'nuevos', NEW.nuevos, 'cambiados', NEW.cambiados, 'ausentes', NEW.ausentes,
      'cursor', format('%s.%s', right(s.id::text, 12), NEW.despues_de)));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER lectura_avisa AFTER INSERT ON lectura
  FOR EACH ROW WHEN (NEW.nuevos + NEW.cambiados + NEW.ausentes > 0) EXECUTE FUNCTION lectura_avisa();

CREATE OR REPLACE FUNCTION sincronizacion_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, 'sincronizacion.pausada', NULL, jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id), 'motivo', NEW.motivo));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER sincronizacion_avisa AFTER UPDATE OF estado ON sincronizacion
  FOR EACH ROW WHEN (OLD.estado = 'ACTIVA' AND NEW.estado = 'PAUSADA' AND NEW.motivo <> 'PEDIDA') EXECUTE FUNCTION sincronizacion_avisa();

-- As before, but what is under way ends also where the consent was over already: its time had passed, and no step had noticed yet.
CREATE OR REPLACE FUNCTION sincronizacion_revoca(de_contribuyente uuid, por text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  cuales uuid[];
  en_curso uuid[];
  quitados integer;
BEGIN
  PERFORM FROM cuenta c WHERE c.id = (SELECT d.cuenta_id FROM contribuyente d WHERE d.id = de_contribuyente)
    AND EXISTS (SELECT FROM sincronizacion s WHERE s.contribuyente_id = de_contribuyente AND s.estado <> 'BORRADA') FOR NO KEY UPDATE;
  cuales := ARRAY(SELECT s.id FROM sincronizacion s WHERE s.contribuyente_id = de_contribuyente AND s.estado <> 'BORRADA' ORDER BY s.id FOR NO KEY UPDATE);
  IF cardinality(cuales) = 0 THEN
    RETURN 0;
  END IF;
  DELETE FROM consentimiento k WHERE k.sincronizacion_id = ANY (cuales);
  GET DIAGNOSTICS quitados = ROW_COUNT;
  en_curso := ARRAY(SELECT x.id FROM solicitud x WHERE x.sincronizacion_id = ANY (cuales) AND x.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA'));
  IF quitados = 0 AND cardinality(en_curso) = 0 THEN
    RETURN 0;
  END IF;
  PERFORM solicitudes_terminan(en_curso, 'CANCELADA', 'CONSENTIMIENTO_REVOCADO', por);
  UPDATE sincronizacion s SET estado = 'PAUSADA', motivo = por, pausada_en = now() WHERE s.id = ANY (cuales);
  RETURN cardinality(cuales);
END $$;

CREATE OR REPLACE FUNCTION credencial_revoca() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM sincronizacion_revoca(OLD.contribuyente_id, 'CIEC_CAMBIADA');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER credencial_borrada_revoca AFTER DELETE ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'ciec') EXECUTE FUNCTION credencial_revoca();
CREATE OR REPLACE TRIGGER credencial_revoca AFTER UPDATE OF creada_en ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'ciec' AND OLD.creada_en IS DISTINCT FROM NEW.creada_en) EXECUTE FUNCTION credencial_revoca();

CREATE OR REPLACE FUNCTION llave_revoca() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM sincronizacion_revoca(OLD.contribuyente_id, 'LLAVE_CAMBIADA');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER llave_revoca AFTER UPDATE OF estado ON api_key
  FOR EACH ROW WHEN (OLD.estado = 'ACTIVA' AND NEW.estado <> 'ACTIVA') EXECUTE FUNCTION llave_revoca();

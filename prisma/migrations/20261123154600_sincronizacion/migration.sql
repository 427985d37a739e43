-- A taxpayer whose CFDI are kept up to date by readings that nobody has to ask for. At most one a taxpayer.
CREATE TABLE sincronizacion (
  id uuid PRIMARY KEY,
  cuenta_id uuid NOT NULL REFERENCES cuenta (id),
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id),
  api_key_id text NOT NULL,
  rfc text NOT NULL,
  almacen_id integer NOT NULL UNIQUE REFERENCES almacen (id),
  emitidos boolean NOT NULL,
  recibidos boolean NOT NULL,
  desde date NOT NULL,
  frecuencia text NOT NULL CHECK (frecuencia IN ('DIARIA', 'SEMANAL')),
  -- Minute of the day, of central Mexico, at which its readings are due.
  minuto smallint NOT NULL CHECK (minuto BETWEEN 0 AND 1439),
  estado text NOT NULL DEFAULT 'ACTIVA' CHECK (estado IN ('ACTIVA', 'PAUSADA', 'BORRADA')),
  -- Why it is paused, and since when.
  motivo text,
  pausada_en timestamptz(3),
  creada_en timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (emitidos OR recibidos),
  CHECK ((estado = 'PAUSADA') = (pausada_en IS NOT NULL)),
  CHECK (estado <> 'PAUSADA' OR motivo IS NOT NULL)
);
CREATE UNIQUE INDEX sincronizacion_viva ON sincronizacion (contribuyente_id) WHERE estado <> 'BORRADA';
CREATE INDEX sincronizacion_cuenta ON sincronizacion (cuenta_id, id);

-- The CIEC sealed to the workers for one subscription, for a stated purpose and time. Without it nothing is asked for.
CREATE TABLE consentimiento (
  sincronizacion_id uuid PRIMARY KEY REFERENCES sincronizacion (id),
  kid text NOT NULL,
  sobre bytea NOT NULL,
  finalidad text NOT NULL CHECK (length(finalidad) BETWEEN 1 AND 200),
  otorgado_por text NOT NULL,
  otorgado_en timestamptz(3) NOT NULL DEFAULT now(),
  expira_en timestamptz(3) NOT NULL,
  -- As much as the annual cycle of a return takes, and a month to renew it.
  CHECK (expira_en <= otorgado_en + interval '13 months 1 day')
);
CREATE INDEX consentimiento_expira ON consentimiento (expira_en);

-- A period of a subscription that is read as a whole: the newest days, or a calendar month (`mes`, its first day).
CREATE TABLE tramo (
  sincronizacion_id uuid NOT NULL REFERENCES sincronizacion (id),
  tipo text NOT NULL CHECK (tipo IN ('emitidos', 'recibidos')),
  mes date NOT NULL,
  -- What is due: to ask the SAT, to wait for its answer, to merge it; or nothing more.
  fase text NOT NULL DEFAULT 'PEDIR' CHECK (fase IN ('PEDIR', 'ESPERAR', 'LEER', 'FIN')),
  due_at timestamptz(3) NOT NULL,
  epoch integer NOT NULL DEFAULT 0,
  tomado_hasta timestamptz(3),
  solicitud_id uuid,
  -- The day on which it was asked for last, and the period.
  pedido date,
  desde date,
  hasta date,
  lecturas integer NOT NULL DEFAULT 0,
  -- Failures since it was read last, and why the last one was.
  fallos integer NOT NULL DEFAULT 0,
  motivo text,
  PRIMARY KEY (sincronizacion_id, tipo, mes),
  CHECK ((fase IN ('ESPERAR', 'LEER')) = (solicitud_id IS NOT NULL))
);
-- The newest days move: they are under a month that there never was.
COMMENT ON COLUMN tramo.mes IS '0001-01-01: the newest days';
CREATE INDEX tramo_due ON tramo (due_at) WHERE fase IN ('PEDIR', 'LEER');
CREATE INDEX tramo_solicitud ON tramo (solicitud_id) WHERE solicitud_id IS NOT NULL;

ALTER TABLE solicitud ADD COLUMN sincronizacion_id uuid;
ALTER TABLE solicitud DROP CONSTRAINT solicitud_motivo_check;
ALTER TABLE solicitud ADD CONSTRAINT solicitud_motivo_check CHECK (motivo IN (
  'NO_RESPONDE', 'TIEMPO_AGOTADO', 'RESPUESTA_ILEGIBLE', 'SERVICIO_CON_ERROR', 'CORTACIRCUITOS_ABIERTO', 'OCUPADO',
  'CAPTCHA_RECHAZADO', 'SIN_RESOLVEDOR_DE_CAPTCHA', 'CIEC_RECHAZADA', 'EFIRMA_RECHAZADA', 'CANAL_DESACTIVADO',
  'PETICION_RECHAZADA', 'HOST_NO_PERMITIDO', 'CANCELADA', 'SAT_RECHAZADA', 'SAT_ERROR', 'SAT_VENCIDA',
  'SAT_DESCONOCIDA', 'PLAZO_AGOTADO', 'CREDENCIAL_NO_DISPONIBLE', 'PAQUETE_SAT_INVALIDO', 'PAQUETE_SAT_AGOTADO',
  'SOLICITUDES_AGOTADAS', 'SAT_RECHAZO_LA_SOLICITUD', 'DEMASIADOS_CFDI_POR_SEGUNDO', 'API_KEY_REVOCADA', 'CONSENTIMIENTO_REVOCADO',
  'CANCELADA_POR_EL_CLIENTE', 'VACIA_SIN_CONFIRMAR', 'EFIRMA_EXPIRADA'
));
CREATE INDEX solicitud_sincronizacion ON solicitud (sincronizacion_id) WHERE sincronizacion_id IS NOT NULL AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA');

-- The end of a reading wakes its tramo, whoever ends it; an integrator is not told of each reading as of a request of his own.
CREATE FUNCTION solicitud_leida() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE tramo SET fase = 'LEER', due_at = now(), tomado_hasta = NULL, epoch = epoch + 1 WHERE solicitud_id = NEW.id AND fase = 'ESPERAR';
  RETURN NULL;
END $$;
CREATE TRIGGER solicitud_leida AFTER UPDATE OF estado ON solicitud
  FOR EACH ROW WHEN (OLD.estado <> NEW.estado AND NEW.estado NOT IN ('EN_PROCESO', 'ESPERA_EFIRMA') AND NEW.sincronizacion_id IS NOT NULL)
  EXECUTE FUNCTION solicitud_leida();
DROP TRIGGER solicitud_avisa ON solicitud;
CREATE TRIGGER solicitud_avisa AFTER UPDATE OF estado ON solicitud
  FOR EACH ROW WHEN (OLD.estado <> NEW.estado AND NEW.sincronizacion_id IS NULL
    AND NEW.estado IN ('TERMINADA', 'ESPERA_EFIRMA', 'ERROR', 'RECHAZADA', 'VENCIDA'))
  EXECUTE FUNCTION solicitud_avisa();

-- Asks for a tramo that its worker holds under this epoch: charge, solicitud, line in the ledger and in the audit log, ring. Says why not. A
-- subscription has at most `a_la_vez` readings under way, and none that overlap: what is missing from one would be what the other brought.
CREATE FUNCTION sincronizacion_pide(de uuid, que text, cual date, con_epoch integer, nueva uuid, d date, h date, hoy date, paga integer, plazo timestamptz, a_la_vez integer)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
BEGIN
  IF paga IS NULL OR paga < 0 OR d > h OR h > hoy THEN
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
  IF NOT EXISTS (SELECT FROM consentimiento k WHERE k.sincronizacion_id = de AND k.expira_en > now())
    OR NOT EXISTS (SELECT FROM api_key k WHERE k.id = s.api_key_id AND k.estado = 'ACTIVA') THEN
    RETURN 'SIN_CONSENTIMIENTO';
  END IF;
  IF EXISTS (SELECT FROM credencial c WHERE c.contribuyente_id = s.contribuyente_id AND c.tipo = 'ciec' AND c.rechazada_portal_en IS NOT NULL) THEN
    RETURN 'CIEC_RECHAZADA';
  END IF;
  IF EXISTS (SELECT FROM cuenta c WHERE c.id = s.cuenta_id AND c.suspendida_en IS NOT NULL) THEN
    RETURN 'CUENTA_SUSPENDIDA';
  END IF;
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
    RETURN 'SIN_SALDO';
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

-- Ends the consents of a taxpayer, for good: the copies of his CIEC go, what is under way with them ends with a refund, and nothing is asked for
-- until he consents anew. Called by whoever changes key or CIEC, in that very transaction.
CREATE FUNCTION sincronizacion_revoca(de_contribuyente uuid, por text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  cuales uuid[];
BEGIN
  cuales := ARRAY(SELECT s.id FROM sincronizacion s WHERE s.contribuyente_id = de_contribuyente AND s.estado <> 'BORRADA' ORDER BY s.id FOR NO KEY UPDATE);
  IF cardinality(cuales) = 0 THEN
    RETURN 0;
  END IF;
  DELETE FROM consentimiento k WHERE k.sincronizacion_id = ANY (cuales);
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  UPDATE sincronizacion s SET estado = 'PAUSADA', motivo = por, pausada_en = now() WHERE s.id = ANY (cuales);
  PERFORM solicitudes_terminan(ARRAY(SELECT x.id FROM solicitud x WHERE x.sincronizacion_id = ANY (cuales) AND x.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')),
    'CANCELADA', 'CONSENTIMIENTO_REVOCADO', por);
  RETURN cardinality(cuales);
END $$;

CREATE FUNCTION credencial_revoca() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM sincronizacion_revoca(OLD.contribuyente_id, 'CIEC_CAMBIADA');
  RETURN NULL;
END $$;
-- A CIEC that is stored anew has another time; one that is only sealed under another key has not.
CREATE TRIGGER credencial_revoca AFTER UPDATE OF creada_en ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'ciec' AND OLD.creada_en IS DISTINCT FROM NEW.creada_en) EXECUTE FUNCTION credencial_revoca();
CREATE TRIGGER credencial_borrada_revoca AFTER DELETE ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'ciec') EXECUTE FUNCTION credencial_revoca();

CREATE FUNCTION llave_revoca() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM sincronizacion_revoca(OLD.contribuyente_id, 'LLAVE_CAMBIADA');
  RETURN NULL;
END $$;
CREATE TRIGGER llave_revoca AFTER UPDATE OF estado ON api_key
  FOR EACH ROW WHEN (OLD.estado = 'ACTIVA' AND NEW.estado <> 'ACTIVA') EXECUTE FUNCTION llave_revoca();

CREATE OR REPLACE VIEW secreto_en_uso (secreto, que, id) AS
  SELECT 'API_KEY_PEPPERS', 'API keys activas', pepper_version::text FROM api_key WHERE estado = 'ACTIVA'
  UNION ALL SELECT 'KEYRING', 'credenciales guardadas', kid FROM credencial
  UNION ALL SELECT 'KEYRING', 'respuestas guardadas por su Idempotency-Key', nombre_sellado(sobre, 1) FROM idempotencia
    WHERE sobre IS NOT NULL AND creada_en > now() - interval '24 hours'
  UNION ALL SELECT 'WORKER_KEYS', 'copias selladas de solicitudes abiertas', kid FROM credencial_sellada
  UNION ALL SELECT 'WORKER_PSKS', 'copias selladas de solicitudes abiertas',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM credencial_sellada
  UNION ALL SELECT 'WORKER_KEYS', 'consentimientos de sincronizaciones', kid FROM consentimiento
  UNION ALL SELECT 'WORKER_PSKS', 'consentimientos de sincronizaciones',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM consentimiento
  UNION ALL SELECT 'SESSION_KEYS', 'sesiones con portales del SAT', nombre_sellado(cookies, 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'pruebas de sesiones con portales del SAT', nombre_sellado(decode(huella, 'base64'), 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'rechazos del SAT recordados', nombre_sellado(decode(huella, 'base64'), 0) FROM rechazo_acceso
  UNION ALL SELECT 'PANEL_SECRETS', 'segundos factores', nombre_sellado(secreto, 0) FROM segundo_factor
  UNION ALL SELECT 'PANEL_SECRETS', 'contraseñas del panel', password_kid FROM usuario
  UNION ALL SELECT 'WEBHOOK_KEYS', 'secretos de webhooks', nombre_sellado(sobre, 0) FROM webhook_secreto;

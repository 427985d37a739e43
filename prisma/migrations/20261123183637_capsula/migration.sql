-- What an e.firma signs beforehand for one solicitud, so that it can be looked at and fetched at the SAT after the hour of the key, where its
-- caller asked for it (docs/adr/0033). It is there only while the solicitud is being worked on under the key and the e.firma that it was made
-- with, and 72 hours at the most.
ALTER TABLE solicitud ADD COLUMN capsula boolean NOT NULL DEFAULT false;

CREATE TABLE capsula (
  solicitud_id uuid PRIMARY KEY REFERENCES solicitud (id) ON DELETE CASCADE,
  kid text NOT NULL,
  sobre bytea NOT NULL CHECK (length(sobre) <= 4000000),
  -- The requests at the SAT that it is for.
  folios text[] NOT NULL CHECK (cardinality(folios) > 0),
  hecha_en timestamptz(3) NOT NULL DEFAULT now(),
  expira_en timestamptz(3) NOT NULL CHECK (expira_en <= hecha_en + interval '72 hours 10 minutes')
);
-- Sealed bytes do not compress.
ALTER TABLE capsula ALTER COLUMN sobre SET STORAGE EXTERNAL;
CREATE INDEX capsula_expira ON capsula (expira_en);

-- It dies in the transaction of whatever ends its reason: the solicitud ends, waits for the e.firma or goes on at the other channel; the API key
-- ends; another e.firma is stored, or the one that there was is deleted.
CREATE FUNCTION capsula_de_solicitud_muere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM capsula c WHERE c.solicitud_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER capsula_de_solicitud_muere AFTER UPDATE OF estado, canal ON solicitud
  FOR EACH ROW WHEN (OLD.capsula AND (NEW.estado <> 'EN_PROCESO' OR OLD.canal <> NEW.canal)) EXECUTE FUNCTION capsula_de_solicitud_muere();

CREATE FUNCTION capsula_de_llave_muere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM capsula c USING solicitud s WHERE s.id = c.solicitud_id AND s.api_key_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER capsula_de_llave_muere AFTER UPDATE OF estado ON api_key
  FOR EACH ROW WHEN (OLD.estado = 'ACTIVA' AND NEW.estado <> 'ACTIVA') EXECUTE FUNCTION capsula_de_llave_muere();

CREATE FUNCTION capsula_de_efirma_muere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM capsula c USING solicitud s WHERE s.id = c.solicitud_id AND s.contribuyente_id = OLD.contribuyente_id;
  RETURN NULL;
END $$;
CREATE TRIGGER capsula_de_efirma_muere AFTER UPDATE OF no_serie ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'efirma_cer' AND OLD.no_serie IS DISTINCT FROM NEW.no_serie) EXECUTE FUNCTION capsula_de_efirma_muere();
CREATE TRIGGER capsula_de_efirma_borrada_muere AFTER DELETE ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'efirma_cer') EXECUTE FUNCTION capsula_de_efirma_muere();

ALTER TABLE evento DROP CONSTRAINT evento_tipo_check;
ALTER TABLE evento ADD CONSTRAINT evento_tipo_check CHECK (tipo IN (
  'ACEPTADA', 'SOLICITADA', 'CAPSULA_HECHA', 'SIN_CFDI', 'VACIA_POR_CONFIRMAR', 'VACIA_CONFIRMADA', 'VACIA_SIN_CONFIRMAR', 'REPETIDA',
  'DIVIDIDA', 'SAT_EN_PROCESO', 'SAT_TERMINADA', 'SAT_SIN_RESPUESTA', 'REENVIADA', 'OTRO_CANAL', 'CANAL_CAIDO',
  'SIN_EFIRMA', 'PAQUETE_GUARDADO', 'PAQUETE_ILEGIBLE', 'FALLO_INTERNO', 'ESPERA_EFIRMA', 'REANUDADA', 'TERMINADA',
  'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA'
)) NOT VALID;

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
  UNION ALL SELECT 'WORKER_KEYS', 'cápsulas de solicitudes abiertas', kid FROM capsula
  UNION ALL SELECT 'WORKER_PSKS', 'cápsulas de solicitudes abiertas',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM capsula
  UNION ALL SELECT 'SESSION_KEYS', 'sesiones con portales del SAT', nombre_sellado(cookies, 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'pruebas de sesiones con portales del SAT', nombre_sellado(decode(huella, 'base64'), 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'rechazos del SAT recordados', nombre_sellado(decode(huella, 'base64'), 0) FROM rechazo_acceso
  UNION ALL SELECT 'PANEL_SECRETS', 'segundos factores', nombre_sellado(secreto, 0) FROM segundo_factor
  UNION ALL SELECT 'PANEL_SECRETS', 'contraseñas del panel', password_kid FROM usuario
  UNION ALL SELECT 'WEBHOOK_KEYS', 'secretos de webhooks', nombre_sellado(sobre, 0) FROM webhook_secreto;

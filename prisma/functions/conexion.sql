-- Connections: a taxpayer hands the CIEC to one API key by a link.

CREATE OR REPLACE FUNCTION conexion_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, 'conexion.completada', NULL, jsonb_build_object('modo', NEW.modo, 'conexion_id', NEW.id,
    'hasta', to_char(NEW.hasta AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER conexion_avisa AFTER UPDATE OF estado ON conexion
  FOR EACH ROW WHEN (OLD.estado <> 'CONECTADA' AND NEW.estado = 'CONECTADA') EXECUTE FUNCTION conexion_avisa();

-- The stored CIEC went or was replaced: the connection is over.
CREATE OR REPLACE FUNCTION conexion_acaba() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE conexion c SET estado = 'TERMINADA', terminada_en = now() WHERE c.id = OLD.id AND c.estado = 'CONECTADA';
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER conexion_acaba AFTER DELETE ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'ciec') EXECUTE FUNCTION conexion_acaba();
CREATE OR REPLACE TRIGGER conexion_acaba_cambiada AFTER UPDATE OF id ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'ciec' AND OLD.id <> NEW.id) EXECUTE FUNCTION conexion_acaba();

-- Stores the CIEC that a worker verified, in place of the earlier one, and ends the connection's own copies. False when the connection was revoked or
-- the API key died meanwhile: nothing is stored then.
CREATE OR REPLACE FUNCTION conexion_guarda(de uuid, con_kid text, con_sobre bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c conexion;
BEGIN
  PERFORM FROM contribuyente t WHERE t.id = (SELECT x.contribuyente_id FROM conexion x WHERE x.id = de) FOR NO KEY UPDATE;
  SELECT * INTO c FROM conexion x WHERE x.id = de AND x.estado = 'VERIFICADA' FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF c.hasta <= now() OR NOT EXISTS (SELECT FROM api_key k WHERE k.id = c.api_key_id AND k.contribuyente_id = c.contribuyente_id AND k.estado = 'ACTIVA') THEN
    UPDATE conexion x SET estado = 'FALLIDA', motivo = 'LLAVE_CAMBIADA', terminada_en = now(), boleto = NULL, sobre = NULL, sellada = NULL WHERE x.id = de;
    RETURN false;
  END IF;
  INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, expira_en, advertencias)
  VALUES (c.id, c.contribuyente_id, c.api_key_id, 'ciec', con_kid, con_sobre, c.hasta, '{}')
  ON CONFLICT (contribuyente_id, tipo) DO UPDATE SET id = excluded.id, api_key_id = excluded.api_key_id, kid = excluded.kid, sobre = excluded.sobre,
    expira_en = excluded.expira_en, rechazada_soap_en = NULL, rechazada_portal_en = NULL, creada_en = now();
  UPDATE conexion x SET estado = 'CONECTADA', motivo = NULL, conectada_en = now(), boleto = NULL, sobre = NULL, sellada = NULL WHERE x.id = de;
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle)
  VALUES (c.cuenta_id, c.contribuyente_id, 'conexion:' || c.id, 'conectar-conexion', jsonb_build_object('conexion', c.id, 'solicitante', c.solicitante));
  RETURN true;
END $$;

-- Ends a connection and what uses its CIEC: the stored one, consents of subscriptions (by the trigger of the stored one), sealed copies with their
-- requests, and sessions with the portals. False when it was over.
CREATE OR REPLACE FUNCTION conexion_revoca(de uuid, quien text, desde text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c conexion;
BEGIN
  PERFORM FROM contribuyente t WHERE t.id = (SELECT x.contribuyente_id FROM conexion x WHERE x.id = de) FOR NO KEY UPDATE;
  SELECT * INTO c FROM conexion x WHERE x.id = de AND x.estado IN ('PENDIENTE', 'VERIFICANDO', 'VERIFICADA', 'CONECTADA') FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE conexion x SET estado = 'REVOCADA', terminada_en = now(), boleto = NULL, sobre = NULL, sellada = NULL WHERE x.id = de;
  IF c.estado = 'CONECTADA' THEN
    PERFORM solicitudes_terminan(ARRAY(SELECT s.id FROM solicitud s JOIN credencial_sellada l ON l.solicitud_id = s.id AND l.tipo = 'ciec'
      WHERE s.contribuyente_id = c.contribuyente_id AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')), 'CANCELADA', 'CONSENTIMIENTO_REVOCADO', NULL);
    DELETE FROM credencial k WHERE k.id = de;
    UPDATE sesion_portal p SET por_cerrar = true WHERE p.rfc IN (c.rfc, 'pruebas:' || c.rfc) AND p.tipo = 'ciec';
  END IF;
  INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle, ip)
  VALUES (c.cuenta_id, c.contribuyente_id, quien, 'revocar-conexion', jsonb_build_object('conexion', c.id), desde);
  RETURN true;
END $$;

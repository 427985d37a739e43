-- Webhooks: events, and the deliveries that they make.

-- Says that there is something to send, to whoever listens.
CREATE OR REPLACE FUNCTION webhook_despierta() RETURNS void LANGUAGE sql AS $$ SELECT pg_notify('acuse_webhooks', '') $$;

-- Writes an event for these endpoints, which its caller has locked in the order of their ids. Their numbers follow the order of commits: whoever
-- writes the next one waits for this one.
CREATE OR REPLACE FUNCTION webhook_anota(destinos uuid[], de_cuenta uuid, de_rfc text, de_tipo text, de_solicitud uuid, con jsonb) RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  evento uuid := gen_random_uuid();
BEGIN
  INSERT INTO webhook_evento (id, cuenta_id, rfc, tipo, solicitud_id, datos) VALUES (evento, de_cuenta, de_rfc, de_tipo, de_solicitud, con);
  WITH numerado AS (UPDATE webhook SET secuencia = secuencia + 1 WHERE id = ANY (destinos) RETURNING id, secuencia)
  INSERT INTO webhook_entrega (webhook_id, evento_id, secuencia) SELECT id, evento, secuencia FROM numerado;
  PERFORM webhook_despierta();
  RETURN evento;
END $$;

-- The same for every endpoint that wants it: of this account, this RFC and this type.
CREATE OR REPLACE FUNCTION webhook_emite(de_cuenta uuid, de_rfc text, de_tipo text, de_solicitud uuid, con jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  destinos uuid[];
BEGIN
  SELECT array_agg(id) INTO destinos FROM (
    SELECT id FROM webhook
    WHERE cuenta_id = de_cuenta AND estado = 'ACTIVO' AND de_tipo = ANY (eventos) AND (rfcs = '{}' OR de_rfc = ANY (rfcs))
    ORDER BY id FOR NO KEY UPDATE
  ) d;
  IF destinos IS NOT NULL THEN
    PERFORM webhook_anota(destinos, de_cuenta, de_rfc, de_tipo, de_solicitud, con);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION solicitud_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  que text := CASE NEW.estado WHEN 'TERMINADA' THEN 'solicitud.terminada' WHEN 'ESPERA_EFIRMA' THEN 'solicitud.espera_efirma' ELSE 'solicitud.fallida' END;
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, que, NEW.id, jsonb_build_object('estado', NEW.estado, 'motivo', NEW.motivo));
  IF NEW.estado <> 'ESPERA_EFIRMA' THEN
    PERFORM correo_emite(NEW.cuenta_id, que, jsonb_build_object(
      'rfc', NEW.rfc, 'modo', NEW.modo, 'solicitud_id', NEW.id, 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta)
      || CASE WHEN NEW.contrapartes_adversas > 0 THEN jsonb_build_object('contrapartes_adversas', NEW.contrapartes_adversas) ELSE '{}' END);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER solicitud_avisa AFTER UPDATE OF estado ON solicitud
  FOR EACH ROW WHEN (OLD.estado <> NEW.estado AND NEW.sincronizacion_id IS NULL
    AND NEW.estado IN ('TERMINADA', 'ESPERA_EFIRMA', 'ERROR', 'RECHAZADA', 'VENCIDA'))
  EXECUTE FUNCTION solicitud_avisa();

-- As before, without their mails.
CREATE OR REPLACE FUNCTION credencial_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  dueno contribuyente;
BEGIN
  SELECT * INTO dueno FROM contribuyente WHERE id = NEW.contribuyente_id;
  PERFORM webhook_emite(dueno.cuenta_id, dueno.rfc, 'credencial.rechazada', NULL, jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id),
    'credencial', CASE NEW.tipo WHEN 'ciec' THEN 'ciec' ELSE 'efirma' END,
    'canal', CASE WHEN OLD.rechazada_soap_en IS NULL AND NEW.rechazada_soap_en IS NOT NULL THEN 'soap' ELSE 'portal' END));
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER credencial_avisa AFTER UPDATE OF rechazada_soap_en, rechazada_portal_en ON credencial
  FOR EACH ROW WHEN ((OLD.rechazada_soap_en IS NULL AND NEW.rechazada_soap_en IS NOT NULL)
    OR (OLD.rechazada_portal_en IS NULL AND NEW.rechazada_portal_en IS NOT NULL))
  EXECUTE FUNCTION credencial_avisa();

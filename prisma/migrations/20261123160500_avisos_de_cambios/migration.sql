-- Webhooks tell of what a subscription found, and of one that paused by itself.
ALTER TABLE webhook DROP CONSTRAINT webhook_eventos_check;
ALTER TABLE webhook ADD CONSTRAINT webhook_eventos_check CHECK (cardinality(eventos) > 0 AND eventos <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada']);

ALTER TABLE usuario DROP CONSTRAINT usuario_avisos_apagados_check;
ALTER TABLE usuario ADD CONSTRAINT usuario_avisos_apagados_check CHECK (avisos_apagados <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada']);
ALTER TABLE correo DROP CONSTRAINT correo_tipo_check;
ALTER TABLE correo ADD CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada',
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada'));

-- The number of the last change before this reading: those after it are this one's.
ALTER TABLE lectura ADD COLUMN despues_de bigint NOT NULL DEFAULT 0;

CREATE FUNCTION lectura_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
  dato jsonb;
BEGIN
  SELECT * INTO s FROM sincronizacion x WHERE x.almacen_id = NEW.almacen_id AND x.estado <> 'BORRADA';
  IF FOUND THEN
    dato := jsonb_build_object('modo', (SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id), 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta,
      'nuevos', NEW.nuevos, 'cambiados', NEW.cambiados, 'ausentes', NEW.ausentes);
    PERFORM webhook_emite(s.cuenta_id, s.rfc, 'cfdi.cambios', NULL, dato || jsonb_build_object('cursor', format('%s.%s', right(s.id::text, 12), NEW.despues_de)));
    PERFORM correo_emite(s.cuenta_id, 'cfdi.cambios', dato || jsonb_build_object('rfc', s.rfc));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER lectura_avisa AFTER INSERT ON lectura
  FOR EACH ROW WHEN (NEW.nuevos + NEW.cambiados + NEW.ausentes > 0) EXECUTE FUNCTION lectura_avisa();

CREATE FUNCTION sincronizacion_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  dato jsonb := jsonb_build_object('modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id), 'motivo', NEW.motivo);
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, 'sincronizacion.pausada', NULL, dato);
  PERFORM correo_emite(NEW.cuenta_id, 'sincronizacion.pausada', dato || jsonb_build_object('rfc', NEW.rfc));
  RETURN NULL;
END $$;
CREATE TRIGGER sincronizacion_avisa AFTER UPDATE OF estado ON sincronizacion
  FOR EACH ROW WHEN (OLD.estado = 'ACTIVA' AND NEW.estado = 'PAUSADA' AND NEW.motivo <> 'PEDIDA') EXECUTE FUNCTION sincronizacion_avisa();

-- As before, with the account locked before any webhook, as everywhere.
CREATE OR REPLACE FUNCTION sincronizacion_revoca(de_contribuyente uuid, por text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  cuales uuid[];
BEGIN
  PERFORM FROM cuenta c WHERE c.id = (SELECT d.cuenta_id FROM contribuyente d WHERE d.id = de_contribuyente)
    AND EXISTS (SELECT FROM sincronizacion s WHERE s.contribuyente_id = de_contribuyente AND s.estado <> 'BORRADA') FOR NO KEY UPDATE;
  cuales := ARRAY(SELECT s.id FROM sincronizacion s WHERE s.contribuyente_id = de_contribuyente AND s.estado <> 'BORRADA' ORDER BY s.id FOR NO KEY UPDATE);
  IF cardinality(cuales) = 0 THEN
    RETURN 0;
  END IF;
  DELETE FROM consentimiento k WHERE k.sincronizacion_id = ANY (cuales);
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  PERFORM solicitudes_terminan(ARRAY(SELECT x.id FROM solicitud x WHERE x.sincronizacion_id = ANY (cuales) AND x.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')),
    'CANCELADA', 'CONSENTIMIENTO_REVOCADO', por);
  UPDATE sincronizacion s SET estado = 'PAUSADA', motivo = por, pausada_en = now() WHERE s.id = ANY (cuales);
  RETURN cardinality(cuales);
END $$;

-- The mail of an end says how many counterparties of the package stand on a published list under a word that speaks against them.
CREATE OR REPLACE FUNCTION solicitud_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  que text := CASE NEW.estado WHEN 'TERMINADA' THEN 'solicitud.terminada' WHEN 'ESPERA_EFIRMA' THEN 'solicitud.espera_efirma' ELSE 'solicitud.fallida' END;
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, que, NEW.id, jsonb_build_object('estado', NEW.estado, 'motivo', NEW.motivo));
  PERFORM correo_emite(NEW.cuenta_id, que, jsonb_build_object(
    'rfc', NEW.rfc, 'modo', NEW.modo, 'solicitud_id', NEW.id, 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta)
    || CASE WHEN NEW.contrapartes_adversas > 0 THEN jsonb_build_object('contrapartes_adversas', NEW.contrapartes_adversas) ELSE '{}' END);
  RETURN NULL;
END $$;

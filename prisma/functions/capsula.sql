-- Capsules: each is deleted with what it was made for.

-- It dies in the transaction of whatever ends its reason: the solicitud ends, waits for the e.firma or goes on at the other channel; the API key
-- ends; another e.firma is stored, or the one that there was is deleted.
CREATE OR REPLACE FUNCTION capsula_de_solicitud_muere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM capsula c WHERE c.solicitud_id = OLD.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER capsula_de_solicitud_muere AFTER UPDATE OF estado, canal ON solicitud
  FOR EACH ROW WHEN (OLD.capsula AND (NEW.estado <> 'EN_PROCESO' OR OLD.canal <> NEW.canal)) EXECUTE FUNCTION capsula_de_solicitud_muere();

CREATE OR REPLACE FUNCTION capsula_de_llave_muere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM capsula c USING solicitud s WHERE s.id = c.solicitud_id AND s.api_key_id = OLD.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER capsula_de_llave_muere AFTER UPDATE OF estado ON api_key
  FOR EACH ROW WHEN (OLD.estado = 'ACTIVA' AND NEW.estado <> 'ACTIVA') EXECUTE FUNCTION capsula_de_llave_muere();

CREATE OR REPLACE FUNCTION capsula_de_efirma_muere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM capsula c USING solicitud s WHERE s.id = c.solicitud_id AND s.contribuyente_id = OLD.contribuyente_id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER capsula_de_efirma_borrada_muere AFTER DELETE ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'efirma_cer') EXECUTE FUNCTION capsula_de_efirma_muere();
CREATE OR REPLACE TRIGGER capsula_de_efirma_muere AFTER UPDATE OF no_serie ON credencial
  FOR EACH ROW WHEN (OLD.tipo = 'efirma_cer' AND OLD.no_serie IS DISTINCT FROM NEW.no_serie) EXECUTE FUNCTION capsula_de_efirma_muere();

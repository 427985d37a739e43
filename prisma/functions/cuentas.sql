-- Accounts, taxpayers and keys: what the access snapshots of the API and the audit log follow.

CREATE OR REPLACE FUNCTION cuenta_cambio() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contribuyente SET version = version + 1 WHERE cuenta_id = NEW.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER cuenta_version AFTER UPDATE OF suspendida_en ON cuenta
  FOR EACH ROW WHEN (OLD.suspendida_en IS DISTINCT FROM NEW.suspendida_en) EXECUTE FUNCTION cuenta_cambio();

-- Whatever an answer to a caller depends on moves the taxpayer's version, whoever writes it: a pass read earlier is then known to be stale.
CREATE OR REPLACE FUNCTION contribuyente_cambio() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contribuyente SET version = version + 1
  WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.contribuyente_id ELSE NEW.contribuyente_id END;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER api_key_version AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();
CREATE OR REPLACE TRIGGER credencial_version AFTER INSERT OR UPDATE OR DELETE ON credencial
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();
CREATE OR REPLACE TRIGGER ip_permitida_version AFTER INSERT OR UPDATE OR DELETE ON ip_permitida
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();
CREATE OR REPLACE TRIGGER operacion_deshabilitada_version AFTER INSERT OR UPDATE OR DELETE ON operacion_deshabilitada
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();

CREATE OR REPLACE FUNCTION api_key_olvidada() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM llave_recordada WHERE api_key_id = NEW.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER api_key_olvidada AFTER UPDATE OF estado ON api_key
  FOR EACH ROW WHEN (NEW.estado <> 'ACTIVA') EXECUTE FUNCTION api_key_olvidada();

-- Deletes the oldest lines of the audit log, but none that is younger than a year, whoever asks. Gives their ids.
CREATE OR REPLACE FUNCTION auditoria_poda(cuantas integer, dias integer) RETURNS SETOF bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- The log is written in the order of time: only its beginning can be over.
  RETURN QUERY DELETE FROM auditoria a WHERE a.id = ANY (ARRAY(
    SELECT v.id FROM auditoria v WHERE v.id IN (SELECT x.id FROM auditoria x ORDER BY x.id LIMIT cuantas)
      AND v.en < now() - make_interval(days => greatest(dias, 365)) FOR UPDATE SKIP LOCKED)) RETURNING a.id;
END $$;

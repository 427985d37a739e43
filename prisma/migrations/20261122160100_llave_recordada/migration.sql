-- An API key that somebody typed in, sealed for a few minutes of one session. It goes with its session, and with the end of the key, whoever ends it.
CREATE TABLE llave_recordada (
  sesion_id        uuid NOT NULL REFERENCES sesion (id) ON DELETE CASCADE,
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  api_key_id       text NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  sobre            bytea NOT NULL,
  vence_en         timestamptz(3) NOT NULL,
  PRIMARY KEY (sesion_id, contribuyente_id)
);
CREATE INDEX llave_recordada_api_key_id_idx ON llave_recordada (api_key_id);
CREATE INDEX llave_recordada_vence_en_idx ON llave_recordada (vence_en);

CREATE FUNCTION api_key_olvidada() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM llave_recordada WHERE api_key_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_olvidada AFTER UPDATE OF estado ON api_key
  FOR EACH ROW WHEN (NEW.estado <> 'ACTIVA') EXECUTE FUNCTION api_key_olvidada();

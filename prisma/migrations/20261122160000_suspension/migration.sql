-- An account that the operator suspends: its keys answer 1003 from their next call, on every instance.
ALTER TABLE cuenta
  ADD COLUMN suspendida_en     timestamptz(3),
  ADD COLUMN suspension_motivo text,
  ADD CONSTRAINT cuenta_suspension_check CHECK ((suspendida_en IS NULL) = (suspension_motivo IS NULL));

CREATE FUNCTION cuenta_cambio() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contribuyente SET version = version + 1 WHERE cuenta_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER cuenta_version AFTER UPDATE OF suspendida_en ON cuenta
  FOR EACH ROW WHEN (OLD.suspendida_en IS DISTINCT FROM NEW.suspendida_en) EXECUTE FUNCTION cuenta_cambio();

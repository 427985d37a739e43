-- Credits that one call of the operation costs. `migrate` writes it from the operations themselves: no process states a price.
ALTER TABLE operacion ADD COLUMN costo integer NOT NULL DEFAULT 0 CHECK (costo >= 0);

-- The end of a solicitud decides its charge once. Without this rule a process could open an old one again, or empty it, and have it refunded.
CREATE FUNCTION solicitud_terminada() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this solicitud is over: its end and its charge stay as they are' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER solicitud_terminada BEFORE UPDATE ON solicitud FOR EACH ROW
  WHEN (OLD.terminada_en IS NOT NULL
    AND (NEW.estado, NEW.costo, NEW.registros, NEW.confianza) IS DISTINCT FROM (OLD.estado, OLD.costo, OLD.registros, OLD.confianza))
  EXECUTE FUNCTION solicitud_terminada();

-- Whom a solicitud is asked of, and the credits that it was accepted for, whatever key and settings say later. A process of the version before
-- charges one for each, and asks the SAT for all of them: test keys are given a simulator of their own when there is none of it any more.
ALTER TABLE solicitud ADD COLUMN modo text NOT NULL DEFAULT 'live' CHECK (modo IN ('test', 'live')),
  ADD COLUMN costo integer NOT NULL DEFAULT 1 CHECK (costo >= 0);
UPDATE solicitud s SET modo = 'test' FROM api_key k WHERE k.id = s.api_key_id AND k.modo = 'test';

-- It is that of its key, whoever writes the row.
CREATE FUNCTION solicitud_modo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT modo INTO NEW.modo FROM api_key WHERE id = NEW.api_key_id;
  NEW.modo := coalesce(NEW.modo, 'live');
  RETURN NEW;
END $$;
CREATE TRIGGER solicitud_modo BEFORE INSERT ON solicitud FOR EACH ROW EXECUTE FUNCTION solicitud_modo();

-- What is told of a credential says whose it is: the SAT's, or a simulator's.
CREATE OR REPLACE FUNCTION credencial_avisa() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM webhook_emite(d.cuenta_id, d.rfc, 'credencial.rechazada', NULL, jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id),
    'credencial', CASE NEW.tipo WHEN 'ciec' THEN 'ciec' ELSE 'efirma' END,
    'canal', CASE WHEN OLD.rechazada_soap_en IS NULL AND NEW.rechazada_soap_en IS NOT NULL THEN 'soap' ELSE 'portal' END))
  FROM contribuyente d WHERE d.id = NEW.contribuyente_id;
  RETURN NULL;
END $$;

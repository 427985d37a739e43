-- Who works in which account, and as what (docs/adr/0029). The lock that the first trigger takes keeps the version before from adding anybody
-- between the copy of those who are there and the trigger that takes in whom it adds later.
CREATE TABLE miembro (
  usuario_id uuid NOT NULL REFERENCES usuario (id) ON DELETE CASCADE,
  cuenta_id  uuid NOT NULL REFERENCES cuenta (id),
  papel      text NOT NULL CHECK (papel IN ('PROPIETARIO', 'CONTADOR', 'DESARROLLADOR')),
  desde      timestamptz(3) NOT NULL DEFAULT now(),
  abierta_en timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (usuario_id, cuenta_id)
);
CREATE INDEX miembro_cuenta_id_idx ON miembro (cuenta_id);

-- For the version before, which knows one account a user and no roles: whom it adds owns the account, as everybody did; and it finds the account
-- of nobody who does not own it, so that while both versions run it gives a guest nothing. Triggers and column go with a later version.
ALTER TABLE usuario ALTER COLUMN cuenta_id DROP NOT NULL;
CREATE FUNCTION usuario_es_miembro() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO miembro (usuario_id, cuenta_id, papel) VALUES (NEW.id, NEW.cuenta_id, 'PROPIETARIO') ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER usuario_es_miembro AFTER INSERT ON usuario FOR EACH ROW WHEN (NEW.cuenta_id IS NOT NULL) EXECUTE FUNCTION usuario_es_miembro();
CREATE FUNCTION miembro_ya_no_es_propietario() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE usuario SET cuenta_id = NULL WHERE id = OLD.usuario_id AND cuenta_id = OLD.cuenta_id AND (TG_OP = 'DELETE' OR NEW.papel <> 'PROPIETARIO');
  RETURN NULL;
END $$;
CREATE TRIGGER miembro_ya_no_es_propietario AFTER UPDATE OF papel OR DELETE ON miembro FOR EACH ROW EXECUTE FUNCTION miembro_ya_no_es_propietario();

-- Everybody who is there owns the account, as before.
INSERT INTO miembro (usuario_id, cuenta_id, papel, desde, abierta_en) SELECT id, cuenta_id, 'PROPIETARIO', creado_en, creado_en FROM usuario;

-- The account that a session is in: it ends with the membership, however it came to be opened while that was taken away. One without an account
-- is of somebody who has none, or was opened by the version before: it chooses one.
ALTER TABLE sesion ADD COLUMN cuenta_id uuid;
UPDATE sesion s SET cuenta_id = u.cuenta_id FROM usuario u WHERE u.id = s.usuario_id;
ALTER TABLE sesion ADD FOREIGN KEY (usuario_id, cuenta_id) REFERENCES miembro (usuario_id, cuenta_id) ON DELETE CASCADE;

-- What lets somebody with this address join an account, once; the code is only known to whom it was shown. A new one takes the place of the one before.
CREATE TABLE invitacion (
  id         uuid PRIMARY KEY,
  cuenta_id  uuid NOT NULL REFERENCES cuenta (id),
  email      text NOT NULL CHECK (email = lower(email)),
  papel      text NOT NULL CHECK (papel IN ('PROPIETARIO', 'CONTADOR', 'DESARROLLADOR')),
  huella     bytea NOT NULL UNIQUE,
  usuario_id uuid NOT NULL REFERENCES usuario (id) ON DELETE CASCADE,
  creada_en  timestamptz(3) NOT NULL DEFAULT now(),
  vence_en   timestamptz(3) NOT NULL,
  UNIQUE (cuenta_id, email)
);
CREATE INDEX invitacion_usuario_id_idx ON invitacion (usuario_id);
CREATE INDEX invitacion_vence_en_idx ON invitacion (vence_en);

-- Who made a key, for the day on which that person leaves; null where an operator made it, or nothing is known any more.
-- No key changes by that, so that no process need read its keys anew.
ALTER TABLE api_key ADD COLUMN usuario_id uuid;
ALTER TABLE api_key DISABLE TRIGGER USER;
UPDATE api_key k SET usuario_id = substr(a.actor, 9)::uuid FROM auditoria a
WHERE a.accion = 'generar-llave' AND a.detalle->>'api_key' = k.id AND a.actor ~ '^usuario:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
ALTER TABLE api_key ENABLE TRIGGER USER;

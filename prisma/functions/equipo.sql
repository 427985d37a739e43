-- Teams: the members of an account.

CREATE OR REPLACE FUNCTION usuario_es_miembro() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO miembro (usuario_id, cuenta_id, papel) VALUES (NEW.id, NEW.cuenta_id, 'PROPIETARIO') ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER usuario_es_miembro AFTER INSERT ON usuario FOR EACH ROW WHEN (NEW.cuenta_id IS NOT NULL) EXECUTE FUNCTION usuario_es_miembro();

CREATE OR REPLACE FUNCTION miembro_ya_no_es_propietario() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE usuario SET cuenta_id = NULL WHERE id = OLD.usuario_id AND cuenta_id = OLD.cuenta_id AND (TG_OP = 'DELETE' OR NEW.papel <> 'PROPIETARIO');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER miembro_ya_no_es_propietario AFTER UPDATE OF papel OR DELETE ON miembro FOR EACH ROW EXECUTE FUNCTION miembro_ya_no_es_propietario();

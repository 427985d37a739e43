-- A notice of an account goes to none of its people while it is suspended, and those of credentials to who may see them. Whoever sends mails calls
-- this and reads nobody's role.
CREATE OR REPLACE FUNCTION correo_avisa(a_usuario uuid, de_cuenta uuid, de_tipo text, dato jsonb) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  nombre text;
BEGIN
  IF de_tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion') THEN
    RAISE EXCEPTION 'this mail is written by the panel alone' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT q.nombre INTO nombre FROM cuenta q JOIN miembro m ON m.cuenta_id = q.id
  WHERE q.id = de_cuenta AND m.usuario_id = a_usuario AND q.suspendida_en IS NULL AND (m.papel <> 'DESARROLLADOR' OR de_tipo NOT LIKE 'credencial.%');
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN correo_anota(a_usuario, de_tipo, dato || jsonb_build_object('cuenta_id', de_cuenta, 'cuenta', nombre));
END $$;

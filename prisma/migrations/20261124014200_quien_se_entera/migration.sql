-- Who may be told of what by mail: who may see it in the panel. The one place where that stands for mails: what is written asks it here, and so does the
-- page on which somebody chooses. A test compares it with the roles of the panel.
CREATE FUNCTION se_entera(papel text, de_tipo text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN de_tipo LIKE 'credencial.%' OR de_tipo IN ('cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado', 'plazo.por_vencer') THEN papel IN ('PROPIETARIO', 'CONTADOR')
    WHEN de_tipo = 'llave.por_rotar' THEN papel IN ('PROPIETARIO', 'DESARROLLADOR')
    ELSE true
  END
$$;

-- As before, by that rule; of a download, whoever may not see what packages hold is not told whom of them a list names.
CREATE OR REPLACE FUNCTION correo_avisa(a_usuario uuid, de_cuenta uuid, de_tipo text, dato jsonb) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  nombre text;
  papel text;
BEGIN
  IF de_tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion') THEN
    RAISE EXCEPTION 'this mail is written by the panel alone' USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT q.nombre, m.papel INTO nombre, papel FROM cuenta q JOIN miembro m ON m.cuenta_id = q.id
  WHERE q.id = de_cuenta AND m.usuario_id = a_usuario AND q.suspendida_en IS NULL AND se_entera(m.papel, de_tipo);
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF NOT se_entera(papel, 'proveedor.listado') THEN
    dato := dato - 'contrapartes_adversas';
  END IF;
  RETURN correo_anota(a_usuario, de_tipo, dato || jsonb_build_object('cuenta_id', de_cuenta, 'cuenta', nombre));
END $$;

-- An invitation to an account is mailed to the invited address, which need not be any user's: the mail is its inviter's, and goes with the
-- invitation. Its links lead where the code does that was shown to the inviter.
ALTER TABLE correo ADD COLUMN invitacion_id uuid REFERENCES invitacion ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX correo_invitacion_id_idx ON correo (invitacion_id) WHERE invitacion_id IS NOT NULL;
ALTER TABLE correo DROP CONSTRAINT correo_tipo_check;
ALTER TABLE correo ADD CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion',
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado'));
ALTER TABLE enlace_correo ADD COLUMN invitacion_id uuid REFERENCES invitacion ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX enlace_correo_invitacion_id_idx ON enlace_correo (invitacion_id) WHERE invitacion_id IS NOT NULL;
ALTER TABLE enlace_correo DROP CONSTRAINT enlace_correo_tipo_check;
ALTER TABLE enlace_correo ADD CONSTRAINT enlace_correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'equipo.invitacion'));

-- Writes the mail of an invitation. Nothing is mailed for an inviter whose own address nobody has shown to be theirs: who signs up with any address
-- could have strangers mailed.
CREATE FUNCTION correo_invita(de_invitacion uuid) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  hecho uuid;
BEGIN
  INSERT INTO correo (usuario_id, para, tipo, urgente, datos, vence_en, invitacion_id)
  SELECT i.usuario_id, i.email, 'equipo.invitacion', true,
    jsonb_build_array(jsonb_build_object('cuenta_id', i.cuenta_id, 'cuenta', q.nombre, 'persona', u.email, 'papel', i.papel)), now() + interval '1 day', i.id
  FROM invitacion i JOIN usuario u ON u.id = i.usuario_id JOIN cuenta q ON q.id = i.cuenta_id
  WHERE i.id = de_invitacion AND i.vence_en > now() AND u.correo_verificado_en IS NOT NULL AND q.suspendida_en IS NULL
  RETURNING id INTO hecho;
  IF hecho IS NOT NULL THEN
    PERFORM pg_notify('acuse_correo', '');
  END IF;
  RETURN hecho;
END $$;

CREATE OR REPLACE FUNCTION correo_avisa(a_usuario uuid, de_cuenta uuid, de_tipo text, dato jsonb) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF de_tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion') THEN
    RAISE EXCEPTION 'this mail is written by the panel alone' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN correo_anota(a_usuario, de_tipo, dato || jsonb_build_object('cuenta_id', de_cuenta, 'cuenta', (SELECT q.nombre FROM cuenta q WHERE q.id = de_cuenta)));
END $$;

-- An invitation's link is good as long as the invitation is.
CREATE OR REPLACE FUNCTION correo_enlaza(de_correo uuid, de_epoch integer, con bytea) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO enlace_correo (huella, usuario_id, tipo, invitacion_id, vence_en)
  SELECT con, c.usuario_id, c.tipo, i.id, CASE c.tipo WHEN 'equipo.invitacion' THEN i.vence_en
    WHEN 'password.restablecer' THEN now() + interval '1 hour' ELSE now() + interval '3 days' END
  FROM correo c LEFT JOIN invitacion i ON i.id = c.invitacion_id
  WHERE c.id = de_correo AND c.epoch = de_epoch AND c.estado = 'PENDIENTE' AND c.tomado_hasta IS NOT NULL
    AND (c.tipo IN ('correo.verificar', 'password.restablecer') OR c.tipo = 'equipo.invitacion' AND i.vence_en > now())
  RETURNING vence_en
$$;

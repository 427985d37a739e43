-- Mail: who receives which letter.

-- The kinds of notices, and which roles get them. A worker of the version before that asks for another kind writes nothing.
CREATE OR REPLACE FUNCTION se_entera(papel text, de_tipo text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN de_tipo IN ('solicitud.terminada', 'solicitud.fallida') THEN true
    WHEN de_tipo = 'credencial.por_vencer' THEN papel IN ('PROPIETARIO', 'CONTADOR')
    ELSE false
  END
$$;

-- Writes a mail to a user. A notice joins the one of its kind that still waits, unless somebody has that in hand at this moment, and otherwise
-- follows the last of its kind by an hour at least; what a person waits for goes at once and before all notices.
CREATE OR REPLACE FUNCTION correo_anota(a_usuario uuid, de_tipo text, dato jsonb) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ya boolean := de_tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada');
  cuando timestamptz := now();
  hecho uuid;
BEGIN
  IF NOT ya THEN
    UPDATE correo c SET cuantas = c.cuantas + 1, datos = CASE WHEN jsonb_array_length(c.datos) < 20 THEN c.datos || jsonb_build_array(dato) ELSE c.datos END
    WHERE c.id = (SELECT p.id FROM correo p WHERE p.usuario_id = a_usuario AND p.tipo = de_tipo AND p.estado = 'PENDIENTE' AND p.epoch = 0
      ORDER BY p.desde LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
    RETURNING c.id INTO hecho;
    IF hecho IS NOT NULL THEN
      RETURN hecho;
    END IF;
    SELECT greatest(now(), max(p.desde) + interval '1 hour') INTO cuando FROM correo p WHERE p.usuario_id = a_usuario AND p.tipo = de_tipo;
  END IF;
  INSERT INTO correo (usuario_id, para, tipo, urgente, datos, due_at, desde, vence_en)
  SELECT u.id, u.email, de_tipo, ya, jsonb_build_array(dato), cuando, cuando,
    cuando + CASE de_tipo WHEN 'password.restablecer' THEN interval '1 hour' ELSE interval '1 day' END
  FROM usuario u WHERE u.id = a_usuario RETURNING id INTO hecho;
  PERFORM pg_notify('acuse_correo', '');
  RETURN hecho;
END $$;

-- As before. A role that may not see what packages hold gets no count of listed counterparties.
CREATE OR REPLACE FUNCTION correo_avisa(a_usuario uuid, de_cuenta uuid, de_tipo text, dato jsonb) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  nombre text;
  papel text;
BEGIN
  SELECT q.nombre, m.papel INTO nombre, papel FROM cuenta q JOIN miembro m ON m.cuenta_id = q.id
  WHERE q.id = de_cuenta AND m.usuario_id = a_usuario AND q.suspendida_en IS NULL AND se_entera(m.papel, de_tipo);
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF papel = 'DESARROLLADOR' THEN
    dato := dato - 'contrapartes_adversas';
  END IF;
  RETURN correo_anota(a_usuario, de_tipo, dato || jsonb_build_object('cuenta_id', de_cuenta, 'cuenta', nombre));
END $$;

-- The same for everybody of an account whose address is known to be theirs and who wants it.
CREATE OR REPLACE FUNCTION correo_emite(de_cuenta uuid, de_tipo text, dato jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT correo_avisa(u.id, de_cuenta, de_tipo, dato) FROM miembro m JOIN usuario u ON u.id = m.usuario_id
  WHERE m.cuenta_id = de_cuenta AND u.correo_verificado_en IS NOT NULL AND de_tipo <> ALL (u.avisos_apagados)
$$;

-- An invitation's link is good as long as the invitation is. A connect link is good as long as its row says, which gets the hash of the token.
CREATE OR REPLACE FUNCTION correo_enlaza(de_correo uuid, de_epoch integer, con bytea) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  c correo;
  hasta timestamptz;
BEGIN
  SELECT * INTO c FROM correo x WHERE x.id = de_correo AND x.epoch = de_epoch AND x.estado = 'PENDIENTE' AND x.tomado_hasta IS NOT NULL;
  IF c.tipo = 'conexion.enlace' THEN
    UPDATE conexion k SET huella = con
    WHERE k.id = (c.datos->0->>'conexion_id')::uuid AND k.estado = 'PENDIENTE' AND k.expira_en > now() RETURNING k.expira_en INTO hasta;
    RETURN hasta;
  END IF;
  INSERT INTO enlace_correo (huella, usuario_id, tipo, invitacion_id, vence_en)
  SELECT con, c.usuario_id, c.tipo, i.id, CASE c.tipo WHEN 'equipo.invitacion' THEN i.vence_en
    WHEN 'password.restablecer' THEN now() + interval '1 hour' ELSE now() + interval '3 days' END
  FROM (SELECT) una LEFT JOIN invitacion i ON i.id = c.invitacion_id
  WHERE c.tipo IN ('correo.verificar', 'password.restablecer') OR c.tipo = 'equipo.invitacion' AND i.vence_en > now()
  RETURNING vence_en INTO hasta;
  RETURN hasta;
END $$;

-- Writes the mail of a connect link to the address of its taxpayer. The sender must have a confirmed address, as for an invitation. `al_dia` limits
-- the links of a sender in a day; NULL sets no limit. Mails of people who wait at the panel go out first.
CREATE OR REPLACE FUNCTION correo_conecta(a_usuario uuid, de_cuenta uuid, a text, dato jsonb, al_dia integer) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  hecho uuid;
BEGIN
  PERFORM FROM usuario u JOIN miembro m ON m.usuario_id = u.id JOIN cuenta q ON q.id = m.cuenta_id
  WHERE u.id = a_usuario AND m.cuenta_id = de_cuenta AND u.correo_verificado_en IS NOT NULL AND q.suspendida_en IS NULL FOR NO KEY UPDATE OF u;
  IF NOT FOUND OR al_dia IS NOT NULL AND (SELECT count(*) FROM correo c
    WHERE c.usuario_id = a_usuario AND c.tipo = 'conexion.enlace' AND c.desde > now() - interval '1 day') >= al_dia THEN
    RETURN NULL;
  END IF;
  INSERT INTO correo (usuario_id, para, tipo, datos, vence_en)
  VALUES (a_usuario, a, 'conexion.enlace', jsonb_build_array(dato || jsonb_build_object('cuenta_id', de_cuenta)), now() + interval '1 day')
  RETURNING id INTO hecho;
  PERFORM pg_notify('acuse_correo', '');
  RETURN hecho;
END $$;

-- Writes the mail of an invitation. Nothing is mailed for an inviter whose own address nobody has shown to be theirs: who signs up with any address
-- could have strangers mailed.
CREATE OR REPLACE FUNCTION correo_invita(de_invitacion uuid) RETURNS uuid
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

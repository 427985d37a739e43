-- Whether a user has shown that the e-mail is theirs, whether the panel asks for that before anything else (of who signed up while the
-- installation sends mail), and what the user does not want to be mailed about.
ALTER TABLE usuario ADD COLUMN correo_verificado_en timestamptz(3),
  ADD COLUMN correo_exigido boolean NOT NULL DEFAULT false,
  ADD COLUMN avisos_apagados text[] NOT NULL DEFAULT '{}' CHECK (avisos_apagados <@ ARRAY[
    'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar']);
CREATE INDEX usuario_saldo_bajo_idx ON usuario (id) WHERE correo_verificado_en IS NOT NULL AND 'saldo.bajo' <> ALL (avisos_apagados);

-- A mail, from when what it tells of happened until it was handed over or given up. `para` is the user's address at that moment: who sends
-- reads no user. `datos` are the things that it tells of, of which it names some and counts the others (`cuantas`). `baja` is what its link to
-- switch such mails off is known by. `desde` is the time before which it waits, so that one of a kind gathers what would come too close after
-- another; `vence_en` the one after which nobody is helped by it. It is taken as a webhook is: until `tomado_hasta`, under an epoch of its own.
CREATE TABLE correo (
  id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  usuario_id   uuid NOT NULL REFERENCES usuario ON DELETE CASCADE,
  para         text NOT NULL,
  tipo         text NOT NULL CHECK (tipo IN (
    'correo.verificar', 'password.restablecer', 'password.cambiada',
    'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar')),
  urgente      boolean NOT NULL DEFAULT false,
  datos        jsonb NOT NULL DEFAULT '[]',
  cuantas      integer NOT NULL DEFAULT 1,
  baja         uuid NOT NULL DEFAULT gen_random_uuid(),
  estado       text NOT NULL DEFAULT 'PENDIENTE' CHECK (estado IN ('PENDIENTE', 'ENVIADO', 'FALLIDO')),
  motivo       text CHECK (motivo IN ('RECHAZADO', 'VENCIDO')),
  error        text,
  intentos     integer NOT NULL DEFAULT 0,
  epoch        integer NOT NULL DEFAULT 0,
  due_at       timestamptz(3) NOT NULL DEFAULT now(),
  tomado_hasta timestamptz(3),
  desde        timestamptz(3) NOT NULL DEFAULT now(),
  creado_en    timestamptz(3) NOT NULL DEFAULT now(),
  vence_en     timestamptz(3) NOT NULL,
  terminado_en timestamptz(3),
  CHECK ((estado = 'PENDIENTE') = (terminado_en IS NULL) AND (estado = 'FALLIDO') = (motivo IS NOT NULL))
);
CREATE UNIQUE INDEX correo_baja_key ON correo (baja);
CREATE INDEX correo_usuario_id_tipo_desde_idx ON correo (usuario_id, tipo, desde);
CREATE INDEX correo_pendiente ON correo (urgente DESC, due_at, id) WHERE estado = 'PENDIENTE';
CREATE INDEX correo_pendiente_vence ON correo (vence_en) WHERE estado = 'PENDIENTE';
CREATE INDEX correo_fallido ON correo (terminado_en) WHERE estado = 'FALLIDO';
CREATE INDEX correo_terminado_en_idx ON correo (terminado_en) WHERE terminado_en IS NOT NULL;

-- What somebody can do with a link of a mail, once, by the hash of its token. Several of a user may be good at the same time: each mail, and
-- each copy of it that a worker's death made, has its own.
CREATE TABLE enlace_correo (
  huella     bytea PRIMARY KEY,
  usuario_id uuid NOT NULL REFERENCES usuario ON DELETE CASCADE,
  tipo       text NOT NULL CHECK (tipo IN ('correo.verificar', 'password.restablecer')),
  vence_en   timestamptz(3) NOT NULL
);
CREATE INDEX enlace_correo_usuario_id_idx ON enlace_correo (usuario_id);
CREATE INDEX enlace_correo_vence_en_idx ON enlace_correo (vence_en);

-- What a user was mailed about that is a state and not a change, so that it is told once; as webhook_aviso.
CREATE TABLE correo_aviso (
  usuario_id uuid NOT NULL REFERENCES usuario ON DELETE CASCADE,
  clave      text NOT NULL,
  en         timestamptz(3) NOT NULL DEFAULT now(),
  hasta      timestamptz(3),
  PRIMARY KEY (usuario_id, clave)
);
CREATE INDEX correo_aviso_saldo_bajo_idx ON correo_aviso (usuario_id) WHERE clave LIKE 'saldo.bajo %';
CREATE INDEX correo_aviso_hasta_idx ON correo_aviso (hasta) WHERE hasta IS NOT NULL;

-- Writes a mail to a user. A notice joins the one of its kind that still waits, unless somebody has that in hand at this moment, and otherwise
-- follows the last of its kind by an hour at least; what a person waits for goes at once and before all notices.
CREATE FUNCTION correo_anota(a_usuario uuid, de_tipo text, dato jsonb) RETURNS uuid
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

-- A notice of an account, of who may ask for nothing else: whoever sends mails does not write those that let somebody in. It names the account,
-- of which somebody may have several.
CREATE FUNCTION correo_avisa(a_usuario uuid, de_cuenta uuid, de_tipo text, dato jsonb) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF de_tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada') THEN
    RAISE EXCEPTION 'this mail is written by the panel alone' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN correo_anota(a_usuario, de_tipo, dato || jsonb_build_object('cuenta_id', de_cuenta, 'cuenta', (SELECT q.nombre FROM cuenta q WHERE q.id = de_cuenta)));
END $$;

-- The same for everybody of an account whose address is known to be theirs and who wants it.
CREATE FUNCTION correo_emite(de_cuenta uuid, de_tipo text, dato jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT correo_avisa(u.id, de_cuenta, de_tipo, dato) FROM miembro m JOIN usuario u ON u.id = m.usuario_id
  WHERE m.cuenta_id = de_cuenta AND u.correo_verificado_en IS NOT NULL AND de_tipo <> ALL (u.avisos_apagados)
$$;

-- Keeps the hash of the token that a mail goes out with, made by who has it in hand. Gives its end; null for a mail that has no link of that
-- kind, or that somebody else has by now.
CREATE FUNCTION correo_enlaza(de_correo uuid, de_epoch integer, con bytea) RETURNS timestamptz
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO enlace_correo (huella, usuario_id, tipo, vence_en)
  SELECT con, c.usuario_id, c.tipo, now() + CASE c.tipo WHEN 'password.restablecer' THEN interval '1 hour' ELSE interval '3 days' END
  FROM correo c WHERE c.id = de_correo AND c.epoch = de_epoch AND c.estado = 'PENDIENTE' AND c.tomado_hasta IS NOT NULL
    AND c.tipo IN ('correo.verificar', 'password.restablecer')
  RETURNING vence_en
$$;

-- In the transaction of the change, beside the webhooks.
CREATE OR REPLACE FUNCTION solicitud_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  que text := CASE NEW.estado WHEN 'TERMINADA' THEN 'solicitud.terminada' WHEN 'ESPERA_EFIRMA' THEN 'solicitud.espera_efirma' ELSE 'solicitud.fallida' END;
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, que, NEW.id, jsonb_build_object('estado', NEW.estado, 'motivo', NEW.motivo));
  PERFORM correo_emite(NEW.cuenta_id, que, jsonb_build_object(
    'rfc', NEW.rfc, 'modo', NEW.modo, 'solicitud_id', NEW.id, 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION credencial_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  dueno contribuyente;
  dato jsonb := jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id),
    'credencial', CASE NEW.tipo WHEN 'ciec' THEN 'ciec' ELSE 'efirma' END,
    'canal', CASE WHEN OLD.rechazada_soap_en IS NULL AND NEW.rechazada_soap_en IS NOT NULL THEN 'soap' ELSE 'portal' END);
BEGIN
  SELECT * INTO dueno FROM contribuyente WHERE id = NEW.contribuyente_id;
  PERFORM webhook_emite(dueno.cuenta_id, dueno.rfc, 'credencial.rechazada', NULL, dato);
  PERFORM correo_emite(dueno.cuenta_id, 'credencial.rechazada', dato || jsonb_build_object('rfc', dueno.rfc));
  RETURN NULL;
END $$;

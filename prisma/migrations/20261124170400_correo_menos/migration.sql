-- Mail tells people that a request ended and that a certificate is about to lapse. For every other event a webhook does it.

-- The kinds of notices, and which roles get them. A worker of the version before that asks for another kind writes nothing.
CREATE OR REPLACE FUNCTION se_entera(papel text, de_tipo text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN de_tipo IN ('solicitud.terminada', 'solicitud.fallida') THEN true
    WHEN de_tipo = 'credencial.por_vencer' THEN papel IN ('PROPIETARIO', 'CONTADOR')
    ELSE false
  END
$$;

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

-- As before, without their mails.
CREATE OR REPLACE FUNCTION credencial_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  dueno contribuyente;
BEGIN
  SELECT * INTO dueno FROM contribuyente WHERE id = NEW.contribuyente_id;
  PERFORM webhook_emite(dueno.cuenta_id, dueno.rfc, 'credencial.rechazada', NULL, jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id),
    'credencial', CASE NEW.tipo WHEN 'ciec' THEN 'ciec' ELSE 'efirma' END,
    'canal', CASE WHEN OLD.rechazada_soap_en IS NULL AND NEW.rechazada_soap_en IS NOT NULL THEN 'soap' ELSE 'portal' END));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION lectura_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
BEGIN
  SELECT * INTO s FROM sincronizacion x WHERE x.almacen_id = NEW.almacen_id AND x.estado <> 'BORRADA';
  IF FOUND THEN
    PERFORM webhook_emite(s.cuenta_id, s.rfc, 'cfdi.cambios', NULL, jsonb_build_object(
      'modo', (SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id), 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta,
      'nuevos', NEW.nuevos, 'cambiados', NEW.cambiados, 'ausentes', NEW.ausentes,
      'cursor', format('%s.%s', right(s.id::text, 12), NEW.despues_de)));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION sincronizacion_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, 'sincronizacion.pausada', NULL, jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.id = NEW.api_key_id), 'motivo', NEW.motivo));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION riesgo_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
BEGIN
  SELECT * INTO s FROM sincronizacion x WHERE x.almacen_id = NEW.almacen_id AND x.estado <> 'BORRADA';
  IF FOUND THEN
    PERFORM webhook_emite(s.cuenta_id, s.rfc, 'proveedor.listado', NULL, jsonb_build_object(
      'modo', (SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id),
      'cambio', CASE NEW.clase WHEN 'E' THEN 'entra' WHEN 'C' THEN 'cambia' ELSE 'sale' END,
      'proveedor_rfc', NEW.rfc, 'proveedor_nombre', contraparte_nombre(NEW.almacen_id, NEW.rfc), 'lista', NEW.lista, 'supuesto', NEW.supuesto,
      'supuesto_anterior', NEW.antes, 'adverso', NEW.es_adverso AND NEW.clase <> 'S', 'publicado_en', NEW.publicada,
      'notado_en', to_char(NEW.en AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'cfdi', contraparte_cfdi(NEW.almacen_id, NEW.rfc, 20)));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION solicitud_avisa() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  que text := CASE NEW.estado WHEN 'TERMINADA' THEN 'solicitud.terminada' WHEN 'ESPERA_EFIRMA' THEN 'solicitud.espera_efirma' ELSE 'solicitud.fallida' END;
BEGIN
  PERFORM webhook_emite(NEW.cuenta_id, NEW.rfc, que, NEW.id, jsonb_build_object('estado', NEW.estado, 'motivo', NEW.motivo));
  IF NEW.estado <> 'ESPERA_EFIRMA' THEN
    PERFORM correo_emite(NEW.cuenta_id, que, jsonb_build_object(
      'rfc', NEW.rfc, 'modo', NEW.modo, 'solicitud_id', NEW.id, 'tipo', NEW.tipo, 'desde', NEW.desde, 'hasta', NEW.hasta)
      || CASE WHEN NEW.contrapartes_adversas > 0 THEN jsonb_build_object('contrapartes_adversas', NEW.contrapartes_adversas) ELSE '{}' END);
  END IF;
  RETURN NULL;
END $$;

-- The constraint goes first: its lock waits for transactions that still write such a mail.
ALTER TABLE correo DROP CONSTRAINT correo_tipo_check;
DELETE FROM correo WHERE tipo NOT IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion',
  'solicitud.terminada', 'solicitud.fallida', 'credencial.por_vencer');
ALTER TABLE correo ADD CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion',
  'solicitud.terminada', 'solicitud.fallida', 'credencial.por_vencer'));
DELETE FROM correo_aviso WHERE clave NOT LIKE 'credencial.por_vencer %';
DROP INDEX usuario_saldo_bajo_idx, correo_aviso_saldo_bajo_idx;

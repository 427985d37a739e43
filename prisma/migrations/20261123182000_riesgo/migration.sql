-- Counterparties of a store that stand on a published list (lista_actual): as they are now, and every change of it.

-- One that stands on a list, or stood there until `salio_en`. `publicada` is the list's own date, `desde` when it was noticed, `cambiada_en`
-- when it was noticed that it stands there under this word.
CREATE TABLE riesgo_contraparte (
  almacen_id integer NOT NULL REFERENCES almacen (id) ON DELETE CASCADE,
  rfc text NOT NULL,
  lista text NOT NULL,
  supuesto text NOT NULL,
  es_adverso boolean NOT NULL,
  publicada date,
  desde timestamptz(3) NOT NULL DEFAULT now(),
  cambiada_en timestamptz(3) NOT NULL DEFAULT now(),
  salio_en timestamptz(3),
  PRIMARY KEY (almacen_id, rfc, lista)
);

-- E came to stand there, C stands there under another word, S stands there no more (`supuesto` is then the last one).
CREATE TABLE riesgo_cambio (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  almacen_id integer NOT NULL REFERENCES almacen (id) ON DELETE CASCADE,
  rfc text NOT NULL,
  lista text NOT NULL,
  clase char(1) NOT NULL CHECK (clase IN ('E', 'C', 'S')),
  supuesto text NOT NULL,
  antes text,
  es_adverso boolean NOT NULL,
  publicada date,
  en timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX riesgo_cambio_contraparte ON riesgo_cambio (almacen_id, rfc, lista, id);

-- With which versions of the lists, and up to which of its changes, a store was crossed: what differs from what is there now is due. Its row is
-- held by whoever crosses the store.
CREATE TABLE riesgo_cruce (
  almacen_id integer PRIMARY KEY REFERENCES almacen (id) ON DELETE CASCADE,
  versiones text NOT NULL,
  cambios bigint NOT NULL,
  cruzado_en timestamptz(3) NOT NULL DEFAULT now()
);

-- Whether a word of a list speaks against who stands there under it: proceedings that were won or rebutted clear.
CREATE FUNCTION supuesto_adverso(supuesto text) RETURNS boolean LANGUAGE sql IMMUTABLE
RETURN lower(supuesto) NOT IN ('desvirtuado', 'sentencia favorable');

-- What CFDI of a store there are with a counterparty: those in force, of income and of expense, their pesos, and the newest UUIDs. One counterparty
-- is looked up by an index of each month, however large the store is.
CREATE FUNCTION contraparte_cfdi(de_almacen integer, de_rfc text, cuantos integer) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH suyo AS MATERIALIZED (
    SELECT x.uuid, x.recibido, x.efecto, x.monto, x.emitida FROM nombrado n CROSS JOIN LATERAL (
      SELECT * FROM cfdi c WHERE c.almacen_id = de_almacen AND c.contraparte_id = n.id AND c.vigente AND c.ausente IS NULL AND c.efecto IN ('I', 'E') OFFSET 0
    ) x WHERE n.almacen_id = de_almacen AND n.rfc = de_rfc
  )
  SELECT jsonb_build_object(
    'total', count(*),
    'recibidos', jsonb_build_object(
      'ingresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE recibido AND efecto = 'I'), 'monto', coalesce(sum(monto) FILTER (WHERE recibido AND efecto = 'I'), 0.00)::text),
      'egresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE recibido AND efecto = 'E'), 'monto', coalesce(sum(monto) FILTER (WHERE recibido AND efecto = 'E'), 0.00)::text)),
    'emitidos', jsonb_build_object(
      'ingresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE NOT recibido AND efecto = 'I'), 'monto', coalesce(sum(monto) FILTER (WHERE NOT recibido AND efecto = 'I'), 0.00)::text),
      'egresos', jsonb_build_object('cfdi', count(*) FILTER (WHERE NOT recibido AND efecto = 'E'), 'monto', coalesce(sum(monto) FILTER (WHERE NOT recibido AND efecto = 'E'), 0.00)::text)),
    'uuids', coalesce((SELECT jsonb_agg(upper(u.uuid::text) ORDER BY u.emitida DESC, u.uuid) FROM (SELECT uuid, emitida FROM suyo ORDER BY emitida DESC, uuid LIMIT cuantos) u), '[]'))
  FROM suyo
$$;

-- The name that a counterparty had last.
CREATE FUNCTION contraparte_nombre(de_almacen integer, de_rfc text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT n.nombre FROM nombrado n WHERE n.almacen_id = de_almacen AND n.rfc = de_rfc AND n.nombre <> '' ORDER BY n.id DESC LIMIT 1), '')
$$;

-- Tells of each change once, in its transaction.
CREATE FUNCTION riesgo_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  s sincronizacion;
  dato jsonb;
  suyos jsonb;
BEGIN
  SELECT * INTO s FROM sincronizacion x WHERE x.almacen_id = NEW.almacen_id AND x.estado <> 'BORRADA';
  IF FOUND THEN
    suyos := contraparte_cfdi(NEW.almacen_id, NEW.rfc, 20);
    dato := jsonb_build_object('modo', (SELECT k.modo FROM api_key k WHERE k.id = s.api_key_id),
      'cambio', CASE NEW.clase WHEN 'E' THEN 'entra' WHEN 'C' THEN 'cambia' ELSE 'sale' END,
      'proveedor_rfc', NEW.rfc, 'proveedor_nombre', contraparte_nombre(NEW.almacen_id, NEW.rfc), 'lista', NEW.lista, 'supuesto', NEW.supuesto,
      'supuesto_anterior', NEW.antes, 'adverso', NEW.es_adverso AND NEW.clase <> 'S', 'publicado_en', NEW.publicada,
      'notado_en', to_char(NEW.en AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
    PERFORM webhook_emite(s.cuenta_id, s.rfc, 'proveedor.listado', NULL, dato || jsonb_build_object('cfdi', suyos));
    PERFORM correo_emite(s.cuenta_id, 'proveedor.listado', dato || jsonb_build_object('rfc', s.rfc, 'cfdi', suyos - 'uuids'));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER riesgo_avisa AFTER INSERT ON riesgo_cambio FOR EACH ROW EXECUTE FUNCTION riesgo_avisa();

ALTER TABLE webhook DROP CONSTRAINT webhook_eventos_check;
ALTER TABLE webhook ADD CONSTRAINT webhook_eventos_check CHECK (cardinality(eventos) > 0 AND eventos <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado']);
ALTER TABLE usuario DROP CONSTRAINT usuario_avisos_apagados_check;
ALTER TABLE usuario ADD CONSTRAINT usuario_avisos_apagados_check CHECK (avisos_apagados <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado']);
ALTER TABLE correo DROP CONSTRAINT correo_tipo_check;
ALTER TABLE correo ADD CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada',
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado'));

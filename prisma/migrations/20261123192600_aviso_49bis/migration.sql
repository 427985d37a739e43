-- The 30 days that article 49 Bis of the CFF gives whoever received CFDI of an issuer that the SAT published. No list of those publications can be
-- read by a machine: somebody says who it is and when it was.

-- `rfc` is the issuer. Without a taxpayer it is of the operator, for everybody; at most one of each for an issuer.
CREATE TABLE aviso_49bis (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  contribuyente_id uuid REFERENCES contribuyente (id) ON DELETE CASCADE,
  rfc text NOT NULL,
  publicado_en date NOT NULL,
  nota text CHECK (length(nota) BETWEEN 1 AND 500),
  creado_en timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX aviso_49bis_suyo ON aviso_49bis (contribuyente_id, rfc) WHERE contribuyente_id IS NOT NULL;
CREATE UNIQUE INDEX aviso_49bis_de_todos ON aviso_49bis (rfc) WHERE contribuyente_id IS NULL;

-- Who was reminded of it, at which of the days before its end, and how many were left then.
CREATE TABLE aviso_49bis_dicho (
  aviso_id uuid NOT NULL REFERENCES aviso_49bis (id) ON DELETE CASCADE,
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  dias integer NOT NULL,
  quedan integer NOT NULL,
  en timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (aviso_id, contribuyente_id, dias)
);
CREATE INDEX aviso_49bis_dicho_contribuyente ON aviso_49bis_dicho (contribuyente_id);

-- The last of the 30 natural days: the day of the publication is not counted, and a last day on which the offices are closed is not moved on.
CREATE FUNCTION vence_49bis(publicado date) RETURNS date LANGUAGE sql IMMUTABLE RETURN publicado + 30;

-- Whether a taxpayer received a CFDI of this issuer that is in force.
CREATE FUNCTION recibe_cfdi(de_almacen integer, de_rfc text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM nombrado n CROSS JOIN LATERAL (
    SELECT FROM cfdi x WHERE x.almacen_id = de_almacen AND x.contraparte_id = n.id AND x.recibido AND x.vigente AND x.ausente IS NULL LIMIT 1
  ) y WHERE n.almacen_id = de_almacen AND n.rfc = de_rfc)
$$;

CREATE FUNCTION aviso_49bis_avisa() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  a aviso_49bis;
  d contribuyente;
  s sincronizacion;
  dato jsonb;
  suyos jsonb;
BEGIN
  SELECT * INTO a FROM aviso_49bis x WHERE x.id = NEW.aviso_id;
  SELECT * INTO d FROM contribuyente x WHERE x.id = NEW.contribuyente_id;
  SELECT * INTO s FROM sincronizacion x WHERE x.contribuyente_id = d.id AND x.estado <> 'BORRADA';
  suyos := CASE WHEN s.almacen_id IS NOT NULL THEN contraparte_cfdi(s.almacen_id, a.rfc, 20) END;
  dato := jsonb_build_object(
    'modo', (SELECT k.modo FROM api_key k WHERE k.contribuyente_id = d.id AND k.id = coalesce(s.api_key_id, k.id) ORDER BY k.creada_en DESC LIMIT 1),
    'plazo', '49 Bis', 'proveedor_rfc', a.rfc, 'proveedor_nombre', coalesce(contraparte_nombre(s.almacen_id, a.rfc), ''),
    'publicado_en', a.publicado_en, 'vence_en', vence_49bis(a.publicado_en), 'dias_restantes', NEW.quedan, 'nota', a.nota);
  PERFORM webhook_emite(d.cuenta_id, d.rfc, 'plazo.por_vencer', NULL, dato || jsonb_build_object('cfdi', suyos));
  PERFORM correo_emite(d.cuenta_id, 'plazo.por_vencer', dato || jsonb_build_object('rfc', d.rfc, 'cfdi', suyos - 'uuids'));
  RETURN NULL;
END $$;
CREATE TRIGGER aviso_49bis_avisa AFTER INSERT ON aviso_49bis_dicho FOR EACH ROW EXECUTE FUNCTION aviso_49bis_avisa();

ALTER TABLE webhook DROP CONSTRAINT webhook_eventos_check;
ALTER TABLE webhook ADD CONSTRAINT webhook_eventos_check CHECK (cardinality(eventos) > 0 AND eventos <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado', 'plazo.por_vencer']);
ALTER TABLE usuario DROP CONSTRAINT usuario_avisos_apagados_check;
ALTER TABLE usuario ADD CONSTRAINT usuario_avisos_apagados_check CHECK (avisos_apagados <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado', 'plazo.por_vencer']);
ALTER TABLE correo DROP CONSTRAINT correo_tipo_check;
ALTER TABLE correo ADD CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion',
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado', 'plazo.por_vencer'));

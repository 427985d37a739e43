CREATE TABLE cuenta (
  id        uuid PRIMARY KEY,
  nombre    text NOT NULL,
  email     text NOT NULL,
  saldo     integer NOT NULL DEFAULT 0 CHECK (saldo >= 0),
  creada_en timestamptz(3) NOT NULL DEFAULT now()
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX cuenta_email_key ON cuenta (email);

CREATE TABLE contribuyente (
  id        uuid PRIMARY KEY,
  cuenta_id uuid NOT NULL REFERENCES cuenta (id),
  rfc       text NOT NULL,
  nombre    text,
  id_cif    text,
  version   bigint NOT NULL DEFAULT 1,
  creado_en timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX contribuyente_cuenta_id_rfc_key ON contribuyente (cuenta_id, rfc);

CREATE TABLE api_key (
  id               text PRIMARY KEY,
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id),
  modo             text NOT NULL CHECK (modo IN ('test', 'live')),
  hash             bytea NOT NULL,
  pepper_version   integer NOT NULL,
  ultimos4         text NOT NULL,
  estado           text NOT NULL DEFAULT 'ACTIVA' CHECK (estado IN ('ACTIVA', 'REEMPLAZADA', 'REVOCADA')),
  registrada_en    timestamptz(3),
  creada_en        timestamptz(3) NOT NULL DEFAULT now(),
  terminada_en     timestamptz(3)
);
CREATE INDEX api_key_contribuyente_id_idx ON api_key (contribuyente_id);
CREATE UNIQUE INDEX api_key_una_activa ON api_key (contribuyente_id) WHERE estado = 'ACTIVA';

CREATE TABLE api_key_uso (
  api_key_id    text PRIMARY KEY REFERENCES api_key (id) ON DELETE CASCADE,
  ultimo_uso_en timestamptz(3) NOT NULL,
  ultima_ip     text NOT NULL
);

CREATE TABLE operacion_deshabilitada (
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  operacion        text NOT NULL,
  PRIMARY KEY (contribuyente_id, operacion)
);

CREATE TABLE ip_permitida (
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  cidr             text NOT NULL,
  PRIMARY KEY (contribuyente_id, cidr)
);

CREATE TABLE credencial (
  id               uuid PRIMARY KEY,
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  api_key_id       text NOT NULL,
  tipo             text NOT NULL CHECK (tipo IN ('ciec', 'efirma_cer', 'efirma_key')),
  kid              text NOT NULL,
  sobre            bytea NOT NULL,
  no_serie         text,
  titular          text,
  vigente_hasta    timestamptz(3),
  expira_en        timestamptz(3),
  rechazada_en     timestamptz(3),
  creada_en        timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX credencial_contribuyente_id_tipo_key ON credencial (contribuyente_id, tipo);
CREATE INDEX credencial_expira_en ON credencial (expira_en) WHERE expira_en IS NOT NULL;

-- Unlogged on purpose: in no WAL, in no base backup, emptied by a crash. It fails towards deletion.
CREATE UNLOGGED TABLE efirma_shred (
  credencial_id uuid PRIMARY KEY,
  llave         bytea NOT NULL,
  expira_en     timestamptz(3) NOT NULL
);

CREATE TABLE movimiento (
  id               bigserial PRIMARY KEY,
  cuenta_id        uuid NOT NULL REFERENCES cuenta (id),
  contribuyente_id uuid,
  op_id            uuid NOT NULL,
  tipo             text NOT NULL CHECK (tipo IN ('compra', 'cargo', 'reembolso', 'ajuste')),
  importe          integer NOT NULL,
  operacion        text,
  solicitud_id     uuid,
  pago_id          text,
  detalle          text,
  creado_en        timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (CASE tipo WHEN 'cargo' THEN importe < 0 WHEN 'ajuste' THEN importe <> 0 ELSE importe > 0 END)
);
CREATE UNIQUE INDEX movimiento_op_id_tipo_key ON movimiento (op_id, tipo);
CREATE UNIQUE INDEX movimiento_pago_id_key ON movimiento (pago_id);
CREATE INDEX movimiento_cuenta_id_id_idx ON movimiento (cuenta_id, id);

CREATE FUNCTION movimiento_inmutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'movimiento is append-only: correct it with a new row' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER movimiento_inmutable BEFORE UPDATE OR DELETE ON movimiento
  FOR EACH ROW EXECUTE FUNCTION movimiento_inmutable();
CREATE TRIGGER movimiento_sin_truncate BEFORE TRUNCATE ON movimiento
  FOR EACH STATEMENT EXECUTE FUNCTION movimiento_inmutable();

CREATE TABLE solicitud (
  id                 uuid PRIMARY KEY,
  cuenta_id          uuid NOT NULL REFERENCES cuenta (id),
  contribuyente_id   uuid NOT NULL REFERENCES contribuyente (id),
  api_key_id         text NOT NULL,
  rfc                text NOT NULL,
  tipo               text NOT NULL CHECK (tipo IN ('emitidos', 'recibidos')),
  desde              date NOT NULL,
  hasta              date NOT NULL CHECK (desde <= hasta),
  canal              text NOT NULL CHECK (canal IN ('soap', 'portal')),
  estado             text NOT NULL DEFAULT 'EN_PROCESO'
                     CHECK (estado IN ('EN_PROCESO', 'ESPERA_EFIRMA', 'TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA')),
  fase               text NOT NULL DEFAULT 'DESCARGA' CHECK (fase IN ('DESCARGA', 'ENSAMBLE')),
  epoch              integer NOT NULL DEFAULT 0,
  gen                integer NOT NULL DEFAULT 1,
  due_at             timestamptz(3) NOT NULL DEFAULT now(),
  lease_until        timestamptz(3),
  deadline_at        timestamptz(3) NOT NULL,
  intentos           integer NOT NULL DEFAULT 0,
  fallos             integer NOT NULL DEFAULT 0,
  ultima_consulta_en timestamptz(3),
  motivo             text,
  registros          bigint,
  object_key         text,
  bytes              bigint,
  sha256             text,
  paquete_borrado_en timestamptz(3),
  objetos_borrados_en timestamptz(3),
  idem_key           text,
  creada_en          timestamptz(3) NOT NULL DEFAULT now(),
  terminada_en       timestamptz(3),
  CHECK ((estado = 'TERMINADA') = (object_key IS NOT NULL)),
  CHECK ((estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')) = (terminada_en IS NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX solicitud_igual_abierta ON solicitud (api_key_id, tipo, desde, hasta)
  WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA');
CREATE UNIQUE INDEX solicitud_idem_key ON solicitud (api_key_id, idem_key) WHERE idem_key IS NOT NULL;
CREATE INDEX solicitud_contribuyente_id_creada_en_idx ON solicitud (contribuyente_id, creada_en);
CREATE INDEX solicitud_due_at ON solicitud (due_at) WHERE estado = 'EN_PROCESO';
CREATE INDEX solicitud_deadline_at ON solicitud (deadline_at) WHERE estado IN ('EN_PROCESO', 'ESPERA_EFIRMA');
CREATE INDEX solicitud_retencion ON solicitud (terminada_en) WHERE estado = 'TERMINADA' AND paquete_borrado_en IS NULL;

CREATE INDEX solicitud_por_purgar ON solicitud (coalesce(paquete_borrado_en, terminada_en))
  WHERE terminada_en IS NOT NULL AND objetos_borrados_en IS NULL AND (estado <> 'TERMINADA' OR paquete_borrado_en IS NOT NULL);

CREATE TABLE parte (
  id            uuid PRIMARY KEY,
  solicitud_id  uuid NOT NULL REFERENCES solicitud (id) ON DELETE CASCADE,
  inicio        text NOT NULL CHECK (inicio ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$'),
  fin           text NOT NULL CHECK (fin ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$' AND fin >= inicio),
  estado        text NOT NULL DEFAULT 'PENDIENTE'
                CHECK (estado IN ('PENDIENTE', 'SOLICITANDO', 'SOLICITADA', 'DISPONIBLE', 'DESCARGADA', 'VACIA')),
  folio         text,
  desfase       integer NOT NULL DEFAULT 0,
  envios        integer NOT NULL DEFAULT 0,
  reenvios      integer NOT NULL DEFAULT 0,
  consultas     integer NOT NULL DEFAULT 0,
  fallos        integer NOT NULL DEFAULT 0,
  registros     bigint,
  due_at        timestamptz(3) NOT NULL DEFAULT now(),
  solicitada_en timestamptz(3)
);
CREATE UNIQUE INDEX parte_solicitud_id_inicio_key ON parte (solicitud_id, inicio);

CREATE TABLE paquete_sat (
  parte_id    uuid NOT NULL REFERENCES parte (id) ON DELETE CASCADE,
  paquete     text NOT NULL,
  orden       integer NOT NULL,
  object_key  text,
  bytes       bigint,
  sha256      text,
  relecturas  integer NOT NULL DEFAULT 0,
  guardado_en timestamptz(3),
  PRIMARY KEY (parte_id, paquete)
);

CREATE TABLE outbox (
  id           bigserial PRIMARY KEY,
  solicitud_id uuid NOT NULL,
  gen          integer NOT NULL,
  cola         text NOT NULL CHECK (cola IN ('descargas', 'ensambles')),
  due_at       timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX outbox_solicitud_id_gen_key ON outbox (solicitud_id, gen);

CREATE TABLE credencial_sellada (
  solicitud_id uuid PRIMARY KEY REFERENCES solicitud (id) ON DELETE CASCADE,
  tipo         text NOT NULL CHECK (tipo IN ('ciec', 'efirma')),
  kid          text NOT NULL,
  sobre        bytea NOT NULL,
  expira_en    timestamptz(3) NOT NULL
);
CREATE INDEX credencial_sellada_expira_en ON credencial_sellada (expira_en);

CREATE TABLE evento (
  id           bigserial PRIMARY KEY,
  solicitud_id uuid NOT NULL REFERENCES solicitud (id) ON DELETE CASCADE,
  tipo         text NOT NULL,
  codigo       text,
  detalle      text,
  en           timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX evento_solicitud_id_id_idx ON evento (solicitud_id, id);

CREATE TABLE auditoria (
  id               bigserial PRIMARY KEY,
  cuenta_id        uuid,
  contribuyente_id uuid,
  actor            text NOT NULL,
  accion           text NOT NULL,
  detalle          jsonb NOT NULL DEFAULT '{}',
  ip               text,
  en               timestamptz(3) NOT NULL DEFAULT now()
);
CREATE INDEX auditoria_cuenta_id_id_idx ON auditoria (cuenta_id, id);

CREATE TABLE idempotencia (
  api_key_id      text NOT NULL,
  operacion       text NOT NULL,
  clave           text NOT NULL,
  cuerpo_hash     bytea NOT NULL,
  op_id           uuid NOT NULL,
  status          integer,
  respuesta       text,
  bloqueada_hasta timestamptz(3) NOT NULL,
  creada_en       timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (api_key_id, operacion, clave)
);
CREATE INDEX idempotencia_creada_en_idx ON idempotencia (creada_en);

CREATE TABLE latido (
  proceso      text PRIMARY KEY,
  rol          text NOT NULL,
  visto_en     timestamptz(3) NOT NULL,
  consumido_en timestamptz(3)
);

-- Whatever an answer to a caller depends on moves the taxpayer's version, whoever writes it: a pass read earlier is then known to be stale.
CREATE FUNCTION contribuyente_cambio() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contribuyente SET version = version + 1
  WHERE id = CASE TG_OP WHEN 'DELETE' THEN OLD.contribuyente_id ELSE NEW.contribuyente_id END;
  RETURN NULL;
END $$;
CREATE TRIGGER api_key_version AFTER INSERT OR UPDATE OR DELETE ON api_key
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();
CREATE TRIGGER operacion_deshabilitada_version AFTER INSERT OR UPDATE OR DELETE ON operacion_deshabilitada
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();
CREATE TRIGGER ip_permitida_version AFTER INSERT OR UPDATE OR DELETE ON ip_permitida
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();
CREATE TRIGGER credencial_version AFTER INSERT OR UPDATE OR DELETE ON credencial
  FOR EACH ROW EXECUTE FUNCTION contribuyente_cambio();

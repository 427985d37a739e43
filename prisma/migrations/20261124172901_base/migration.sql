-- The schema of the first release. What each table and column holds: prisma/schema.prisma. Functions, triggers and views: prisma/functions.

CREATE TABLE cuenta (
  id uuid NOT NULL,
  nombre text NOT NULL,
  email text NOT NULL,
  saldo integer DEFAULT 0 NOT NULL,
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  suspendida_en timestamptz(3),
  suspension_motivo text,
  CONSTRAINT cuenta_pkey PRIMARY KEY (id),
  CONSTRAINT cuenta_saldo_check CHECK (saldo >= 0),
  CONSTRAINT cuenta_suspension_check CHECK ((suspendida_en IS NULL) = (suspension_motivo IS NULL))
) WITH (fillfactor='70');
CREATE UNIQUE INDEX cuenta_email_key ON cuenta (email);

CREATE TABLE contribuyente (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  rfc text NOT NULL,
  nombre text,
  id_cif text,
  version bigint DEFAULT 1 NOT NULL,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT contribuyente_pkey PRIMARY KEY (id),
  CONSTRAINT contribuyente_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE UNIQUE INDEX contribuyente_cuenta_id_rfc_key ON contribuyente (cuenta_id, rfc);

CREATE TABLE api_key (
  id text NOT NULL,
  contribuyente_id uuid NOT NULL,
  modo text NOT NULL,
  hash bytea NOT NULL,
  pepper_version integer NOT NULL,
  ultimos4 text NOT NULL,
  estado text DEFAULT 'ACTIVA' NOT NULL,
  registrada_en timestamptz(3),
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  terminada_en timestamptz(3),
  usuario_id uuid,
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_estado_check CHECK (estado IN ('ACTIVA', 'REEMPLAZADA', 'REVOCADA')),
  CONSTRAINT api_key_modo_check CHECK (modo IN ('test', 'live')),
  CONSTRAINT api_key_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id)
);
CREATE INDEX api_key_activa_creada_en_idx ON api_key (creada_en, id) WHERE (estado = 'ACTIVA');
CREATE INDEX api_key_contribuyente_id_idx ON api_key (contribuyente_id);
CREATE UNIQUE INDEX api_key_una_activa ON api_key (contribuyente_id) WHERE (estado = 'ACTIVA');

CREATE TABLE api_key_uso (
  api_key_id text NOT NULL,
  ultimo_uso_en timestamptz(3) NOT NULL,
  ultima_ip text NOT NULL,
  CONSTRAINT api_key_uso_pkey PRIMARY KEY (api_key_id),
  CONSTRAINT api_key_uso_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE
);

CREATE TABLE operacion (
  path text NOT NULL,
  costo integer DEFAULT 0 NOT NULL,
  CONSTRAINT operacion_pkey PRIMARY KEY (path),
  CONSTRAINT operacion_costo_check CHECK (costo >= 0)
);

CREATE TABLE operacion_deshabilitada (
  contribuyente_id uuid NOT NULL,
  operacion text NOT NULL,
  CONSTRAINT operacion_deshabilitada_pkey PRIMARY KEY (contribuyente_id, operacion),
  CONSTRAINT operacion_deshabilitada_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE,
  CONSTRAINT operacion_deshabilitada_operacion_fkey FOREIGN KEY (operacion) REFERENCES operacion(path)
);

CREATE TABLE ip_permitida (
  contribuyente_id uuid NOT NULL,
  cidr text NOT NULL,
  CONSTRAINT ip_permitida_pkey PRIMARY KEY (contribuyente_id, cidr),
  CONSTRAINT ip_permitida_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE
);

CREATE TABLE credencial (
  id uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  api_key_id text NOT NULL,
  tipo text NOT NULL,
  kid text NOT NULL,
  sobre bytea NOT NULL,
  no_serie text,
  titular text,
  vigente_hasta timestamptz(3),
  expira_en timestamptz(3),
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  rechazada_soap_en timestamptz(3),
  rechazada_portal_en timestamptz(3),
  advertencias text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT credencial_pkey PRIMARY KEY (id),
  CONSTRAINT credencial_tipo_check CHECK (tipo IN ('ciec', 'efirma_cer', 'efirma_key')),
  CONSTRAINT credencial_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX credencial_contribuyente_id_tipo_key ON credencial (contribuyente_id, tipo);
CREATE INDEX credencial_expira_en ON credencial (expira_en) WHERE (expira_en IS NOT NULL);
CREATE INDEX credencial_vigente_hasta_idx ON credencial (vigente_hasta, id) WHERE (tipo = 'efirma_cer');

CREATE UNLOGGED TABLE efirma_shred (
  credencial_id uuid NOT NULL,
  llave bytea NOT NULL,
  expira_en timestamptz(3) NOT NULL,
  CONSTRAINT efirma_shred_pkey PRIMARY KEY (credencial_id)
);

CREATE TABLE movimiento (
  id bigserial,
  cuenta_id uuid NOT NULL,
  contribuyente_id uuid,
  op_id uuid NOT NULL,
  tipo text NOT NULL,
  importe integer NOT NULL,
  operacion text,
  solicitud_id uuid,
  pago_id text,
  detalle text,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  saldo integer NOT NULL,
  CONSTRAINT movimiento_pkey PRIMARY KEY (id),
  CONSTRAINT movimiento_check CHECK ( CASE tipo WHEN 'cargo' THEN (importe < 0) WHEN 'ajuste' THEN (importe <> 0) ELSE (importe > 0) END),
  CONSTRAINT movimiento_tipo_check CHECK (tipo IN ('compra', 'cargo', 'reembolso', 'ajuste')),
  CONSTRAINT movimiento_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE INDEX movimiento_contribuyente_id_creado_en_id_idx ON movimiento (contribuyente_id, creado_en, id);
CREATE INDEX movimiento_contribuyente_id_operacion_creado_en_id_idx ON movimiento (contribuyente_id, operacion, creado_en, id);
CREATE INDEX movimiento_cuenta_id_creado_en_id_idx ON movimiento (cuenta_id, creado_en, id);
CREATE INDEX movimiento_cuenta_id_operacion_creado_en_id_idx ON movimiento (cuenta_id, operacion, creado_en, id);
CREATE INDEX movimiento_no_cargo_idx ON movimiento (cuenta_id, tipo, creado_en, id) WHERE (tipo <> 'cargo');
CREATE INDEX movimiento_no_cargo_rfc_idx ON movimiento (contribuyente_id, tipo, creado_en, id) WHERE (tipo <> 'cargo');
CREATE UNIQUE INDEX movimiento_op_id_tipo_key ON movimiento (op_id, tipo);
CREATE UNIQUE INDEX movimiento_pago_id_key ON movimiento (pago_id) WHERE (pago_id IS NOT NULL);
CREATE INDEX movimiento_sin_pedir_idx ON movimiento (creado_en, id) WHERE ((tipo = 'reembolso') AND (detalle IN ('la llamada quedó sin respuesta',
  'PLAZO_AGOTADO')));

CREATE TABLE solicitud (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  api_key_id text NOT NULL,
  rfc text NOT NULL,
  tipo text NOT NULL,
  desde date NOT NULL,
  hasta date NOT NULL,
  canal text NOT NULL,
  estado text DEFAULT 'EN_PROCESO' NOT NULL,
  fase text DEFAULT 'DESCARGA' NOT NULL,
  epoch integer DEFAULT 0 NOT NULL,
  gen integer DEFAULT 1 NOT NULL,
  due_at timestamptz(3) DEFAULT now() NOT NULL,
  lease_until timestamptz(3),
  deadline_at timestamptz(3) NOT NULL,
  intentos integer DEFAULT 0 NOT NULL,
  fallos integer DEFAULT 0 NOT NULL,
  ultima_consulta_en timestamptz(3),
  motivo text,
  registros bigint,
  object_key text,
  bytes bigint,
  sha256 text,
  paquete_borrado_en timestamptz(3),
  objetos_borrados_en timestamptz(3),
  idem_key text,
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  terminada_en timestamptz(3),
  resumen jsonb,
  rastro_borrado_en timestamptz(3),
  confianza text,
  canal_dejado text,
  formato text DEFAULT 'csv' NOT NULL,
  modo text DEFAULT 'live' NOT NULL,
  costo integer DEFAULT 1 NOT NULL,
  traceparent text,
  sincronizacion_id uuid,
  capsula boolean DEFAULT false NOT NULL,
  contrapartes_listadas integer,
  contrapartes_adversas integer,
  CONSTRAINT solicitud_pkey PRIMARY KEY (id),
  CONSTRAINT solicitud_canal_check CHECK (canal IN ('soap', 'portal')),
  CONSTRAINT solicitud_canal_dejado_check CHECK (canal_dejado IN ('soap', 'portal')),
  CONSTRAINT solicitud_check CHECK (desde <= hasta),
  CONSTRAINT solicitud_check1 CHECK ((estado = 'TERMINADA') = (object_key IS NOT NULL)),
  CONSTRAINT solicitud_check2 CHECK ((estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')) = (terminada_en IS NULL)),
  CONSTRAINT solicitud_confianza_check CHECK (confianza IN ('confirmado', 'sin_confirmar')),
  CONSTRAINT solicitud_costo_check CHECK (costo >= 0),
  CONSTRAINT solicitud_estado_check CHECK (estado IN ('EN_PROCESO', 'ESPERA_EFIRMA', 'TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA')),
  CONSTRAINT solicitud_fase_check CHECK (fase IN ('DESCARGA', 'ENSAMBLE')),
  CONSTRAINT solicitud_formato_check CHECK (formato IN ('csv', 'xlsx', 'ndjson', 'parquet')),
  CONSTRAINT solicitud_modo_check CHECK (modo IN ('test', 'live')),
    CONSTRAINT solicitud_motivo_check CHECK (motivo IN ('NO_RESPONDE', 'TIEMPO_AGOTADO', 'RESPUESTA_ILEGIBLE', 'SERVICIO_CON_ERROR',
    'CORTACIRCUITOS_ABIERTO', 'OCUPADO', 'CAPTCHA_RECHAZADO', 'SIN_RESOLVEDOR_DE_CAPTCHA', 'CIEC_RECHAZADA', 'EFIRMA_RECHAZADA', 'CANAL_DESACTIVADO',
    'PETICION_RECHAZADA', 'HOST_NO_PERMITIDO', 'CANCELADA', 'SAT_RECHAZADA', 'SAT_ERROR', 'SAT_VENCIDA', 'SAT_DESCONOCIDA', 'PLAZO_AGOTADO',
    'CREDENCIAL_NO_DISPONIBLE', 'PAQUETE_SAT_INVALIDO', 'PAQUETE_SAT_AGOTADO', 'SOLICITUDES_AGOTADAS', 'SAT_RECHAZO_LA_SOLICITUD',
    'DEMASIADOS_CFDI_POR_SEGUNDO', 'API_KEY_REVOCADA', 'CONSENTIMIENTO_REVOCADO', 'CANCELADA_POR_EL_CLIENTE', 'VACIA_SIN_CONFIRMAR',
    'EFIRMA_EXPIRADA')),
  CONSTRAINT solicitud_tipo_check CHECK (tipo IN ('emitidos', 'recibidos')),
  CONSTRAINT solicitud_traceparent_check CHECK (length(traceparent) = 55),
  CONSTRAINT solicitud_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id),
  CONSTRAINT solicitud_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
) WITH (fillfactor='80');
CREATE INDEX solicitud_contribuyente_lista ON solicitud (contribuyente_id, estado, tipo, id) INCLUDE (desde, hasta, creada_en);
CREATE INDEX solicitud_cuenta_lista ON solicitud (cuenta_id, estado, tipo, id) INCLUDE (desde, hasta, creada_en);
CREATE INDEX solicitud_deadline_at ON solicitud (deadline_at) WHERE (estado IN ('EN_PROCESO', 'ESPERA_EFIRMA'));
CREATE INDEX solicitud_due_at ON solicitud (due_at) WHERE (estado = 'EN_PROCESO');
CREATE INDEX solicitud_final ON solicitud (cuenta_id, reverse((id)::text) text_pattern_ops);
CREATE UNIQUE INDEX solicitud_idem_key ON solicitud (api_key_id, idem_key) WHERE (idem_key IS NOT NULL);
CREATE UNIQUE INDEX solicitud_igual_abierta ON solicitud (api_key_id, tipo, desde, hasta, formato) WHERE (estado IN ('EN_PROCESO', 'ESPERA_EFIRMA'));
CREATE INDEX solicitud_periodo ON solicitud (cuenta_id, desde, hasta);
CREATE INDEX solicitud_por_purgar ON solicitud (COALESCE(paquete_borrado_en, terminada_en)) WHERE ((terminada_en IS NOT NULL) AND (objetos_borrados_en
  IS NULL) AND ((estado <> 'TERMINADA') OR (paquete_borrado_en IS NOT NULL)));
CREATE INDEX solicitud_rastro ON solicitud (terminada_en) WHERE ((objetos_borrados_en IS NOT NULL) AND (rastro_borrado_en IS NULL));
CREATE INDEX solicitud_retencion ON solicitud (terminada_en) WHERE ((estado = 'TERMINADA') AND (paquete_borrado_en IS NULL));
CREATE INDEX solicitud_sincronizacion ON solicitud (sincronizacion_id) WHERE ((sincronizacion_id IS NOT NULL) AND (estado IN ('EN_PROCESO',
  'ESPERA_EFIRMA')));

CREATE TABLE parte (
  id uuid NOT NULL,
  solicitud_id uuid NOT NULL,
  inicio text NOT NULL,
  fin text NOT NULL,
  estado text DEFAULT 'PENDIENTE' NOT NULL,
  folio text,
  desfase integer DEFAULT 0 NOT NULL,
  envios integer DEFAULT 0 NOT NULL,
  reenvios integer DEFAULT 0 NOT NULL,
  consultas integer DEFAULT 0 NOT NULL,
  fallos integer DEFAULT 0 NOT NULL,
  registros bigint,
  due_at timestamptz(3) DEFAULT now() NOT NULL,
  solicitada_en timestamptz(3),
  canal text,
  vacias text[] DEFAULT '{}'::text[] NOT NULL,
  accesos smallint DEFAULT 0 NOT NULL,
  CONSTRAINT parte_pkey PRIMARY KEY (id),
  CONSTRAINT parte_canal_check CHECK (canal IN ('soap', 'portal')),
  CONSTRAINT parte_check CHECK ((fin ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$') AND (fin >= inicio)),
  CONSTRAINT parte_estado_check CHECK (estado IN ('PENDIENTE', 'SOLICITANDO', 'SOLICITADA', 'DISPONIBLE', 'DESCARGADA', 'VACIA')),
  CONSTRAINT parte_inicio_check CHECK (inicio ~ '^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$'),
  CONSTRAINT parte_solicitud_id_fkey FOREIGN KEY (solicitud_id) REFERENCES solicitud(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX parte_solicitud_id_inicio_key ON parte (solicitud_id, inicio);

CREATE TABLE paquete_sat (
  parte_id uuid NOT NULL,
  paquete text NOT NULL,
  orden integer NOT NULL,
  object_key text,
  bytes bigint,
  sha256 text,
  relecturas integer DEFAULT 0 NOT NULL,
  guardado_en timestamptz(3),
  CONSTRAINT paquete_sat_pkey PRIMARY KEY (parte_id, paquete),
  CONSTRAINT paquete_sat_parte_id_fkey FOREIGN KEY (parte_id) REFERENCES parte(id) ON DELETE CASCADE
);

CREATE TABLE outbox (
  solicitud_id uuid NOT NULL,
  gen integer NOT NULL,
  cola text NOT NULL,
  due_at timestamptz(3) NOT NULL,
  cuenta_id uuid NOT NULL,
  rung_at timestamptz(3),
  CONSTRAINT outbox_pkey PRIMARY KEY (solicitud_id),
  CONSTRAINT outbox_cola_check CHECK (cola IN ('descargas', 'ensambles'))
) WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='1000');
CREATE INDEX outbox_cuenta_due ON outbox (cola, cuenta_id, due_at) WHERE (rung_at IS NULL);
CREATE INDEX outbox_due ON outbox (cola, due_at) WHERE (rung_at IS NULL);
CREATE INDEX outbox_rung ON outbox (cola, rung_at) WHERE (rung_at IS NOT NULL);

CREATE TABLE credencial_sellada (
  solicitud_id uuid NOT NULL,
  tipo text NOT NULL,
  kid text NOT NULL,
  sobre bytea NOT NULL,
  expira_en timestamptz(3) NOT NULL,
  CONSTRAINT credencial_sellada_pkey PRIMARY KEY (solicitud_id, tipo),
  CONSTRAINT credencial_sellada_tipo_check CHECK (tipo IN ('ciec', 'efirma')),
  CONSTRAINT credencial_sellada_solicitud_id_fkey FOREIGN KEY (solicitud_id) REFERENCES solicitud(id) ON DELETE CASCADE
);
CREATE INDEX credencial_sellada_expira_en ON credencial_sellada (expira_en);

CREATE TABLE capsula (
  solicitud_id uuid NOT NULL,
  kid text NOT NULL,
  sobre bytea NOT NULL,
  folios text[] NOT NULL,
  hecha_en timestamptz(3) DEFAULT now() NOT NULL,
  expira_en timestamptz(3) NOT NULL,
  CONSTRAINT capsula_pkey PRIMARY KEY (solicitud_id),
  CONSTRAINT capsula_check CHECK (expira_en <= (hecha_en + '72:10:00'::interval)),
  CONSTRAINT capsula_folios_check CHECK (cardinality(folios) > 0),
  CONSTRAINT capsula_sobre_check CHECK (length(sobre) <= 4000000),
  CONSTRAINT capsula_solicitud_id_fkey FOREIGN KEY (solicitud_id) REFERENCES solicitud(id) ON DELETE CASCADE
);
-- Sealed bytes do not compress.
ALTER TABLE capsula ALTER COLUMN sobre SET STORAGE EXTERNAL;
CREATE INDEX capsula_expira ON capsula (expira_en);

CREATE TABLE evento (
  id bigserial,
  solicitud_id uuid NOT NULL,
  tipo text NOT NULL,
  codigo text,
  detalle text,
  en timestamptz(3) DEFAULT now() NOT NULL,
  veces integer DEFAULT 1 NOT NULL,
  ultima_en timestamptz(3),
  CONSTRAINT evento_pkey PRIMARY KEY (id),
  CONSTRAINT evento_solicitud_id_fkey FOREIGN KEY (solicitud_id) REFERENCES solicitud(id) ON DELETE CASCADE
) WITH (fillfactor='90');
CREATE INDEX evento_solicitud_id_id_idx ON evento (solicitud_id, id);

CREATE TABLE paso (
  solicitud_id uuid NOT NULL,
  epoch integer NOT NULL,
  cola text NOT NULL,
  notas text NOT NULL,
  proceso text NOT NULL,
  en timestamptz(3) NOT NULL,
  bandeja_ms integer,
  cola_ms integer,
  ms integer NOT NULL,
  consultas jsonb,
  veces integer DEFAULT 1 NOT NULL,
  ultimo_en timestamptz(3),
  CONSTRAINT paso_pkey PRIMARY KEY (solicitud_id, epoch),
  CONSTRAINT paso_cola_check CHECK (cola IN ('descargas', 'ensambles')),
  CONSTRAINT paso_solicitud_id_fkey FOREIGN KEY (solicitud_id) REFERENCES solicitud(id) ON DELETE CASCADE
) WITH (fillfactor='90');

CREATE TABLE auditoria (
  id bigserial,
  cuenta_id uuid,
  contribuyente_id uuid,
  actor text NOT NULL,
  accion text NOT NULL,
  detalle jsonb DEFAULT '{}' NOT NULL,
  ip text,
  en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT auditoria_pkey PRIMARY KEY (id)
);
CREATE INDEX auditoria_accion_id_idx ON auditoria (accion, id);
CREATE INDEX auditoria_actor_id_idx ON auditoria (actor, id);
CREATE INDEX auditoria_cuenta_id_id_idx ON auditoria (cuenta_id, id);
CREATE INDEX auditoria_en_idx ON auditoria (en);

CREATE TABLE idempotencia (
  api_key_id text NOT NULL,
  operacion text NOT NULL,
  clave text NOT NULL,
  cuerpo_hash bytea NOT NULL,
  op_id uuid NOT NULL,
  status integer,
  bloqueada_hasta timestamptz(3) NOT NULL,
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  sobre bytea,
  CONSTRAINT idempotencia_pkey PRIMARY KEY (api_key_id, operacion, clave)
);
CREATE INDEX idempotencia_creada_en_idx ON idempotencia (creada_en);

CREATE TABLE latido (
  proceso text NOT NULL,
  rol text NOT NULL,
  visto_en timestamptz(3) NOT NULL,
  consumido_en timestamptz(3),
  slots integer DEFAULT 0 NOT NULL,
  CONSTRAINT latido_pkey PRIMARY KEY (proceso)
);
CREATE INDEX latido_visto_en_idx ON latido (visto_en);

CREATE TABLE llamada (
  op_id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  operacion text NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  CONSTRAINT llamada_pkey PRIMARY KEY (op_id),
  CONSTRAINT llamada_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE INDEX llamada_vence_en_idx ON llamada (vence_en);

CREATE TABLE consulta_en_curso (
  contribuyente_id uuid NOT NULL,
  clave text NOT NULL,
  folio text NOT NULL,
  inicio text NOT NULL,
  fin text NOT NULL,
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT consulta_en_curso_pkey PRIMARY KEY (contribuyente_id, clave),
  CONSTRAINT consulta_en_curso_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE
);
CREATE INDEX consulta_en_curso_creada_en_idx ON consulta_en_curso (creada_en);

CREATE TABLE documento (
  id uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  tipo text NOT NULL,
  object_key text NOT NULL,
  bytes bigint NOT NULL,
  sha256 text NOT NULL,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  borrado_en timestamptz(3),
  CONSTRAINT documento_pkey PRIMARY KEY (id),
  CONSTRAINT documento_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE
);
CREATE INDEX documento_borrado_idx ON documento (borrado_en) WHERE (borrado_en IS NOT NULL);
CREATE INDEX documento_contribuyente_id_idx ON documento (contribuyente_id, id);
CREATE INDEX documento_por_borrar_idx ON documento (creado_en) WHERE (borrado_en IS NULL);

CREATE TABLE efos_version (
  id uuid NOT NULL,
  fecha_corte date NOT NULL,
  fuente text NOT NULL,
  etag text,
  ultima_modificacion text,
  filas integer DEFAULT 0 NOT NULL,
  sha256 text,
  cargada_en timestamptz(3) DEFAULT now() NOT NULL,
  revisada_en timestamptz(3) DEFAULT now() NOT NULL,
  archivo text DEFAULT '69-b' NOT NULL,
  CONSTRAINT efos_version_pkey PRIMARY KEY (id),
  CONSTRAINT efos_version_archivo_check CHECK (archivo = '69-b'),
  CONSTRAINT efos_version_filas_check CHECK (filas >= 0)
);

CREATE TABLE efos_fila (
  version_id uuid NOT NULL,
  orden integer NOT NULL,
  rfc text,
  nombre text NOT NULL,
  situacion text NOT NULL,
  historial jsonb NOT NULL,
  CONSTRAINT efos_fila_pkey PRIMARY KEY (version_id, orden),
  CONSTRAINT efos_fila_situacion_check CHECK (situacion IN ('PRESUNTO', 'DESVIRTUADO', 'DEFINITIVO', 'SENTENCIA_FAVORABLE')),
  CONSTRAINT efos_fila_version_id_fkey FOREIGN KEY (version_id) REFERENCES efos_version(id) ON DELETE CASCADE
);
CREATE INDEX efos_fila_version_id_rfc_idx ON efos_fila (version_id, rfc);

CREATE TABLE efos_vigente (
  unica boolean DEFAULT true NOT NULL,
  version_id uuid NOT NULL,
  archivo text DEFAULT '69-b' NOT NULL,
  CONSTRAINT efos_vigente_pkey PRIMARY KEY (unica),
  CONSTRAINT efos_vigente_archivo_check CHECK (archivo = '69-b'),
  CONSTRAINT efos_vigente_unica_check CHECK (unica),
  CONSTRAINT efos_vigente_archivo_key UNIQUE (archivo),
  CONSTRAINT efos_vigente_version_id_fkey FOREIGN KEY (version_id) REFERENCES efos_version(id)
);

CREATE TABLE efos_carga (
  id bigserial,
  iniciada_en timestamptz(3) DEFAULT now() NOT NULL,
  terminada_en timestamptz(3),
  resultado text DEFAULT 'EN_CURSO' NOT NULL,
  motivo text,
  archivo text DEFAULT '69-b' NOT NULL,
  CONSTRAINT efos_carga_pkey PRIMARY KEY (id),
  CONSTRAINT efos_carga_archivo_check CHECK (archivo = '69-b'),
  CONSTRAINT efos_carga_resultado_check CHECK (resultado IN ('EN_CURSO', 'CARGADA', 'SIN_CAMBIO', 'FALLIDA'))
);

CREATE TABLE efos_pedido (
  unica boolean DEFAULT true NOT NULL,
  pedido_en timestamptz NOT NULL,
  forzar boolean NOT NULL,
  archivo text DEFAULT '69-b' NOT NULL,
  CONSTRAINT efos_pedido_pkey PRIMARY KEY (unica),
  CONSTRAINT efos_pedido_archivo_check CHECK (archivo = '69-b'),
  CONSTRAINT efos_pedido_unica_check CHECK (unica),
  CONSTRAINT efos_pedido_archivo_key UNIQUE (archivo)
);

CREATE TABLE listado_version (
  id uuid NOT NULL,
  archivo text NOT NULL,
  fecha_corte date NOT NULL,
  fuente text NOT NULL,
  etag text,
  ultima_modificacion text,
  filas integer DEFAULT 0 NOT NULL,
  sha256 text,
  cargada_en timestamptz(3) DEFAULT now() NOT NULL,
  revisada_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT listado_version_pkey PRIMARY KEY (id),
  CONSTRAINT listado_version_filas_check CHECK (filas >= 0)
);

CREATE TABLE listado_fila (
  version_id uuid NOT NULL,
  orden integer NOT NULL,
  rfc text,
  nombre text NOT NULL,
  supuesto text NOT NULL,
  publicada date,
  CONSTRAINT listado_fila_pkey PRIMARY KEY (version_id, orden),
  CONSTRAINT listado_fila_version_id_fkey FOREIGN KEY (version_id) REFERENCES listado_version(id) ON DELETE CASCADE
);
CREATE INDEX listado_fila_rfc_version_id_idx ON listado_fila (rfc, version_id);

CREATE TABLE listado_vigente (
  archivo text NOT NULL,
  lista text NOT NULL,
  version_id uuid NOT NULL,
  CONSTRAINT listado_vigente_pkey PRIMARY KEY (archivo),
  CONSTRAINT listado_vigente_lista_check CHECK (lista IN ('69', '69-B Bis', 'CSD')),
  CONSTRAINT listado_vigente_version_id_fkey FOREIGN KEY (version_id) REFERENCES listado_version(id)
);

CREATE TABLE listado_carga (
  id bigserial,
  archivo text NOT NULL,
  iniciada_en timestamptz(3) DEFAULT now() NOT NULL,
  terminada_en timestamptz(3),
  resultado text DEFAULT 'EN_CURSO' NOT NULL,
  motivo text,
  CONSTRAINT listado_carga_pkey PRIMARY KEY (id),
  CONSTRAINT listado_carga_resultado_check CHECK (resultado IN ('EN_CURSO', 'CARGADA', 'SIN_CAMBIO', 'FALLIDA'))
);
CREATE INDEX listado_carga_archivo_id_idx ON listado_carga (archivo, id);

CREATE TABLE listado_pedido (
  archivo text NOT NULL,
  pedido_en timestamptz NOT NULL,
  forzar boolean NOT NULL,
  CONSTRAINT listado_pedido_pkey PRIMARY KEY (archivo)
);

CREATE TABLE edos_lista (
  unica boolean DEFAULT true NOT NULL,
  fuente text NOT NULL,
  rfcs integer NOT NULL,
  importada_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT edos_lista_pkey PRIMARY KEY (unica),
  CONSTRAINT edos_lista_unica_check CHECK (unica)
);

CREATE TABLE edos_rfc (
  rfc text NOT NULL,
  CONSTRAINT edos_rfc_pkey PRIMARY KEY (rfc)
);

CREATE TABLE sesion_portal (
  id uuid NOT NULL,
  portal text NOT NULL,
  rfc text NOT NULL,
  tipo text NOT NULL,
  cookies bytea NOT NULL,
  sal text NOT NULL,
  huella text NOT NULL,
  usada_en timestamptz(3) DEFAULT now() NOT NULL,
  por_cerrar boolean DEFAULT false NOT NULL,
  abierta_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT sesion_portal_pkey PRIMARY KEY (id),
  CONSTRAINT sesion_portal_tipo_check CHECK (tipo IN ('ciec', 'efirma'))
);
CREATE INDEX sesion_portal_por_cerrar_idx ON sesion_portal (id) WHERE por_cerrar;
CREATE INDEX sesion_portal_rfc_idx ON sesion_portal (rfc);
CREATE INDEX sesion_portal_usada_en_idx ON sesion_portal (usada_en);
CREATE UNIQUE INDEX sesion_portal_viva_key ON sesion_portal (portal, rfc, tipo) WHERE (NOT por_cerrar);

CREATE TABLE turno_acceso (
  rfc text NOT NULL,
  tipo text NOT NULL,
  token uuid,
  hasta timestamptz(3) NOT NULL,
  cuenta_id uuid,
  desde timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT turno_acceso_pkey PRIMARY KEY (rfc, tipo),
  CONSTRAINT turno_acceso_tipo_check CHECK (tipo IN ('ciec', 'efirma'))
);

CREATE TABLE rechazo_acceso (
  rfc text NOT NULL,
  tipo text NOT NULL,
  huella text NOT NULL,
  sal text NOT NULL,
  motivo text NOT NULL,
  codigo text,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT rechazo_acceso_pkey PRIMARY KEY (rfc, tipo, huella),
  CONSTRAINT rechazo_acceso_tipo_check CHECK (tipo IN ('ciec', 'efirma'))
);

CREATE TABLE estado_host (
  host text NOT NULL,
  fallos integer NOT NULL,
  fallos_antes integer NOT NULL,
  abierto_hasta bigint NOT NULL,
  sonda_hasta bigint NOT NULL,
  titulares text DEFAULT '' NOT NULL,
  titulares_antes text DEFAULT '' NOT NULL,
  CONSTRAINT estado_host_pkey PRIMARY KEY (host)
);

CREATE TABLE captcha_pendiente (
  id uuid NOT NULL,
  imagen bytea NOT NULL,
  respuesta text,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  CONSTRAINT captcha_pendiente_pkey PRIMARY KEY (id)
);
CREATE INDEX captcha_pendiente_vence_en_idx ON captcha_pendiente (vence_en);

CREATE TABLE usuario (
  id uuid NOT NULL,
  cuenta_id uuid,
  email text NOT NULL,
  nombre text NOT NULL,
  rol text DEFAULT 'CLIENTE' NOT NULL,
  password_hash text,
  password_kid text,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  correo_verificado_en timestamptz(3),
  correo_exigido boolean DEFAULT false NOT NULL,
  avisos_apagados text[] DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT usuario_pkey PRIMARY KEY (id),
    CONSTRAINT usuario_avisos_apagados_check CHECK (avisos_apagados <@ ARRAY['solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma',
    'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar', 'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado',
    'plazo.por_vencer']),
  CONSTRAINT usuario_check CHECK ((password_hash IS NULL) = (password_kid IS NULL)),
  CONSTRAINT usuario_email_check CHECK (email = lower(email)),
  CONSTRAINT usuario_rol_check CHECK (rol IN ('CLIENTE', 'OPERADOR')),
  CONSTRAINT usuario_email_key UNIQUE (email),
  CONSTRAINT usuario_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE INDEX usuario_cuenta_id_idx ON usuario (cuenta_id);

CREATE TABLE miembro (
  usuario_id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  papel text NOT NULL,
  desde timestamptz(3) DEFAULT now() NOT NULL,
  abierta_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT miembro_pkey PRIMARY KEY (usuario_id, cuenta_id),
  CONSTRAINT miembro_papel_check CHECK (papel IN ('PROPIETARIO', 'CONTADOR', 'DESARROLLADOR')),
  CONSTRAINT miembro_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id),
  CONSTRAINT miembro_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);
CREATE INDEX miembro_cuenta_id_idx ON miembro (cuenta_id);

CREATE TABLE invitacion (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  email text NOT NULL,
  papel text NOT NULL,
  huella bytea NOT NULL,
  usuario_id uuid NOT NULL,
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  CONSTRAINT invitacion_pkey PRIMARY KEY (id),
  CONSTRAINT invitacion_email_check CHECK (email = lower(email)),
  CONSTRAINT invitacion_papel_check CHECK (papel IN ('PROPIETARIO', 'CONTADOR', 'DESARROLLADOR')),
  CONSTRAINT invitacion_cuenta_id_email_key UNIQUE (cuenta_id, email),
  CONSTRAINT invitacion_huella_key UNIQUE (huella),
  CONSTRAINT invitacion_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id),
  CONSTRAINT invitacion_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);
CREATE INDEX invitacion_usuario_id_idx ON invitacion (usuario_id);
CREATE INDEX invitacion_vence_en_idx ON invitacion (vence_en);

CREATE TABLE segundo_factor (
  usuario_id uuid NOT NULL,
  secreto bytea NOT NULL,
  confirmado_en timestamptz(3),
  ultimo_paso bigint DEFAULT 0 NOT NULL,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT segundo_factor_pkey PRIMARY KEY (usuario_id),
  CONSTRAINT segundo_factor_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);

CREATE TABLE codigo_recuperacion (
  usuario_id uuid NOT NULL,
  huella bytea NOT NULL,
  usado_en timestamptz(3),
  CONSTRAINT codigo_recuperacion_pkey PRIMARY KEY (usuario_id, huella),
  CONSTRAINT codigo_recuperacion_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);

CREATE TABLE codigo_acceso (
  usuario_id uuid NOT NULL,
  huella bytea NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  CONSTRAINT codigo_acceso_pkey PRIMARY KEY (usuario_id),
  CONSTRAINT codigo_acceso_huella_key UNIQUE (huella),
  CONSTRAINT codigo_acceso_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);

CREATE TABLE sesion (
  huella bytea NOT NULL,
  id uuid NOT NULL,
  usuario_id uuid,
  fase text NOT NULL,
  agente text DEFAULT '' NOT NULL,
  ip text DEFAULT '' NOT NULL,
  aviso jsonb,
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  ultimo_uso_en timestamptz(3) DEFAULT now() NOT NULL,
  inactiva_en timestamptz(3) NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  cuenta_id uuid,
  CONSTRAINT sesion_pkey PRIMARY KEY (huella),
  CONSTRAINT sesion_check CHECK ((usuario_id IS NULL) = (fase = 'ANONIMA')),
  CONSTRAINT sesion_fase_check CHECK (fase IN ('ANONIMA', 'SEGUNDO_PASO', 'COMPLETA')),
  CONSTRAINT sesion_id_key UNIQUE (id),
  CONSTRAINT sesion_usuario_id_cuenta_id_fkey FOREIGN KEY (usuario_id, cuenta_id) REFERENCES miembro(usuario_id, cuenta_id) ON DELETE CASCADE,
  CONSTRAINT sesion_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);
CREATE INDEX sesion_inactiva_en_idx ON sesion (inactiva_en);
CREATE INDEX sesion_usuario_id_idx ON sesion (usuario_id);

CREATE TABLE llave_recordada (
  sesion_id uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  api_key_id text NOT NULL,
  sobre bytea NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  CONSTRAINT llave_recordada_pkey PRIMARY KEY (sesion_id, contribuyente_id),
  CONSTRAINT llave_recordada_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_key(id) ON DELETE CASCADE,
  CONSTRAINT llave_recordada_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE,
  CONSTRAINT llave_recordada_sesion_id_fkey FOREIGN KEY (sesion_id) REFERENCES sesion(id) ON DELETE CASCADE
);
CREATE INDEX llave_recordada_api_key_id_idx ON llave_recordada (api_key_id);
CREATE INDEX llave_recordada_vence_en_idx ON llave_recordada (vence_en);

CREATE TABLE intento (
  clave text NOT NULL,
  tat timestamptz(3) NOT NULL,
  CONSTRAINT intento_pkey PRIMARY KEY (clave)
);
CREATE INDEX intento_tat_idx ON intento (tat);

CREATE TABLE uso_dia (
  cuenta_id uuid NOT NULL,
  dia date NOT NULL,
  tipo text NOT NULL,
  operacion text NOT NULL,
  movimientos integer NOT NULL,
  importe bigint NOT NULL,
  CONSTRAINT uso_dia_pkey PRIMARY KEY (cuenta_id, dia, tipo, operacion),
  CONSTRAINT uso_dia_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
) WITH (fillfactor='50');

CREATE TABLE pago (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  usuario_id uuid,
  clave uuid NOT NULL,
  referencia text NOT NULL,
  proveedor text NOT NULL,
  proveedor_ref text,
  creditos integer NOT NULL,
  subtotal integer NOT NULL,
  iva integer NOT NULL,
  total integer NOT NULL,
  estado text DEFAULT 'PENDIENTE' NOT NULL,
  motivo text,
  resuelto_por text,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  resuelto_en timestamptz(3),
  CONSTRAINT pago_pkey PRIMARY KEY (id),
  CONSTRAINT pago_check CHECK (total = (subtotal + iva)),
  CONSTRAINT pago_check1 CHECK ((estado = 'PENDIENTE') = (resuelto_en IS NULL)),
  CONSTRAINT pago_creditos_check CHECK (creditos > 0),
  CONSTRAINT pago_estado_check CHECK (estado IN ('PENDIENTE', 'ACREDITADO', 'RECHAZADO', 'CANCELADO')),
  CONSTRAINT pago_iva_check CHECK (iva >= 0),
  CONSTRAINT pago_subtotal_check CHECK (subtotal >= 0),
  CONSTRAINT pago_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE UNIQUE INDEX pago_cuenta_id_clave_key ON pago (cuenta_id, clave);
CREATE INDEX pago_cuenta_id_id_idx ON pago (cuenta_id, id);
CREATE INDEX pago_estado_id_idx ON pago (estado, id);
CREATE UNIQUE INDEX pago_proveedor_proveedor_ref_key ON pago (proveedor, proveedor_ref);
CREATE UNIQUE INDEX pago_referencia_key ON pago (referencia);

CREATE TABLE aviso_saldo (
  cuenta_id uuid NOT NULL,
  umbral integer NOT NULL,
  CONSTRAINT aviso_saldo_pkey PRIMARY KEY (cuenta_id),
  CONSTRAINT aviso_saldo_umbral_check CHECK (umbral >= 0),
  CONSTRAINT aviso_saldo_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);

CREATE TABLE salud_sat (
  minuto timestamptz(0) NOT NULL,
  host text NOT NULL,
  canal text NOT NULL,
  exitos integer DEFAULT 0 NOT NULL,
  rechazos integer DEFAULT 0 NOT NULL,
  fallos integer DEFAULT 0 NOT NULL,
  canceladas integer DEFAULT 0 NOT NULL,
  evitadas integer DEFAULT 0 NOT NULL,
  cubetas integer[] NOT NULL,
  CONSTRAINT salud_sat_pkey PRIMARY KEY (minuto, host, canal),
  CONSTRAINT salud_sat_canal_check CHECK (canal IN ('soap', 'portal', 'publico', 'lista'))
);

CREATE TABLE espera_sat (
  dia date NOT NULL,
  hora smallint NOT NULL,
  modo text NOT NULL,
  canal text NOT NULL,
  tipo text NOT NULL,
  descargas integer NOT NULL,
  grupos bigint NOT NULL,
  cubetas integer[] NOT NULL,
  CONSTRAINT espera_sat_pkey PRIMARY KEY (dia, hora, modo, canal, tipo),
  CONSTRAINT espera_sat_canal_check CHECK (canal IN ('soap', 'portal')),
  CONSTRAINT espera_sat_hora_check CHECK ((hora >= 0) AND (hora <= 23)),
  CONSTRAINT espera_sat_modo_check CHECK (modo IN ('live', 'test')),
  CONSTRAINT espera_sat_tipo_check CHECK (tipo IN ('emitidos', 'recibidos'))
);

CREATE TABLE webhook (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  url text NOT NULL,
  descripcion text DEFAULT '' NOT NULL,
  eventos text[] NOT NULL,
  rfcs text[] DEFAULT '{}'::text[] NOT NULL,
  estado text DEFAULT 'ACTIVO' NOT NULL,
  motivo text,
  secuencia bigint DEFAULT 0 NOT NULL,
  fallos_seguidos integer DEFAULT 0 NOT NULL,
  fallando_desde timestamptz(3),
  espera_hasta timestamptz(3),
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  apagado_en timestamptz(3),
  borrado_en timestamptz(3),
  CONSTRAINT webhook_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_check CHECK (((estado = 'APAGADO') = (motivo IS NOT NULL)) AND ((estado = 'APAGADO') = (apagado_en IS NOT NULL))),
  CONSTRAINT webhook_check1 CHECK ((borrado_en IS NULL) OR (estado = 'APAGADO')),
  CONSTRAINT webhook_descripcion_check CHECK (length(descripcion) <= 200),
  CONSTRAINT webhook_estado_check CHECK (estado IN ('ACTIVO', 'APAGADO')),
    CONSTRAINT webhook_eventos_check CHECK ((cardinality(eventos) > 0) AND (eventos <@ ARRAY['solicitud.terminada', 'solicitud.fallida',
    'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar', 'cfdi.cambios',
    'sincronizacion.pausada', 'proveedor.listado'])),
  CONSTRAINT webhook_motivo_check CHECK (motivo IN ('USUARIO', 'CONTESTO_410', 'FALLA_DIAS', 'MUCHOS_PENDIENTES')),
  CONSTRAINT webhook_url_check CHECK ((length(url) >= 8) AND (length(url) <= 2048)),
  CONSTRAINT webhook_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE INDEX webhook_borrado_en_idx ON webhook (borrado_en) WHERE (borrado_en IS NOT NULL);
CREATE INDEX webhook_cuenta_id_idx ON webhook (cuenta_id);
CREATE INDEX webhook_saldo_bajo_idx ON webhook (id) WHERE ((estado = 'ACTIVO') AND ('saldo.bajo' = ANY (eventos)));

CREATE TABLE webhook_secreto (
  id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  sobre bytea NOT NULL,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  vence_en timestamptz(3),
  CONSTRAINT webhook_secreto_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_secreto_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX webhook_secreto_vigente ON webhook_secreto (webhook_id) WHERE (vence_en IS NULL);
CREATE INDEX webhook_secreto_webhook_id_idx ON webhook_secreto (webhook_id);

CREATE TABLE webhook_evento (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  rfc text,
  tipo text NOT NULL,
  solicitud_id uuid,
  datos jsonb NOT NULL,
  cuerpo text,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT webhook_evento_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_evento_creado_en_idx ON webhook_evento (creado_en);

CREATE TABLE webhook_entrega (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  webhook_id uuid NOT NULL,
  evento_id uuid NOT NULL,
  secuencia bigint NOT NULL,
  estado text DEFAULT 'PENDIENTE' NOT NULL,
  intentos integer DEFAULT 0 NOT NULL,
  epoch integer DEFAULT 0 NOT NULL,
  due_at timestamptz(3) DEFAULT date_trunc('milliseconds', now()) NOT NULL,
  tomada_hasta timestamptz(3),
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  terminada_en timestamptz(3),
  CONSTRAINT webhook_entrega_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_entrega_estado_check CHECK (estado IN ('PENDIENTE', 'ENTREGADA', 'FALLIDA')),
  CONSTRAINT webhook_entrega_webhook_id_secuencia_key UNIQUE (webhook_id, secuencia),
  CONSTRAINT webhook_entrega_evento_id_fkey FOREIGN KEY (evento_id) REFERENCES webhook_evento(id) ON DELETE CASCADE,
  CONSTRAINT webhook_entrega_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_entrega_evento_id_idx ON webhook_entrega (evento_id);
CREATE INDEX webhook_entrega_fallida ON webhook_entrega (webhook_id, secuencia) WHERE (estado = 'FALLIDA');
CREATE INDEX webhook_entrega_pendiente ON webhook_entrega (webhook_id, due_at) WHERE (estado = 'PENDIENTE');
CREATE INDEX webhook_entrega_tomada ON webhook_entrega (webhook_id) WHERE (tomada_hasta IS NOT NULL);

CREATE TABLE webhook_intento (
  id bigint GENERATED BY DEFAULT AS IDENTITY,
  entrega_id uuid NOT NULL,
  en timestamptz(3) DEFAULT now() NOT NULL,
  ms integer NOT NULL,
  status integer,
  error text,
  respuesta text,
  CONSTRAINT webhook_intento_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_intento_entrega_id_fkey FOREIGN KEY (entrega_id) REFERENCES webhook_entrega(id) ON DELETE CASCADE
);
CREATE INDEX webhook_intento_entrega_id_idx ON webhook_intento (entrega_id);

CREATE TABLE webhook_aviso (
  webhook_id uuid NOT NULL,
  clave text NOT NULL,
  en timestamptz(3) DEFAULT now() NOT NULL,
  hasta timestamptz(3),
  CONSTRAINT webhook_aviso_pkey PRIMARY KEY (webhook_id, clave),
  CONSTRAINT webhook_aviso_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhook(id) ON DELETE CASCADE
);
CREATE INDEX webhook_aviso_hasta_idx ON webhook_aviso (hasta) WHERE (hasta IS NOT NULL);
CREATE INDEX webhook_aviso_saldo_bajo_idx ON webhook_aviso (webhook_id) WHERE (clave = 'saldo.bajo');

CREATE TABLE borrado (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  rfc text,
  rfc_huella text NOT NULL,
  pedido_en timestamptz(3) DEFAULT now() NOT NULL,
  cerrado_en timestamptz(3),
  contado jsonb DEFAULT '{}' NOT NULL,
  numero integer,
  informe text,
  huella text,
  terminado_en timestamptz(3),
  CONSTRAINT borrado_pkey PRIMARY KEY (id),
  CONSTRAINT borrado_check CHECK ((terminado_en IS NULL) = (rfc IS NOT NULL)),
    CONSTRAINT borrado_check1 CHECK (((terminado_en IS NULL) = (informe IS NULL)) AND ((terminado_en IS NULL) = (huella IS NULL)) AND ((terminado_en
    IS NULL) = (numero IS NULL)))
);
CREATE UNIQUE INDEX borrado_abierto ON borrado (contribuyente_id) WHERE (terminado_en IS NULL);
CREATE UNIQUE INDEX borrado_numero_key ON borrado (numero);

CREATE TABLE almacen (
  id integer GENERATED ALWAYS AS IDENTITY,
  contribuyente_id uuid NOT NULL,
  cambios bigint DEFAULT 0 NOT NULL,
  lecturas integer DEFAULT 0 NOT NULL,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  borrado_en timestamptz(3),
  CONSTRAINT almacen_pkey PRIMARY KEY (id),
  CONSTRAINT almacen_cambios_check CHECK (cambios >= 0),
  CONSTRAINT almacen_lecturas_check CHECK (lecturas >= 0),
  CONSTRAINT almacen_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id) ON DELETE CASCADE
);
CREATE INDEX almacen_contribuyente ON almacen (contribuyente_id);

CREATE TABLE lectura (
  almacen_id integer NOT NULL,
  n integer NOT NULL,
  solicitud_id uuid NOT NULL,
  tipo text NOT NULL,
  desde date NOT NULL,
  hasta date NOT NULL,
  pedida_en timestamptz(3) NOT NULL,
  leida_en timestamptz(3) DEFAULT now() NOT NULL,
  filas integer NOT NULL,
  nuevos integer NOT NULL,
  cambiados integer NOT NULL,
  ausentes integer NOT NULL,
  es_dudosa boolean NOT NULL,
  despues_de bigint DEFAULT 0 NOT NULL,
  CONSTRAINT lectura_pkey PRIMARY KEY (almacen_id, n),
  CONSTRAINT lectura_check CHECK (hasta >= desde),
  CONSTRAINT lectura_tipo_check CHECK (tipo IN ('emitidos', 'recibidos')),
  CONSTRAINT lectura_almacen_id_solicitud_id_key UNIQUE (almacen_id, solicitud_id),
  CONSTRAINT lectura_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id)
);

CREATE TABLE nombrado (
  id integer GENERATED ALWAYS AS IDENTITY,
  almacen_id integer NOT NULL,
  rfc text NOT NULL,
  nombre text NOT NULL,
  CONSTRAINT nombrado_pkey PRIMARY KEY (id),
  CONSTRAINT nombrado_almacen_id_rfc_nombre_key UNIQUE (almacen_id, rfc, nombre),
  CONSTRAINT nombrado_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id)
);

CREATE TABLE cfdi (
  emitida timestamp(0) NOT NULL,
  certificada timestamp(0),
  cancelada timestamp(0),
  uuid uuid NOT NULL,
  almacen_id integer NOT NULL,
  contraparte_id integer NOT NULL,
  pac_id integer,
  tercero_id integer,
  primera integer NOT NULL,
  ausente integer,
  recibido boolean NOT NULL,
  vigente boolean NOT NULL,
  efecto char(1) NOT NULL,
  monto numeric,
  CONSTRAINT cfdi_pkey PRIMARY KEY (almacen_id, recibido, emitida, uuid)
) PARTITION BY RANGE (emitida);
CREATE INDEX cfdi_contraparte ON ONLY cfdi (almacen_id, contraparte_id, emitida);
CREATE INDEX cfdi_uuid ON ONLY cfdi (almacen_id, uuid_hash(uuid));

CREATE TABLE cfdi_cambio (
  n bigint NOT NULL,
  emitida timestamp(0) NOT NULL,
  cancelada timestamp(0),
  uuid uuid NOT NULL,
  almacen_id integer NOT NULL,
  lectura integer NOT NULL,
  vigente boolean NOT NULL,
  clase char(1) NOT NULL,
  CONSTRAINT cfdi_cambio_pkey PRIMARY KEY (almacen_id, n),
  CONSTRAINT cfdi_cambio_clase_check CHECK (clase = ANY (ARRAY['N'::bpchar, 'C'::bpchar, 'V'::bpchar, 'D'::bpchar, 'A'::bpchar, 'R'::bpchar])),
  CONSTRAINT cfdi_cambio_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id)
);

CREATE TABLE riesgo_contraparte (
  almacen_id integer NOT NULL,
  rfc text NOT NULL,
  lista text NOT NULL,
  supuesto text NOT NULL,
  es_adverso boolean NOT NULL,
  publicada date,
  desde timestamptz(3) DEFAULT now() NOT NULL,
  cambiada_en timestamptz(3) DEFAULT now() NOT NULL,
  salio_en timestamptz(3),
  CONSTRAINT riesgo_contraparte_pkey PRIMARY KEY (almacen_id, rfc, lista),
  CONSTRAINT riesgo_contraparte_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id) ON DELETE CASCADE
);

CREATE TABLE riesgo_cambio (
  id bigint GENERATED ALWAYS AS IDENTITY,
  almacen_id integer NOT NULL,
  rfc text NOT NULL,
  lista text NOT NULL,
  clase char(1) NOT NULL,
  supuesto text NOT NULL,
  antes text,
  es_adverso boolean NOT NULL,
  publicada date,
  en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT riesgo_cambio_pkey PRIMARY KEY (id),
  CONSTRAINT riesgo_cambio_clase_check CHECK (clase = ANY (ARRAY['E'::bpchar, 'C'::bpchar, 'S'::bpchar])),
  CONSTRAINT riesgo_cambio_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id) ON DELETE CASCADE
);
CREATE INDEX riesgo_cambio_contraparte ON riesgo_cambio (almacen_id, rfc, lista, id);

CREATE TABLE riesgo_cruce (
  almacen_id integer NOT NULL,
  versiones text NOT NULL,
  cambios bigint NOT NULL,
  cruzado_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT riesgo_cruce_pkey PRIMARY KEY (almacen_id),
  CONSTRAINT riesgo_cruce_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id) ON DELETE CASCADE
);

CREATE TABLE riesgo_paquete (
  solicitud_id uuid NOT NULL,
  rfc text NOT NULL,
  lista text NOT NULL,
  supuesto text NOT NULL,
  es_adverso boolean NOT NULL,
  publicada date,
  nombre text NOT NULL,
  ingresos integer NOT NULL,
  ingresos_monto numeric NOT NULL,
  egresos integer NOT NULL,
  egresos_monto numeric NOT NULL,
  CONSTRAINT riesgo_paquete_pkey PRIMARY KEY (solicitud_id, rfc, lista),
  CONSTRAINT riesgo_paquete_solicitud_id_fkey FOREIGN KEY (solicitud_id) REFERENCES solicitud(id) ON DELETE CASCADE
);

CREATE TABLE sincronizacion (
  id uuid NOT NULL,
  cuenta_id uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  api_key_id text NOT NULL,
  rfc text NOT NULL,
  almacen_id integer NOT NULL,
  emitidos boolean NOT NULL,
  recibidos boolean NOT NULL,
  desde date NOT NULL,
  frecuencia text NOT NULL,
  minuto smallint NOT NULL,
  estado text DEFAULT 'ACTIVA' NOT NULL,
  motivo text,
  pausada_en timestamptz(3),
  creada_en timestamptz(3) DEFAULT now() NOT NULL,
  CONSTRAINT sincronizacion_pkey PRIMARY KEY (id),
  CONSTRAINT sincronizacion_check CHECK (emitidos OR recibidos),
  CONSTRAINT sincronizacion_check1 CHECK ((estado = 'PAUSADA') = (pausada_en IS NOT NULL)),
  CONSTRAINT sincronizacion_check2 CHECK ((estado <> 'PAUSADA') OR (motivo IS NOT NULL)),
  CONSTRAINT sincronizacion_estado_check CHECK (estado IN ('ACTIVA', 'PAUSADA', 'BORRADA')),
  CONSTRAINT sincronizacion_frecuencia_check CHECK (frecuencia IN ('DIARIA', 'SEMANAL')),
  CONSTRAINT sincronizacion_minuto_check CHECK ((minuto >= 0) AND (minuto <= 1439)),
  CONSTRAINT sincronizacion_almacen_id_key UNIQUE (almacen_id),
  CONSTRAINT sincronizacion_almacen_id_fkey FOREIGN KEY (almacen_id) REFERENCES almacen(id),
  CONSTRAINT sincronizacion_contribuyente_id_fkey FOREIGN KEY (contribuyente_id) REFERENCES contribuyente(id),
  CONSTRAINT sincronizacion_cuenta_id_fkey FOREIGN KEY (cuenta_id) REFERENCES cuenta(id)
);
CREATE INDEX sincronizacion_cuenta ON sincronizacion (cuenta_id, id);
CREATE UNIQUE INDEX sincronizacion_viva ON sincronizacion (contribuyente_id) WHERE (estado <> 'BORRADA');

CREATE TABLE consentimiento (
  sincronizacion_id uuid NOT NULL,
  kid text NOT NULL,
  sobre bytea NOT NULL,
  finalidad text NOT NULL,
  otorgado_por text NOT NULL,
  otorgado_en timestamptz(3) DEFAULT now() NOT NULL,
  expira_en timestamptz(3) NOT NULL,
  CONSTRAINT consentimiento_pkey PRIMARY KEY (sincronizacion_id),
  CONSTRAINT consentimiento_check CHECK (expira_en <= (otorgado_en + '1 year 1 mon 1 day'::interval)),
  CONSTRAINT consentimiento_finalidad_check CHECK ((length(finalidad) >= 1) AND (length(finalidad) <= 200)),
  CONSTRAINT consentimiento_sincronizacion_id_fkey FOREIGN KEY (sincronizacion_id) REFERENCES sincronizacion(id)
);
CREATE INDEX consentimiento_expira ON consentimiento (expira_en);

CREATE TABLE tramo (
  sincronizacion_id uuid NOT NULL,
  tipo text NOT NULL,
  mes date NOT NULL,
  fase text DEFAULT 'PEDIR' NOT NULL,
  due_at timestamptz(3) NOT NULL,
  epoch integer DEFAULT 0 NOT NULL,
  tomado_hasta timestamptz(3),
  solicitud_id uuid,
  pedido date,
  desde date,
  hasta date,
  lecturas integer DEFAULT 0 NOT NULL,
  fallos integer DEFAULT 0 NOT NULL,
  motivo text,
  por_confirmar smallint DEFAULT 0 NOT NULL,
  CONSTRAINT tramo_pkey PRIMARY KEY (sincronizacion_id, tipo, mes),
  CONSTRAINT tramo_check CHECK ((fase IN ('ESPERAR', 'LEER')) = (solicitud_id IS NOT NULL)),
  CONSTRAINT tramo_fase_check CHECK (fase IN ('PEDIR', 'ESPERAR', 'LEER', 'FIN')),
  CONSTRAINT tramo_por_confirmar_check CHECK (por_confirmar >= 0),
  CONSTRAINT tramo_tipo_check CHECK (tipo IN ('emitidos', 'recibidos')),
  CONSTRAINT tramo_sincronizacion_id_fkey FOREIGN KEY (sincronizacion_id) REFERENCES sincronizacion(id)
);
CREATE INDEX tramo_due ON tramo (due_at) WHERE (fase IN ('PEDIR', 'LEER'));
CREATE INDEX tramo_solicitud ON tramo (solicitud_id) WHERE (solicitud_id IS NOT NULL);

CREATE TABLE correo (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  usuario_id uuid NOT NULL,
  para text NOT NULL,
  tipo text NOT NULL,
  urgente boolean DEFAULT false NOT NULL,
  datos jsonb DEFAULT '[]'::jsonb NOT NULL,
  cuantas integer DEFAULT 1 NOT NULL,
  baja uuid DEFAULT gen_random_uuid() NOT NULL,
  estado text DEFAULT 'PENDIENTE' NOT NULL,
  motivo text,
  error text,
  intentos integer DEFAULT 0 NOT NULL,
  epoch integer DEFAULT 0 NOT NULL,
  due_at timestamptz(3) DEFAULT date_trunc('milliseconds', now()) NOT NULL,
  tomado_hasta timestamptz(3),
  desde timestamptz(3) DEFAULT now() NOT NULL,
  creado_en timestamptz(3) DEFAULT now() NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  terminado_en timestamptz(3),
  invitacion_id uuid,
  CONSTRAINT correo_pkey PRIMARY KEY (id),
  CONSTRAINT correo_check CHECK (((estado = 'PENDIENTE') = (terminado_en IS NULL)) AND ((estado = 'FALLIDO') = (motivo IS NOT NULL))),
  CONSTRAINT correo_estado_check CHECK (estado IN ('PENDIENTE', 'ENVIADO', 'FALLIDO')),
  CONSTRAINT correo_motivo_check CHECK (motivo IN ('RECHAZADO', 'VENCIDO')),
    CONSTRAINT correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'password.cambiada', 'equipo.invitacion',
    'solicitud.terminada', 'solicitud.fallida', 'credencial.por_vencer')),
  CONSTRAINT correo_invitacion_id_fkey FOREIGN KEY (invitacion_id) REFERENCES invitacion(id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT correo_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX correo_baja_key ON correo (baja);
CREATE INDEX correo_fallido ON correo (terminado_en) WHERE (estado = 'FALLIDO');
CREATE INDEX correo_invitacion_id_idx ON correo (invitacion_id) WHERE (invitacion_id IS NOT NULL);
CREATE INDEX correo_pendiente ON correo (urgente DESC, due_at, id) WHERE (estado = 'PENDIENTE');
CREATE INDEX correo_pendiente_vence ON correo (vence_en) WHERE (estado = 'PENDIENTE');
CREATE INDEX correo_terminado_en_idx ON correo (terminado_en) WHERE (terminado_en IS NOT NULL);
CREATE INDEX correo_usuario_id_tipo_desde_idx ON correo (usuario_id, tipo, desde);

CREATE TABLE enlace_correo (
  huella bytea NOT NULL,
  usuario_id uuid NOT NULL,
  tipo text NOT NULL,
  vence_en timestamptz(3) NOT NULL,
  invitacion_id uuid,
  CONSTRAINT enlace_correo_pkey PRIMARY KEY (huella),
  CONSTRAINT enlace_correo_tipo_check CHECK (tipo IN ('correo.verificar', 'password.restablecer', 'equipo.invitacion')),
  CONSTRAINT enlace_correo_invitacion_id_fkey FOREIGN KEY (invitacion_id) REFERENCES invitacion(id) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT enlace_correo_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);
CREATE INDEX enlace_correo_invitacion_id_idx ON enlace_correo (invitacion_id) WHERE (invitacion_id IS NOT NULL);
CREATE INDEX enlace_correo_usuario_id_idx ON enlace_correo (usuario_id);
CREATE INDEX enlace_correo_vence_en_idx ON enlace_correo (vence_en);

CREATE TABLE correo_aviso (
  usuario_id uuid NOT NULL,
  clave text NOT NULL,
  en timestamptz(3) DEFAULT now() NOT NULL,
  hasta timestamptz(3),
  CONSTRAINT correo_aviso_pkey PRIMARY KEY (usuario_id, clave),
  CONSTRAINT correo_aviso_usuario_id_fkey FOREIGN KEY (usuario_id) REFERENCES usuario(id) ON DELETE CASCADE
);
CREATE INDEX correo_aviso_hasta_idx ON correo_aviso (hasta) WHERE (hasta IS NOT NULL);

ALTER TABLE evento ADD CONSTRAINT evento_tipo_check CHECK (tipo IN ('ACEPTADA', 'SOLICITADA', 'CAPSULA_HECHA', 'SIN_CFDI', 'VACIA_POR_CONFIRMAR',
  'VACIA_CONFIRMADA', 'VACIA_SIN_CONFIRMAR', 'REPETIDA', 'DIVIDIDA', 'SAT_EN_PROCESO', 'SAT_TERMINADA', 'SAT_SIN_RESPUESTA', 'REENVIADA',
  'OTRO_CANAL', 'CANAL_CAIDO', 'SIN_EFIRMA', 'PAQUETE_GUARDADO', 'PAQUETE_ILEGIBLE', 'FALLO_INTERNO', 'ESPERA_EFIRMA', 'REANUDADA', 'TERMINADA',
  'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA')) NOT VALID;
ALTER TABLE auditoria ADD CONSTRAINT auditoria_cuenta_check CHECK ((contribuyente_id IS NULL) OR (cuenta_id IS NOT NULL)) NOT VALID;
COMMENT ON COLUMN tramo.mes IS '0001-01-01: the newest days';

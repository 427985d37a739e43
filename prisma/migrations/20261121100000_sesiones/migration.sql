-- Sessions with the SAT's portals. The cookies are sealed by the processes that use them; this database cannot open them.
CREATE TABLE sesion_portal (
  id         uuid PRIMARY KEY,
  portal     text NOT NULL,
  rfc        text NOT NULL,
  tipo       text NOT NULL CHECK (tipo IN ('ciec', 'efirma')),
  cookies    bytea NOT NULL,
  sal        text NOT NULL,
  huella     text NOT NULL,
  usada_en   timestamptz(3) NOT NULL DEFAULT now(),
  por_cerrar boolean NOT NULL DEFAULT false
);
-- At most one live session for each portal, taxpayer and kind of credential.
CREATE UNIQUE INDEX sesion_portal_viva_key ON sesion_portal (portal, rfc, tipo) WHERE NOT por_cerrar;
CREATE INDEX sesion_portal_rfc_idx ON sesion_portal (rfc);
CREATE INDEX sesion_portal_usada_en_idx ON sesion_portal (usada_en);
CREATE INDEX sesion_portal_por_cerrar_idx ON sesion_portal (id) WHERE por_cerrar;

-- Whoever holds the turn may log in for this taxpayer. One that died is replaced when its time is over.
CREATE TABLE turno_acceso (
  rfc   text NOT NULL,
  tipo  text NOT NULL CHECK (tipo IN ('ciec', 'efirma')),
  token uuid NOT NULL,
  hasta timestamptz(3) NOT NULL,
  PRIMARY KEY (rfc, tipo)
);

-- Credentials that the SAT refused, as slow hashes. Kept until the credential is stored again: the SAT locks accounts.
CREATE TABLE rechazo_acceso (
  rfc       text NOT NULL,
  tipo      text NOT NULL CHECK (tipo IN ('ciec', 'efirma')),
  huella    text NOT NULL,
  sal       text NOT NULL,
  motivo    text NOT NULL,
  codigo    text,
  creado_en timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (rfc, tipo, huella)
);

-- The breaker's memory of each host of the SAT, shared by all processes. Times are milliseconds of the Unix epoch.
CREATE TABLE estado_host (
  host          text PRIMARY KEY,
  fallos        integer NOT NULL,
  fallos_antes  integer NOT NULL,
  abierto_hasta bigint NOT NULL,
  sonda_hasta   bigint NOT NULL
);

-- Captcha images that wait for a person. They live for minutes.
CREATE TABLE captcha_pendiente (
  id        uuid PRIMARY KEY,
  imagen    bytea NOT NULL,
  respuesta text,
  creado_en timestamptz(3) NOT NULL DEFAULT now(),
  vence_en  timestamptz(3) NOT NULL
);
CREATE INDEX captcha_pendiente_vence_en_idx ON captcha_pendiente (vence_en);

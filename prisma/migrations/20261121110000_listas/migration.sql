-- The list of article 69-B, by version. Readers follow efos_vigente, so that they always see one whole version.
CREATE TABLE efos_version (
  id                  uuid PRIMARY KEY,
  fecha_corte         date NOT NULL,
  fuente              text NOT NULL,
  etag                text,
  ultima_modificacion text,
  filas               integer NOT NULL DEFAULT 0 CHECK (filas >= 0),
  sha256              text,
  cargada_en          timestamptz(3) NOT NULL DEFAULT now(),
  revisada_en         timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE efos_fila (
  version_id uuid NOT NULL REFERENCES efos_version (id) ON DELETE CASCADE,
  orden      integer NOT NULL,
  rfc        text,
  nombre     text NOT NULL,
  situacion  text NOT NULL CHECK (situacion IN ('PRESUNTO', 'DESVIRTUADO', 'DEFINITIVO', 'SENTENCIA_FAVORABLE')),
  historial  jsonb NOT NULL,
  PRIMARY KEY (version_id, orden)
);
CREATE INDEX efos_fila_version_id_rfc_idx ON efos_fila (version_id, rfc);

CREATE TABLE efos_vigente (
  unica      boolean PRIMARY KEY DEFAULT true CHECK (unica),
  version_id uuid NOT NULL REFERENCES efos_version (id)
);

CREATE TABLE efos_carga (
  id           bigserial PRIMARY KEY,
  iniciada_en  timestamptz(3) NOT NULL DEFAULT now(),
  terminada_en timestamptz(3),
  resultado    text NOT NULL DEFAULT 'EN_CURSO' CHECK (resultado IN ('EN_CURSO', 'CARGADA', 'SIN_CAMBIO', 'FALLIDA')),
  motivo       text
);

CREATE TABLE efos_pedido (
  unica     boolean PRIMARY KEY DEFAULT true CHECK (unica),
  pedido_en timestamptz NOT NULL,
  forzar    boolean NOT NULL
);

-- The operator's own list of EDOS.
CREATE TABLE edos_lista (
  unica        boolean PRIMARY KEY DEFAULT true CHECK (unica),
  fuente       text NOT NULL,
  rfcs         integer NOT NULL,
  importada_en timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE edos_rfc (
  rfc text PRIMARY KEY
);

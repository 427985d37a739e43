-- The other lists that the SAT publishes (69, 69-B Bis, seals without effect), file by file, as 69-B is kept: by version, and readers follow
-- listado_vigente. The tables of 69-B stay what they are for processes of the version before; with the name of their file they take the same
-- statements as these.
ALTER TABLE efos_version ADD COLUMN archivo text NOT NULL DEFAULT '69-b' CHECK (archivo = '69-b');
ALTER TABLE efos_vigente ADD COLUMN archivo text NOT NULL DEFAULT '69-b' UNIQUE CHECK (archivo = '69-b');
ALTER TABLE efos_carga ADD COLUMN archivo text NOT NULL DEFAULT '69-b' CHECK (archivo = '69-b');
ALTER TABLE efos_pedido ADD COLUMN archivo text NOT NULL DEFAULT '69-b' UNIQUE CHECK (archivo = '69-b');

CREATE TABLE listado_version (
  id                  uuid PRIMARY KEY,
  archivo             text NOT NULL,
  fecha_corte         date NOT NULL,
  fuente              text NOT NULL,
  etag                text,
  ultima_modificacion text,
  filas               integer NOT NULL DEFAULT 0 CHECK (filas >= 0),
  sha256              text,
  cargada_en          timestamptz(3) NOT NULL DEFAULT now(),
  revisada_en         timestamptz(3) NOT NULL DEFAULT now()
);
CREATE TABLE listado_fila (
  version_id uuid NOT NULL REFERENCES listado_version (id) ON DELETE CASCADE,
  orden      integer NOT NULL,
  rfc        text,
  nombre     text NOT NULL,
  supuesto   text NOT NULL,
  publicada  date,
  PRIMARY KEY (version_id, orden)
);
-- By RFC first: whoever asks asks about an RFC in all files at once.
CREATE INDEX listado_fila_rfc_version_id_idx ON listado_fila (rfc, version_id);
CREATE TABLE listado_vigente (
  archivo    text PRIMARY KEY,
  lista      text NOT NULL CHECK (lista IN ('69', '69-B Bis', 'CSD')),
  version_id uuid NOT NULL REFERENCES listado_version (id)
);
CREATE TABLE listado_carga (
  id           bigserial PRIMARY KEY,
  archivo      text NOT NULL,
  iniciada_en  timestamptz(3) NOT NULL DEFAULT now(),
  terminada_en timestamptz(3),
  resultado    text NOT NULL DEFAULT 'EN_CURSO' CHECK (resultado IN ('EN_CURSO', 'CARGADA', 'SIN_CAMBIO', 'FALLIDA')),
  motivo       text
);
CREATE INDEX listado_carga_archivo_id_idx ON listado_carga (archivo, id);
CREATE TABLE listado_pedido (
  archivo   text PRIMARY KEY,
  pedido_en timestamptz NOT NULL,
  forzar    boolean NOT NULL
);

CREATE OR REPLACE FUNCTION lista_analiza(cual text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  CASE cual
    WHEN 'efos_fila' THEN ANALYZE efos_fila;
    WHEN 'edos_rfc' THEN ANALYZE edos_rfc;
    WHEN 'listado_fila' THEN ANALYZE listado_fila;
  END CASE;
END $$;

-- All lists in one: an index finds an RFC in each branch.
CREATE OR REPLACE VIEW lista_actual (lista, rfc, nombre, supuesto, publicada, version_id) AS
  SELECT '69-B'::text, f.rfc, f.nombre,
    CASE f.situacion WHEN 'PRESUNTO' THEN 'Presunto' WHEN 'DESVIRTUADO' THEN 'Desvirtuado' WHEN 'DEFINITIVO' THEN 'Definitivo'
      ELSE 'Sentencia Favorable' END,
    (SELECT max(coalesce(p.paso->>'fechaSat', p.paso->>'fechaDof'))::date FROM jsonb_array_elements(f.historial) AS p (paso)
      WHERE p.paso->>'situacion' = f.situacion),
    f.version_id
  FROM efos_fila f JOIN efos_vigente g ON g.version_id = f.version_id
  WHERE f.rfc IS NOT NULL
  UNION ALL
  SELECT g.lista, f.rfc, f.nombre, f.supuesto, f.publicada, f.version_id
  FROM listado_fila f JOIN listado_vigente g ON g.version_id = f.version_id
  WHERE f.rfc IS NOT NULL;

CREATE OR REPLACE VIEW lista_vigente (lista, version_id) AS
  SELECT '69-B'::text, g.version_id FROM efos_vigente g UNION ALL SELECT g.lista, g.version_id FROM listado_vigente g;

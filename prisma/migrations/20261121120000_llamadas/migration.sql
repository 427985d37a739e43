-- Calls that were charged and not answered yet. A row that outlives vence_en belongs to a process that died: its charge is given back.
CREATE TABLE llamada (
  op_id     uuid PRIMARY KEY,
  cuenta_id uuid NOT NULL REFERENCES cuenta (id),
  operacion text NOT NULL,
  vence_en  timestamptz(3) NOT NULL
);
CREATE INDEX llamada_vence_en_idx ON llamada (vence_en);

-- What a synchronous query asked of the authority's asynchronous service and did not get in its time: the next call goes on from here.
CREATE TABLE consulta_en_curso (
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  clave            text NOT NULL,
  folio            text NOT NULL,
  inicio           text NOT NULL,
  fin              text NOT NULL,
  creada_en        timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (contribuyente_id, clave)
);
CREATE INDEX consulta_en_curso_creada_en_idx ON consulta_en_curso (creada_en);

-- Documents that an answer gave a URL of (opinions). The row outlives the object.
CREATE TABLE documento (
  id               uuid PRIMARY KEY,
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  tipo             text NOT NULL,
  object_key       text NOT NULL,
  bytes            bigint NOT NULL,
  sha256           text NOT NULL,
  creado_en        timestamptz(3) NOT NULL DEFAULT now(),
  borrado_en       timestamptz(3)
);
CREATE INDEX documento_por_borrar_idx ON documento (creado_en) WHERE borrado_en IS NULL;
CREATE INDEX documento_contribuyente_id_idx ON documento (contribuyente_id, id);

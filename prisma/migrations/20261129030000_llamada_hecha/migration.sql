-- Calls that were answered, for their caller to look up; thirty days. Written in lots, without a foreign key.
CREATE TABLE llamada_hecha (
  contribuyente_id uuid NOT NULL,
  en timestamptz(3) NOT NULL,
  op_id uuid NOT NULL,
  operacion text NOT NULL,
  http smallint NOT NULL,
  codigo integer NOT NULL,
  ms integer NOT NULL,
  request_id text NOT NULL,
  clave text,
  PRIMARY KEY (contribuyente_id, en, op_id)
);
CREATE INDEX llamada_hecha_en_idx ON llamada_hecha (en);

-- What was ordered to be deleted of one taxpayer, and the report of what was: the row is what a deletion that was broken off goes on by, and it
-- outlives the taxpayer. Once it is done it names nobody: the RFC is gone, and a slow hash of it tells who has the RFC at hand whose row it is.
CREATE TABLE borrado (
  id               uuid PRIMARY KEY,
  cuenta_id        uuid NOT NULL,
  contribuyente_id uuid NOT NULL,
  rfc              text,
  rfc_huella       text NOT NULL,
  pedido_en        timestamptz(3) NOT NULL DEFAULT now(),
  -- Since when nothing of the taxpayer has been open: what was under way then has ended some minutes later.
  cerrado_en       timestamptz(3),
  contado          jsonb NOT NULL DEFAULT '{}',
  -- The reports form a chain: each carries the hash of the one before.
  numero           integer,
  informe          text,
  huella           text,
  terminado_en     timestamptz(3),
  CHECK ((terminado_en IS NULL) = (rfc IS NOT NULL)),
  CHECK ((terminado_en IS NULL) = (informe IS NULL) AND (terminado_en IS NULL) = (huella IS NULL) AND (terminado_en IS NULL) = (numero IS NULL))
);
CREATE UNIQUE INDEX borrado_numero_key ON borrado (numero);
CREATE UNIQUE INDEX borrado_abierto ON borrado (contribuyente_id) WHERE terminado_en IS NULL;

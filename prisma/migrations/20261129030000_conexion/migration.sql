-- Links with which a taxpayer hands over the CIEC without the integrator seeing it. `huella` and `retiro` are SHA-256 of the tokens of the link and
-- of the taxpayer's revocation link; neither token is stored.
CREATE TABLE conexion (
  id uuid PRIMARY KEY,
  cuenta_id uuid NOT NULL REFERENCES cuenta (id),
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id),
  api_key_id text NOT NULL,
  rfc text NOT NULL,
  modo text NOT NULL CHECK (modo IN ('live', 'test')),
  huella bytea NOT NULL UNIQUE CHECK (length(huella) = 32),
  retiro bytea UNIQUE CHECK (length(retiro) = 32),
  solicitante text NOT NULL,
  finalidad text NOT NULL,
  regreso text,
  marca jsonb NOT NULL DEFAULT '{}',
  estado text NOT NULL DEFAULT 'PENDIENTE'
    CHECK (estado IN ('PENDIENTE', 'VERIFICANDO', 'VERIFICADA', 'CONECTADA', 'FALLIDA', 'REVOCADA', 'TERMINADA')),
  motivo text,
  intentos integer NOT NULL DEFAULT 0,
  boleto bytea,
  sobre bytea,
  sellada bytea,
  epoch integer NOT NULL DEFAULT 0,
  due_at timestamptz(3),
  enviada_en timestamptz(3),
  expira_en timestamptz(3) NOT NULL,
  hasta timestamptz(3) NOT NULL,
  creada_en timestamptz(3) NOT NULL DEFAULT now(),
  conectada_en timestamptz(3),
  terminada_en timestamptz(3),
  CHECK (estado NOT IN ('CONECTADA', 'FALLIDA', 'REVOCADA', 'TERMINADA') OR (boleto IS NULL AND sobre IS NULL AND sellada IS NULL))
);
CREATE INDEX conexion_contribuyente ON conexion (contribuyente_id);
CREATE INDEX conexion_por_verificar ON conexion (due_at) WHERE estado = 'VERIFICANDO';

-- Who may enter the panel. The password is an argon2id hash (PHC string) under the pepper named by password_kid; null until its owner has chosen one.
CREATE TABLE usuario (
  id            uuid PRIMARY KEY,
  cuenta_id     uuid NOT NULL REFERENCES cuenta (id),
  email         text NOT NULL UNIQUE CHECK (email = lower(email)),
  nombre        text NOT NULL,
  rol           text NOT NULL DEFAULT 'CLIENTE' CHECK (rol IN ('CLIENTE', 'OPERADOR')),
  password_hash text,
  password_kid  text,
  creado_en     timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((password_hash IS NULL) = (password_kid IS NULL))
);
CREATE INDEX usuario_cuenta_id_idx ON usuario (cuenta_id);

-- The second factor (RFC 6238): its secret is sealed. ultimo_paso is the newest time step whose code was accepted, so that none is good twice.
CREATE TABLE segundo_factor (
  usuario_id    uuid PRIMARY KEY REFERENCES usuario (id) ON DELETE CASCADE,
  secreto       bytea NOT NULL,
  confirmado_en timestamptz(3),
  ultimo_paso   bigint NOT NULL DEFAULT 0,
  creado_en     timestamptz(3) NOT NULL DEFAULT now()
);

-- Codes that stand in for the second factor, as hashes. Each is good once.
CREATE TABLE codigo_recuperacion (
  usuario_id uuid NOT NULL REFERENCES usuario (id) ON DELETE CASCADE,
  huella     bytea NOT NULL,
  usado_en   timestamptz(3),
  PRIMARY KEY (usuario_id, huella)
);

-- A code that the operator gives to somebody who has to choose a password. One a user, good once.
CREATE TABLE codigo_acceso (
  usuario_id uuid PRIMARY KEY REFERENCES usuario (id) ON DELETE CASCADE,
  huella     bytea NOT NULL UNIQUE,
  vence_en   timestamptz(3) NOT NULL
);

-- Sessions of browsers, by the hash of their id. One without a user only carries a message to the next page.
CREATE TABLE sesion (
  huella        bytea PRIMARY KEY,
  id            uuid NOT NULL UNIQUE,
  usuario_id    uuid REFERENCES usuario (id) ON DELETE CASCADE,
  fase          text NOT NULL CHECK (fase IN ('ANONIMA', 'SEGUNDO_PASO', 'COMPLETA')),
  agente        text NOT NULL DEFAULT '',
  ip            text NOT NULL DEFAULT '',
  aviso         jsonb,
  creada_en     timestamptz(3) NOT NULL DEFAULT now(),
  ultimo_uso_en timestamptz(3) NOT NULL DEFAULT now(),
  inactiva_en   timestamptz(3) NOT NULL,
  vence_en      timestamptz(3) NOT NULL,
  CHECK ((usuario_id IS NULL) = (fase = 'ANONIMA'))
);
CREATE INDEX sesion_usuario_id_idx ON sesion (usuario_id);
CREATE INDEX sesion_inactiva_en_idx ON sesion (inactiva_en);

-- How far ahead of time a throttled thing (an account, an address) is: the theoretical arrival time of the generic cell rate algorithm.
CREATE TABLE intento (
  clave text PRIMARY KEY,
  tat   timestamptz(3) NOT NULL
);
CREATE INDEX intento_tat_idx ON intento (tat);

-- Requests to the authority as they were seen where all of them pass, added up per minute, host and channel by every process.
-- cubetas counts latencies: element i (from 1) those of at most 2^((i - 1) / 2) milliseconds that are in no element before it; the last takes the rest.
CREATE TABLE salud_sat (
  minuto     timestamptz(0) NOT NULL,
  host       text NOT NULL,
  canal      text NOT NULL CHECK (canal IN ('soap', 'portal', 'publico', 'lista')),
  exitos     integer NOT NULL DEFAULT 0,
  rechazos   integer NOT NULL DEFAULT 0,
  fallos     integer NOT NULL DEFAULT 0,
  canceladas integer NOT NULL DEFAULT 0,
  evitadas   integer NOT NULL DEFAULT 0,
  cubetas    integer[] NOT NULL,
  PRIMARY KEY (minuto, host, canal)
);

-- The operator reads the audit log newest first, of all accounts and by action.
CREATE INDEX auditoria_accion_id_idx ON auditoria (accion, id);
CREATE INDEX auditoria_actor_id_idx ON auditoria (actor, id);

-- Refunds are looked at newest first, whoever's they are.
CREATE INDEX movimiento_reembolso_creado_en_idx ON movimiento (creado_en, id) WHERE tipo = 'reembolso';

-- The ledger becomes a chain: each row carries the account's balance after it, so that a page of it, wherever it starts, needs no sum.
-- Within an account (creado_en, id) is the order of the chain: a row is numbered under the lock of its account, and never dated before the last.
DROP INDEX movimiento_cuenta_id_id_idx;
CREATE INDEX movimiento_cuenta_id_creado_en_id_idx ON movimiento (cuenta_id, creado_en, id);
CREATE INDEX movimiento_cuenta_id_operacion_creado_en_id_idx ON movimiento (cuenta_id, operacion, creado_en, id);
CREATE INDEX movimiento_contribuyente_id_creado_en_id_idx ON movimiento (contribuyente_id, creado_en, id);
-- Nearly every row is a charge; the others are few and are looked for by their kind.
CREATE INDEX movimiento_no_cargo_idx ON movimiento (cuenta_id, tipo, creado_en, id) WHERE tipo <> 'cargo';

ALTER TABLE movimiento ADD COLUMN saldo integer;
ALTER TABLE movimiento DISABLE TRIGGER movimiento_inmutable;
UPDATE movimiento m SET saldo = c.saldo
FROM (SELECT id, sum(importe) OVER (PARTITION BY cuenta_id ORDER BY creado_en, id)::integer AS saldo FROM movimiento) c
WHERE c.id = m.id;
ALTER TABLE movimiento ENABLE TRIGGER movimiento_inmutable;
ALTER TABLE movimiento ALTER COLUMN saldo SET NOT NULL;

CREATE FUNCTION movimiento_encadena() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  anterior record;
BEGIN
  PERFORM FROM cuenta WHERE id = NEW.cuenta_id FOR NO KEY UPDATE;
  SELECT saldo, creado_en INTO anterior FROM movimiento
  WHERE cuenta_id = NEW.cuenta_id ORDER BY creado_en DESC, id DESC LIMIT 1;
  NEW.id := nextval('movimiento_id_seq');
  NEW.creado_en := greatest(NEW.creado_en, anterior.creado_en);
  NEW.saldo := coalesce(anterior.saldo, 0) + NEW.importe;
  RETURN NEW;
END $$;
CREATE TRIGGER movimiento_encadena BEFORE INSERT ON movimiento
  FOR EACH ROW EXECUTE FUNCTION movimiento_encadena();

-- Sums of the ledger by day of central Mexico, kept with every movement under the same lock.
CREATE TABLE uso_dia (
  cuenta_id   uuid NOT NULL REFERENCES cuenta (id),
  dia         date NOT NULL,
  tipo        text NOT NULL,
  operacion   text NOT NULL,
  movimientos integer NOT NULL,
  importe     bigint NOT NULL,
  PRIMARY KEY (cuenta_id, dia, tipo, operacion)
) WITH (fillfactor = 50);

INSERT INTO uso_dia (cuenta_id, dia, tipo, operacion, movimientos, importe)
SELECT cuenta_id, (creado_en AT TIME ZONE 'America/Mexico_City')::date, tipo, coalesce(operacion, ''), count(*), sum(importe)
FROM movimiento GROUP BY 1, 2, 3, 4;

CREATE FUNCTION movimiento_cuenta_uso() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO uso_dia AS u (cuenta_id, dia, tipo, operacion, movimientos, importe)
  VALUES (NEW.cuenta_id, (NEW.creado_en AT TIME ZONE 'America/Mexico_City')::date, NEW.tipo, coalesce(NEW.operacion, ''), 1, NEW.importe)
  ON CONFLICT (cuenta_id, dia, tipo, operacion)
  DO UPDATE SET movimientos = u.movimientos + 1, importe = u.importe + excluded.importe;
  RETURN NULL;
END $$;
CREATE TRIGGER movimiento_cuenta_uso AFTER INSERT ON movimiento
  FOR EACH ROW EXECUTE FUNCTION movimiento_cuenta_uso();

-- Purchases of credits. Amounts in centavos of MXN. One that is over never changes again.
CREATE TABLE pago (
  id                  uuid PRIMARY KEY,
  cuenta_id           uuid NOT NULL REFERENCES cuenta (id),
  usuario_id          uuid,
  -- Made by the form that was submitted: the same form makes one payment however often it is sent.
  clave               uuid NOT NULL,
  referencia          text NOT NULL,
  proveedor           text NOT NULL,
  proveedor_ref       text,
  creditos            integer NOT NULL CHECK (creditos > 0),
  subtotal            integer NOT NULL CHECK (subtotal >= 0),
  iva                 integer NOT NULL CHECK (iva >= 0),
  total               integer NOT NULL CHECK (total = subtotal + iva),
  estado              text NOT NULL DEFAULT 'PENDIENTE'
                      CHECK (estado IN ('PENDIENTE', 'ACREDITADO', 'RECHAZADO', 'CANCELADO')),
  motivo              text,
  resuelto_por        text,
  creado_en           timestamptz(3) NOT NULL DEFAULT now(),
  resuelto_en         timestamptz(3),
  CHECK ((estado = 'PENDIENTE') = (resuelto_en IS NULL))
);
CREATE UNIQUE INDEX pago_cuenta_id_clave_key ON pago (cuenta_id, clave);
CREATE UNIQUE INDEX pago_referencia_key ON pago (referencia);
CREATE UNIQUE INDEX pago_proveedor_proveedor_ref_key ON pago (proveedor, proveedor_ref);
CREATE INDEX pago_cuenta_id_id_idx ON pago (cuenta_id, id);
CREATE INDEX pago_estado_id_idx ON pago (estado, id);

CREATE FUNCTION pago_resuelto() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this pago is over: correct it in the ledger' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER pago_resuelto BEFORE UPDATE OR DELETE ON pago
  FOR EACH ROW WHEN (OLD.estado <> 'PENDIENTE') EXECUTE FUNCTION pago_resuelto();

-- The balance below which an account wants to be told; none means the installation's setting.
CREATE TABLE aviso_saldo (
  cuenta_id uuid PRIMARY KEY REFERENCES cuenta (id),
  umbral    integer NOT NULL CHECK (umbral >= 0)
);

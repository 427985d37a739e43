-- Credits: what a process may do to balance and ledger. No process holds a right to write either; each order here demands what justifies it. The
-- order that writes, libro_devuelve and libro_abona, is for the functions of this folder alone.

-- Charges a call of an operation at its price, once for each `op`, and notes it as open for so many seconds. `repetido`: it was charged before, and
-- stays open for longer if it is open; `despues`: the balance after the charge, null without one.
CREATE OR REPLACE FUNCTION llamada_cobra(op uuid, de_contribuyente uuid, de_operacion text, segundos float8)
RETURNS TABLE (repetido boolean, despues integer, saldo integer, importe integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  precio integer := (SELECT o.costo FROM operacion o WHERE o.path = de_operacion AND o.costo > 0);
BEGIN
  IF precio IS NULL THEN
    RAISE EXCEPTION 'no operation with a price: %', de_operacion USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN QUERY WITH antes AS (
    SELECT 1 FROM movimiento WHERE op_id = op AND tipo = 'cargo'
  ), de AS (
    SELECT c.cuenta_id FROM contribuyente c WHERE c.id = de_contribuyente
  ), cargo AS (
    UPDATE cuenta c SET saldo = c.saldo - precio FROM de WHERE c.id = de.cuenta_id AND c.saldo >= precio AND NOT EXISTS (SELECT FROM antes)
    RETURNING c.saldo
  ), libro AS (
    INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion)
    SELECT de.cuenta_id, de_contribuyente, op, 'cargo', -precio, de_operacion FROM cargo, de
  ), abierta AS (
    INSERT INTO llamada (op_id, cuenta_id, operacion, vence_en)
    SELECT op, de.cuenta_id, de_operacion, now() + make_interval(secs => segundos) FROM cargo, de
  ), retomada AS (
    UPDATE llamada l SET vence_en = now() + make_interval(secs => segundos) WHERE l.op_id = op AND EXISTS (SELECT FROM antes)
  )
  SELECT EXISTS (SELECT FROM antes), (SELECT cargo.saldo FROM cargo), c.saldo, precio FROM de JOIN cuenta c ON c.id = de.cuenta_id;
END $$;

-- Ends an open call with its refund. With `tambien_cerrada` also one that was closed and never answered: a process learns of that within minutes, so
-- that the charge is of the last half hour, of no solicitud, and no answer is kept under it. Gives the call; no row when nothing was refunded.
CREATE OR REPLACE FUNCTION llamada_devuelve(op uuid, por text, tambien_cerrada boolean) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM llamada l WHERE l.op_id = op;
  IF NOT FOUND AND NOT (tambien_cerrada
    AND EXISTS (SELECT FROM movimiento m WHERE m.op_id = op AND m.tipo = 'cargo' AND m.solicitud_id IS NULL AND m.creado_en > now() - interval '30 minutes')
    AND NOT EXISTS (SELECT FROM idempotencia i WHERE i.op_id = op AND i.status IS NOT NULL)) THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT libro_devuelve(ARRAY[op], por);
END $$;

-- The same for a call whose time is over: its process has died. Leaves one alone that a repetition has taken up again.
CREATE OR REPLACE FUNCTION llamada_abandonada(op uuid, por text) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM llamada l WHERE l.op_id = op AND l.vence_en < now();
  IF FOUND THEN
    RETURN QUERY SELECT libro_devuelve(ARRAY[op], por);
  END IF;
END $$;

-- Refunds a solicitud that ended without rows and without confirmation that there are none.
CREATE OR REPLACE FUNCTION solicitud_devuelve_vacia(cual uuid) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM solicitud s WHERE s.id = cual AND s.estado = 'TERMINADA' AND s.registros = 0 AND s.confianza = 'sin_confirmar') THEN
    RETURN QUERY SELECT libro_devuelve(ARRAY[cual], 'VACIA_SIN_CONFIRMAR');
  END IF;
END $$;

-- Locks an account, so that two changes that count its rows come one after the other.
CREATE OR REPLACE FUNCTION cuenta_aparta(cual uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM cuenta c WHERE c.id = cual FOR NO KEY UPDATE;
END $$;

-- The operator: a login with the rights of the owner of the tables, or a user with that role who has a session of the panel open.
CREATE OR REPLACE FUNCTION es_operador(actor text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN pg_has_role(session_user, current_user, 'USAGE') OR EXISTS (
    SELECT FROM usuario u JOIN sesion s ON s.usuario_id = u.id
    WHERE u.id = CASE WHEN actor ~ '^usuario:[0-9a-f-]{36}$' THEN substr(actor, 9)::uuid END AND u.rol = 'OPERADOR'
      AND s.fase = 'COMPLETA' AND s.inactiva_en > now() AND s.vence_en > now());
END $$;

CREATE OR REPLACE FUNCTION exige_operador(actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT es_operador(actor) THEN
    RAISE EXCEPTION 'credits are given by the operator, who has a session open' USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Gives credits that were paid for outside of the panel, once for each `referencia`, with the line of the audit log. Gives the balance after it.
CREATE OR REPLACE FUNCTION cuenta_abona(a_cuenta uuid, op uuid, creditos integer, referencia text, por text, actor text, ip text) RETURNS SETOF integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  despues integer;
BEGIN
  PERFORM exige_operador(actor);
  SELECT a INTO despues FROM libro_abona(a_cuenta, op, 'compra', creditos, referencia, por) a;
  IF FOUND THEN
    INSERT INTO auditoria (cuenta_id, actor, accion, detalle, ip) VALUES (a_cuenta, actor, 'abonar-creditos',
      jsonb_build_object('creditos', creditos, 'referencia', referencia, 'detalle', por), ip);
    RETURN NEXT despues;
  END IF;
END $$;

-- Corrects a balance, once for each `op`, with the line of the audit log. Gives the balance after it; no row when there is too little.
CREATE OR REPLACE FUNCTION cuenta_ajusta(a_cuenta uuid, op uuid, creditos integer, por text, actor text, ip text) RETURNS SETOF integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  despues integer;
BEGIN
  PERFORM exige_operador(actor);
  SELECT a INTO despues FROM libro_abona(a_cuenta, op, 'ajuste', creditos, NULL, por) a;
  IF FOUND THEN
    INSERT INTO auditoria (cuenta_id, actor, accion, detalle, ip) VALUES (a_cuenta, actor, 'ajustar-saldo',
      jsonb_build_object('creditos', creditos, 'motivo', por, 'saldo', despues), ip);
    RETURN NEXT despues;
  END IF;
END $$;

-- Credits a pending payment, once: its state, the ledger, the balance and the audit log. Only the operator confirms a transfer; the panel confirms
-- what a provider says was paid. False when the payment is not pending.
CREATE OR REPLACE FUNCTION pago_acredita(cual uuid, en_proveedor text, actor text, ip text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  p pago;
BEGIN
  UPDATE pago SET estado = 'ACREDITADO', resuelto_en = now(), resuelto_por = actor, proveedor_ref = coalesce(en_proveedor, proveedor_ref)
  WHERE id = cual AND estado = 'PENDIENTE' RETURNING * INTO p;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF p.proveedor = 'transferencia' THEN
    PERFORM exige_operador(actor);
  END IF;
  PERFORM libro_abona(p.cuenta_id, p.id, 'compra', p.creditos, p.id::text, 'compra ' || p.referencia || ' (' || p.proveedor || ')');
  INSERT INTO auditoria (cuenta_id, actor, accion, detalle, ip)
  VALUES (p.cuenta_id, actor, 'acreditar-pago', jsonb_build_object('pago', p.id, 'creditos', p.creditos), ip);
  RETURN true;
END $$;

REVOKE ALL ON FUNCTION llamada_cobra, llamada_devuelve, llamada_abandonada, solicitud_devuelve_vacia, cuenta_aparta, es_operador, exige_operador,
  cuenta_abona, cuenta_ajusta, pago_acredita FROM PUBLIC;

CREATE OR REPLACE FUNCTION movimiento_inmutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'movimiento is append-only: correct it with a new row' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER movimiento_inmutable BEFORE UPDATE OR DELETE ON movimiento
  FOR EACH ROW EXECUTE FUNCTION movimiento_inmutable();
CREATE OR REPLACE TRIGGER movimiento_sin_truncate BEFORE TRUNCATE ON movimiento
  FOR EACH STATEMENT EXECUTE FUNCTION movimiento_inmutable();

CREATE OR REPLACE FUNCTION movimiento_encadena() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE OR REPLACE TRIGGER movimiento_encadena BEFORE INSERT ON movimiento
  FOR EACH ROW EXECUTE FUNCTION movimiento_encadena();

CREATE OR REPLACE FUNCTION movimiento_cuenta_uso() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO uso_dia AS u (cuenta_id, dia, tipo, operacion, movimientos, importe)
  SELECT n.cuenta_id, (n.creado_en AT TIME ZONE 'America/Mexico_City')::date, n.tipo, coalesce(n.operacion, ''), count(*), sum(n.importe)
  FROM nuevos n GROUP BY 1, 2, 3, 4
  ON CONFLICT (cuenta_id, dia, tipo, operacion)
  DO UPDATE SET movimientos = u.movimientos + excluded.movimientos, importe = u.importe + excluded.importe;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER movimiento_cuenta_uso AFTER INSERT ON movimiento REFERENCING NEW TABLE AS nuevos
  FOR EACH STATEMENT EXECUTE FUNCTION movimiento_cuenta_uso();

CREATE OR REPLACE FUNCTION pago_resuelto() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this pago is over: correct it in the ledger' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER pago_resuelto BEFORE UPDATE OR DELETE ON pago
  FOR EACH ROW WHEN (OLD.estado <> 'PENDIENTE') EXECUTE FUNCTION pago_resuelto();

-- Refunds the open charges of these calls, in ledger and balance. Returns the calls that were refunded.
CREATE OR REPLACE FUNCTION libro_devuelve(ops uuid[], por text) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY WITH cargo AS (
    SELECT m.* FROM movimiento m WHERE m.op_id = ANY (ops) AND m.tipo = 'cargo'
      AND NOT EXISTS (SELECT FROM movimiento r WHERE r.op_id = m.op_id AND r.tipo = 'reembolso')
  ), libro AS (
    INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id, detalle)
    SELECT c.cuenta_id, c.contribuyente_id, c.op_id, 'reembolso', -c.importe, c.operacion, c.solicitud_id, por FROM cargo c
    RETURNING movimiento.op_id, movimiento.cuenta_id, movimiento.importe
  ), devuelto AS (
    UPDATE cuenta c SET saldo = c.saldo + d.importe
    FROM (SELECT l.cuenta_id, sum(l.importe)::integer AS importe FROM libro l GROUP BY l.cuenta_id) d WHERE c.id = d.cuenta_id
  )
  SELECT l.op_id FROM libro l;
END $$;

-- Adds bought credits to an account, or corrects its balance, which never falls below zero. Returns the new balance; no row for an unknown account
-- or one with too few credits.
CREATE OR REPLACE FUNCTION libro_abona(a_cuenta uuid, op uuid, que text, creditos integer, pago text, por text) RETURNS SETOF integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  despues integer;
BEGIN
  IF que IS NULL OR que NOT IN ('compra', 'ajuste') THEN
    RAISE EXCEPTION 'charges and refunds are written by their own statements' USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE cuenta c SET saldo = c.saldo + creditos WHERE c.id = a_cuenta AND c.saldo + creditos >= 0 RETURNING c.saldo INTO despues;
  IF despues IS NULL THEN
    RETURN;
  END IF;
  INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, pago_id, detalle) VALUES (a_cuenta, op, que, creditos, pago, por);
  RETURN NEXT despues;
END $$;

-- Acceptance of solicitudes: the only text that makes one, for callers (packages/db, accept.ts) and for subscriptions (sincronizacion.sql).

-- Accepts any number of requests of different accounts: for each of them debit, solicitud, ledger row, sealed credential and outbox row, or none of
-- these. Rows are locked in order of their ids, so that two calls never wait for each other. Account and RFC are those of the taxpayer, the price is
-- that of the operation; `gratis` counts for test keys alone. An array that is left out is one of nulls. Readings of a
-- subscription (`es_lectura`) stand under their own name in the ledger, so that an account tells them from its requests. plpgsql, since it keeps the plan.
CREATE OR REPLACE FUNCTION solicitud_acepta(
  id uuid[], contribuyente_id uuid[], api_key_id text[], version bigint[], tipo text[], desde date[], hasta date[], formato text[], filtros jsonb[],
  canal text[], gratis boolean[], deadline_at timestamptz[], expira_en timestamptz[], credencial_tipo text[] DEFAULT '{}', kid text[] DEFAULT '{}',
  sobre bytea[] DEFAULT '{}', otra_tipo text[] DEFAULT '{}', otra_kid text[] DEFAULT '{}', otra_sobre bytea[] DEFAULT '{}',
  otra_expira_en timestamptz[] DEFAULT '{}', idem_key text[] DEFAULT '{}', traceparent text[] DEFAULT '{}', capsula boolean[] DEFAULT '{}',
  es_lectura boolean DEFAULT false
) RETURNS TABLE (pedido uuid, pase boolean, aceptada boolean, igual uuid, igual_estado text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH pedido AS MATERIALIZED (
    SELECT p.* FROM unnest(
      solicitud_acepta.id, solicitud_acepta.contribuyente_id, solicitud_acepta.api_key_id, solicitud_acepta.version, solicitud_acepta.tipo,
      solicitud_acepta.desde, solicitud_acepta.hasta, solicitud_acepta.formato, solicitud_acepta.filtros, solicitud_acepta.canal, solicitud_acepta.gratis,
      solicitud_acepta.deadline_at, solicitud_acepta.expira_en, solicitud_acepta.credencial_tipo, solicitud_acepta.kid, solicitud_acepta.sobre,
      solicitud_acepta.otra_tipo, solicitud_acepta.otra_kid, solicitud_acepta.otra_sobre, solicitud_acepta.otra_expira_en,
      solicitud_acepta.idem_key, solicitud_acepta.traceparent, solicitud_acepta.capsula
    ) AS p (id, contribuyente_id, api_key_id, version, tipo, desde, hasta, formato, filtros, canal, gratis, deadline_at, expira_en, credencial_tipo, kid,
      sobre, otra_tipo, otra_kid, otra_sobre, otra_expira_en, idem_key, traceparent, capsula)
  ), pase AS MATERIALIZED (
    SELECT p.id, c.cuenta_id, c.rfc, CASE WHEN p.gratis AND k.modo = 'test' THEN 0 ELSE o.costo END AS costo
    FROM pedido p JOIN contribuyente c ON c.id = p.contribuyente_id
      JOIN api_key k ON k.id = p.api_key_id AND k.contribuyente_id = c.id AND k.estado = 'ACTIVA'
      JOIN operacion o ON o.path = 'tax/descarga-metadata'
    WHERE c.version = p.version AND p.expira_en > now()
    ORDER BY c.id FOR SHARE OF c
  ), igual AS MATERIALIZED (
    SELECT p.id AS pedido, s.id, s.estado FROM pedido p CROSS JOIN LATERAL (
      SELECT id, estado FROM solicitud
      WHERE api_key_id = p.api_key_id AND tipo = p.tipo AND desde = p.desde AND hasta = p.hasta AND formato = p.formato
        AND coalesce(filtros, '{}') = coalesce(p.filtros, '{}')
        AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')
      UNION ALL
      SELECT id, estado FROM solicitud WHERE api_key_id = p.api_key_id AND idem_key = p.idem_key
      UNION ALL
      SELECT id, estado FROM solicitud WHERE id = p.id
      LIMIT 1
    ) s
  ), con_saldo AS MATERIALIZED (
    SELECT c.id, p.id AS pedido, p.costo FROM pase p JOIN cuenta c ON c.id = p.cuenta_id
    WHERE c.saldo >= p.costo AND p.id NOT IN (SELECT pedido FROM igual)
    ORDER BY c.id FOR UPDATE OF c
  ), cargo AS (
    UPDATE cuenta c SET saldo = c.saldo - q.costo FROM con_saldo q WHERE c.id = q.id AND c.saldo >= q.costo RETURNING q.pedido, q.id AS cuenta_id, q.costo
  ), aceptado AS MATERIALIZED (
    SELECT p.*, cargo.cuenta_id, cargo.costo, pase.rfc FROM cargo JOIN pedido p ON p.id = cargo.pedido JOIN pase ON pase.id = cargo.pedido
  ), nueva AS (
    INSERT INTO solicitud (id, cuenta_id, contribuyente_id, api_key_id, costo, rfc, tipo, desde, hasta, formato, canal, deadline_at, idem_key, traceparent, capsula, filtros)
    SELECT id, cuenta_id, contribuyente_id, api_key_id, costo, rfc, tipo, desde, hasta, formato, canal, deadline_at, idem_key, traceparent,
      coalesce(capsula, false), filtros FROM aceptado
  ), libro AS (
    INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id)
    SELECT cuenta_id, contribuyente_id, id, 'cargo', -costo, CASE WHEN es_lectura THEN 'sincronizacion' ELSE 'tax/descarga-metadata' END, id FROM aceptado WHERE costo > 0
  ), sellada AS (
    INSERT INTO credencial_sellada (solicitud_id, tipo, kid, sobre, expira_en)
    SELECT id, credencial_tipo, kid, sobre, expira_en FROM aceptado WHERE credencial_tipo IS NOT NULL
    UNION ALL
    SELECT id, otra_tipo, otra_kid, otra_sobre, otra_expira_en FROM aceptado WHERE otra_tipo IS NOT NULL
  ), salida AS (
    INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) SELECT id, 1, 'descargas', cuenta_id, now() FROM aceptado
  )
  SELECT p.id, p.id IN (SELECT id FROM pase), p.id IN (SELECT pedido FROM cargo), igual.id, igual.estado
  FROM pedido p LEFT JOIN igual ON igual.pedido = p.id;
END $$;

REVOKE ALL ON FUNCTION solicitud_acepta(uuid[], uuid[], text[], bigint[], text[], date[], date[], text[], jsonb[], text[], boolean[], timestamptz[], timestamptz[], text[], text[], bytea[], text[], text[], bytea[], timestamptz[], text[], text[], boolean[], boolean) FROM PUBLIC;

-- It is that of its key, whoever writes the row.
CREATE OR REPLACE FUNCTION solicitud_modo() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT modo INTO NEW.modo FROM api_key WHERE id = NEW.api_key_id;
  NEW.modo := coalesce(NEW.modo, 'live');
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER solicitud_modo BEFORE INSERT ON solicitud FOR EACH ROW EXECUTE FUNCTION solicitud_modo();

-- The end of a solicitud decides its charge once. Without this rule a process could open an old one again, or empty it, and have it refunded.
CREATE OR REPLACE FUNCTION solicitud_terminada() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'this solicitud is over: its end and its charge stay as they are' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER solicitud_terminada BEFORE UPDATE ON solicitud FOR EACH ROW
  WHEN (OLD.terminada_en IS NOT NULL
    AND (NEW.estado, NEW.costo, NEW.registros, NEW.confianza) IS DISTINCT FROM (OLD.estado, OLD.costo, OLD.registros, OLD.confianza))
  EXECUTE FUNCTION solicitud_terminada();

-- Ends those of these solicitudes that are open, without a package: state, refund in balance and ledger, death of the sealed credential and a line
-- in the timeline. The refund comes before the row is written, since that locks webhooks: accounts are locked before them everywhere.
CREATE OR REPLACE FUNCTION solicitudes_terminan(cuales uuid[], en text, por text, con_codigo text)
RETURNS TABLE (id uuid, cuenta_id uuid, contribuyente_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  fin uuid[];
BEGIN
  IF en IS NULL OR en NOT IN ('ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA') THEN
    RAISE EXCEPTION 'a solicitud ends with its package by the statement of the worker that made it' USING ERRCODE = 'insufficient_privilege';
  END IF;
  fin := ARRAY(SELECT s.id FROM solicitud s WHERE s.id = ANY (cuales) AND s.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY s.id FOR NO KEY UPDATE);
  IF cardinality(fin) = 0 THEN
    RETURN;
  END IF;
  PERFORM libro_devuelve(fin, por);
  DELETE FROM credencial_sellada c WHERE c.solicitud_id = ANY (fin);
  DELETE FROM outbox o WHERE o.solicitud_id = ANY (fin);
  INSERT INTO evento (solicitud_id, tipo, codigo, detalle) SELECT f, en, con_codigo, por FROM unnest(fin) f;
  RETURN QUERY UPDATE solicitud s SET estado = en, motivo = por, terminada_en = now(), lease_until = NULL, gen = s.gen + 1, epoch = s.epoch + 1
    WHERE s.id = ANY (fin) RETURNING s.id, s.cuenta_id, s.contribuyente_id;
END $$;

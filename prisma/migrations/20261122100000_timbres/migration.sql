-- The outbox keeps one row for each solicitud that is worked on: when its next ring is due, and since when the queue has it. What the queue
-- does not have yet waits here, where it costs nothing, and the relay chooses among the accounts.
ALTER TABLE outbox ADD COLUMN cuenta_id uuid, ADD COLUMN rung_at timestamptz(3);
DELETE FROM outbox o WHERE NOT EXISTS (
  SELECT FROM solicitud s WHERE s.id = o.solicitud_id AND s.gen = o.gen AND s.estado = 'EN_PROCESO');
UPDATE outbox o SET cuenta_id = s.cuenta_id FROM solicitud s WHERE s.id = o.solicitud_id;
-- Rings that only the queue had.
INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
SELECT id, gen, CASE fase WHEN 'ENSAMBLE' THEN 'ensambles' ELSE 'descargas' END, cuenta_id, due_at
FROM solicitud s WHERE estado = 'EN_PROCESO' AND NOT EXISTS (SELECT FROM outbox o WHERE o.solicitud_id = s.id);

DROP INDEX outbox_solicitud_id_gen_key;
ALTER TABLE outbox DROP COLUMN id, ALTER COLUMN cuenta_id SET NOT NULL, ADD PRIMARY KEY (solicitud_id);
CREATE INDEX outbox_due ON outbox (cola, due_at) WHERE rung_at IS NULL;
CREATE INDEX outbox_cuenta_due ON outbox (cola, cuenta_id, due_at) WHERE rung_at IS NULL;
CREATE INDEX outbox_rung ON outbox (cola, rung_at) WHERE rung_at IS NOT NULL;
-- Every step rewrites its row: what is dead is cleared away soon, also when many rows wait.
ALTER TABLE outbox SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Steps that a process works on at the same time: the relay shares them out among the accounts.
ALTER TABLE latido ADD COLUMN slots integer NOT NULL DEFAULT 0;

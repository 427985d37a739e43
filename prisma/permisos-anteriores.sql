-- What processes of the version before need, beside permisos.sql, to go on while an installation is updated: they charge and refund by statements of
-- their own. `migrate` gives it when it brings a database from that version to this one; its next run takes it away (docs/operators/operate.md, step 11).
-- A version that takes a right out of permisos.sql writes it here, in place of all that stands here from before.
COMMENT ON TABLE _prisma_migrations IS 'permisos-anteriores';

GRANT UPDATE (saldo) ON cuenta TO acuse_api;
GRANT INSERT (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id) ON movimiento TO acuse_api;
GRANT USAGE ON SEQUENCE movimiento_id_seq TO acuse_api;
GRANT INSERT, UPDATE (vence_en) ON llamada TO acuse_api;
GRANT DELETE ON llamada TO acuse_worker;
GRANT INSERT ON solicitud TO acuse_api;
GRANT UPDATE ON tramo TO acuse_worker;
GRANT EXECUTE ON FUNCTION libro_devuelve TO acuse_api, acuse_worker;
GRANT EXECUTE ON FUNCTION libro_abona TO acuse_panel;
DO $$ BEGIN
  IF to_regprocedure('solicitud_acepta(uuid[], uuid[], text[], bigint[], text[], date[], date[], text[], text[], boolean[], timestamp with time zone[], timestamp with time zone[], text[], text[], bytea[], text[], text[], bytea[], timestamp with time zone[], text[], text[], boolean[], boolean)') IS NOT NULL THEN
    GRANT EXECUTE ON FUNCTION solicitud_acepta(uuid[], uuid[], text[], bigint[], text[], date[], date[], text[], text[], boolean[], timestamptz[], timestamptz[], text[], text[], bytea[], text[], text[], bytea[], timestamptz[], text[], text[], boolean[], boolean) TO acuse_api;
  END IF;
END $$;

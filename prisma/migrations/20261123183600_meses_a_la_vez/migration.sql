-- As before, but whether a partition is there is asked of the table of tables: what a session had looked up before it waited for its turn could be
-- a name that nobody had then, and the partition was made twice, which failed.
CREATE OR REPLACE FUNCTION cfdi_meses(desde date, hasta date) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  mes date;
  nombre text;
  hechas integer := 0;
BEGIN
  IF hasta < desde OR hasta > desde + 4000 OR desde < '2004-01-01' THEN
    RAISE EXCEPTION 'no such months of CFDI: % to %', desde, hasta USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOR mes IN SELECT generate_series(date_trunc('month', desde::timestamp), hasta, interval '1 month')::date LOOP
    nombre := to_char(mes, '"cfdi_"YYYY"_"MM');
    CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = nombre AND relnamespace = 'public'::regnamespace);
    PERFORM pg_advisory_xact_lock(7211964070);
    CONTINUE WHEN EXISTS (SELECT FROM pg_class WHERE relname = nombre AND relnamespace = 'public'::regnamespace);
    EXECUTE format('CREATE TABLE %I (LIKE cfdi INCLUDING ALL)', nombre);
    EXECUTE format('ALTER TABLE cfdi ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', nombre, mes, (mes + interval '1 month')::date);
    hechas := hechas + 1;
  END LOOP;
  RETURN hechas;
END $$;

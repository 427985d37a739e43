-- What is known of each CFDI of a taxpayer, put together from the packages of many readings, and how it changed.
-- Columns stand in an order that leaves few bytes for alignment: a store holds millions of rows.

-- One store of CFDI. `cambios` numbers them: its row is locked by whoever writes to the store, so that numbers follow commits.
CREATE TABLE almacen (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  contribuyente_id uuid NOT NULL REFERENCES contribuyente (id) ON DELETE CASCADE,
  cambios bigint NOT NULL DEFAULT 0 CHECK (cambios >= 0),
  lecturas integer NOT NULL DEFAULT 0 CHECK (lecturas >= 0),
  creado_en timestamptz(3) NOT NULL DEFAULT now(),
  -- Nobody reads it any more; its rows go in batches.
  borrado_en timestamptz(3)
);
CREATE INDEX almacen_contribuyente ON almacen (contribuyente_id);

-- A package that was merged into a store: all CFDI of one kind and period as the SAT gave them at that time.
CREATE TABLE lectura (
  almacen_id integer NOT NULL REFERENCES almacen (id),
  n integer NOT NULL,
  solicitud_id uuid NOT NULL,
  tipo text NOT NULL CHECK (tipo IN ('emitidos', 'recibidos')),
  desde date NOT NULL,
  hasta date NOT NULL CHECK (hasta >= desde),
  -- When the SAT was asked, and when its answer was merged.
  pedida_en timestamptz(3) NOT NULL,
  leida_en timestamptz(3) NOT NULL DEFAULT now(),
  filas integer NOT NULL,
  nuevos integer NOT NULL,
  cambiados integer NOT NULL,
  ausentes integer NOT NULL,
  -- So many were missing that nobody was taken for missing until another reading says the same.
  es_dudosa boolean NOT NULL,
  PRIMARY KEY (almacen_id, n),
  UNIQUE (almacen_id, solicitud_id)
);

-- Each RFC with each name that the SAT gave it: counterparties, certifiers (without a name), and third parties on whose account was issued.
CREATE TABLE nombrado (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  almacen_id integer NOT NULL REFERENCES almacen (id),
  rfc text NOT NULL,
  nombre text NOT NULL,
  UNIQUE (almacen_id, rfc, nombre)
);

-- Each CFDI as it is now. Times are wall clock of central Mexico, as the SAT gives them. A month has a partition of its own (cfdi_meses).
CREATE TABLE cfdi (
  emitida timestamp(0) NOT NULL,
  certificada timestamp(0),
  cancelada timestamp(0),
  uuid uuid NOT NULL,
  almacen_id integer NOT NULL,
  contraparte_id integer NOT NULL,
  pac_id integer,
  tercero_id integer,
  -- The readings in which it was first seen, and in which it was missing; not missing now when that is null.
  primera integer NOT NULL,
  ausente integer,
  recibido boolean NOT NULL,
  vigente boolean NOT NULL,
  efecto char(1) NOT NULL,
  monto numeric,
  PRIMARY KEY (almacen_id, recibido, emitida, uuid)
) PARTITION BY RANGE (emitida);
CREATE INDEX cfdi_contraparte ON cfdi (almacen_id, contraparte_id, emitida);

-- Everything that was noticed of the CFDI of a store, in the order in which it was noticed. N new, C cancelled, V in force again, D other data,
-- A missing in the SAT's answer, R there again; `vigente` and `cancelada` as they were then.
CREATE TABLE cfdi_cambio (
  n bigint NOT NULL,
  emitida timestamp(0) NOT NULL,
  cancelada timestamp(0),
  uuid uuid NOT NULL,
  almacen_id integer NOT NULL REFERENCES almacen (id),
  lectura integer NOT NULL,
  vigente boolean NOT NULL,
  clase char(1) NOT NULL CHECK (clase IN ('N', 'C', 'V', 'D', 'A', 'R')),
  PRIMARY KEY (almacen_id, n)
);

-- Makes the partitions of these months that are not there. One at a time, and apart from the statements that need them: it waits for nobody who
-- reads or writes other months.
CREATE FUNCTION cfdi_meses(desde date, hasta date) RETURNS integer
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
    CONTINUE WHEN to_regclass(nombre) IS NOT NULL;
    PERFORM pg_advisory_xact_lock(7211964070);
    CONTINUE WHEN to_regclass(nombre) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE cfdi INCLUDING ALL)', nombre);
    EXECUTE format('ALTER TABLE cfdi ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', nombre, mes, (mes + interval '1 month')::date);
    hechas := hechas + 1;
  END LOOP;
  RETURN hechas;
END $$;

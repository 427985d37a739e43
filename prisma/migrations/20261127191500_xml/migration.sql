-- XML beside metadata: parts of each, why XML were given up, and the quotas of the SAT that all processes share.
ALTER TABLE parte ADD COLUMN contenido text DEFAULT 'metadata' NOT NULL, ADD COLUMN motivo text,
  ADD CONSTRAINT parte_contenido_check CHECK (contenido IN ('metadata', 'xml')) NOT VALID,
  ADD CONSTRAINT parte_motivo_check CHECK (motivo IN ('NO_ENTREGADO_POR_EL_SAT', 'CUOTA_DEL_DIA')) NOT VALID;
CREATE UNIQUE INDEX parte_periodo ON parte (solicitud_id, contenido, inicio);
DROP INDEX parte_solicitud_id_inicio_key;

CREATE TABLE cuota_sat (
  rfc text NOT NULL,
  clave text NOT NULL,
  tomadas integer NOT NULL,
  CONSTRAINT cuota_sat_pkey PRIMARY KEY (rfc, clave)
);

ALTER TABLE evento DROP CONSTRAINT evento_tipo_check;
ALTER TABLE evento ADD CONSTRAINT evento_tipo_check CHECK (tipo IN ('ACEPTADA', 'SOLICITADA', 'CUOTA_DEL_DIA', 'XML_SIN_ENTREGA', 'CAPSULA_HECHA',
  'SIN_CFDI', 'VACIA_POR_CONFIRMAR', 'VACIA_CONFIRMADA', 'VACIA_SIN_CONFIRMAR', 'REPETIDA', 'DIVIDIDA', 'SAT_EN_PROCESO', 'SAT_TERMINADA',
  'SAT_SIN_RESPUESTA', 'REENVIADA', 'OTRO_CANAL', 'CANAL_CAIDO', 'SIN_EFIRMA', 'PAQUETE_GUARDADO', 'PAQUETE_ILEGIBLE', 'FALLO_INTERNO',
  'ESPERA_EFIRMA', 'REANUDADA', 'TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA')) NOT VALID;

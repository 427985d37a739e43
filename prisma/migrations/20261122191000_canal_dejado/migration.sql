-- A channel that is down, or whose credential has expired, is left without a refusal: the solicitud may come back to it, and leaves none a second time for
-- its silence.
ALTER TABLE solicitud ADD COLUMN canal_dejado text CHECK (canal_dejado IN ('soap', 'portal'));

ALTER TABLE evento DROP CONSTRAINT evento_tipo_check;
ALTER TABLE evento ADD CONSTRAINT evento_tipo_check CHECK (tipo IN (
  'ACEPTADA', 'SOLICITADA', 'SIN_CFDI', 'VACIA_POR_CONFIRMAR', 'VACIA_CONFIRMADA', 'VACIA_SIN_CONFIRMAR', 'REPETIDA',
  'DIVIDIDA', 'SAT_EN_PROCESO', 'SAT_TERMINADA', 'SAT_SIN_RESPUESTA', 'REENVIADA', 'OTRO_CANAL', 'CANAL_CAIDO',
  'SIN_EFIRMA', 'PAQUETE_GUARDADO', 'PAQUETE_ILEGIBLE', 'FALLO_INTERNO', 'ESPERA_EFIRMA', 'REANUDADA', 'TERMINADA',
  'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA'
)) NOT VALID;

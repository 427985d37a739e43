-- A solicitud may be cancelled by its owner.
ALTER TABLE solicitud DROP CONSTRAINT solicitud_estado_check;
ALTER TABLE solicitud ADD CONSTRAINT solicitud_estado_check
  CHECK (estado IN ('EN_PROCESO', 'ESPERA_EFIRMA', 'TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA', 'CANCELADA'));

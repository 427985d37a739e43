-- Solicitudes that wait for the e.firma, by their end: every reconciler looks for those whose XML can no longer come.
CREATE INDEX solicitud_espera_efirma ON solicitud (deadline_at) WHERE estado = 'ESPERA_EFIRMA';

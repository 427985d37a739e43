-- Closed lists, as the types of @acuse/core and @acuse/contract have them. What earlier versions wrote stays as it is: old events are not looked at.
ALTER TABLE evento ADD CONSTRAINT evento_tipo_check CHECK (tipo IN (
  'ACEPTADA', 'SOLICITADA', 'SIN_CFDI', 'VACIA_POR_CONFIRMAR', 'VACIA_CONFIRMADA', 'VACIA_SIN_CONFIRMAR', 'REPETIDA',
  'DIVIDIDA', 'SAT_EN_PROCESO', 'SAT_TERMINADA', 'SAT_SIN_RESPUESTA', 'REENVIADA', 'OTRO_CANAL', 'PAQUETE_GUARDADO',
  'PAQUETE_ILEGIBLE', 'FALLO_INTERNO', 'ESPERA_EFIRMA', 'REANUDADA', 'TERMINADA', 'ERROR', 'RECHAZADA', 'VENCIDA',
  'CANCELADA'
)) NOT VALID;

-- A word that is none of these has told nobody anything; the event of the end keeps it.
UPDATE solicitud SET motivo = NULL WHERE motivo NOT IN (
  'NO_RESPONDE', 'TIEMPO_AGOTADO', 'RESPUESTA_ILEGIBLE', 'SERVICIO_CON_ERROR', 'CORTACIRCUITOS_ABIERTO', 'OCUPADO',
  'CAPTCHA_RECHAZADO', 'SIN_RESOLVEDOR_DE_CAPTCHA', 'CIEC_RECHAZADA', 'EFIRMA_RECHAZADA', 'CANAL_DESACTIVADO',
  'PETICION_RECHAZADA', 'HOST_NO_PERMITIDO', 'CANCELADA', 'SAT_RECHAZADA', 'SAT_ERROR', 'SAT_VENCIDA',
  'SAT_DESCONOCIDA', 'PLAZO_AGOTADO', 'CREDENCIAL_NO_DISPONIBLE', 'PAQUETE_SAT_INVALIDO', 'PAQUETE_SAT_AGOTADO',
  'SOLICITUDES_AGOTADAS', 'SAT_RECHAZO_LA_SOLICITUD', 'DEMASIADOS_CFDI_POR_SEGUNDO', 'API_KEY_REVOCADA',
  'CANCELADA_POR_EL_CLIENTE', 'VACIA_SIN_CONFIRMAR', 'EFIRMA_EXPIRADA'
);
ALTER TABLE solicitud ADD CONSTRAINT solicitud_motivo_check CHECK (motivo IN (
  'NO_RESPONDE', 'TIEMPO_AGOTADO', 'RESPUESTA_ILEGIBLE', 'SERVICIO_CON_ERROR', 'CORTACIRCUITOS_ABIERTO', 'OCUPADO',
  'CAPTCHA_RECHAZADO', 'SIN_RESOLVEDOR_DE_CAPTCHA', 'CIEC_RECHAZADA', 'EFIRMA_RECHAZADA', 'CANAL_DESACTIVADO',
  'PETICION_RECHAZADA', 'HOST_NO_PERMITIDO', 'CANCELADA', 'SAT_RECHAZADA', 'SAT_ERROR', 'SAT_VENCIDA',
  'SAT_DESCONOCIDA', 'PLAZO_AGOTADO', 'CREDENCIAL_NO_DISPONIBLE', 'PAQUETE_SAT_INVALIDO', 'PAQUETE_SAT_AGOTADO',
  'SOLICITUDES_AGOTADAS', 'SAT_RECHAZO_LA_SOLICITUD', 'DEMASIADOS_CFDI_POR_SEGUNDO', 'API_KEY_REVOCADA',
  'CANCELADA_POR_EL_CLIENTE', 'VACIA_SIN_CONFIRMAR', 'EFIRMA_EXPIRADA'
));

-- An operation that does not exist is switched off for nobody.
DELETE FROM operacion_deshabilitada WHERE operacion NOT IN (
  'descarga/cancelar', 'descarga/consulta-cfdi', 'descarga/paquete', 'descarga/verificar', 'efos/consultar',
  'tax/comunicados', 'tax/declaraciones-fiel', 'tax/descarga-metadata', 'tax/facturas', 'tax/facturas-fiel',
  'tax/informacion-fiscal', 'tax/notificaciones', 'tax/opinion-cumplimiento', 'tax/opinion-cumplimiento-fiel',
  'tax/opinion-cumplimiento-publica', 'tax/retenciones', 'usuario/datos-fiscales', 'vault/firma-estado',
  'vault/firma-guardar', 'vault/firma-registrar', 'vault/rfc-guardar', 'vault/rfc-registrar'
);
ALTER TABLE operacion_deshabilitada ADD CONSTRAINT operacion_deshabilitada_operacion_check CHECK (operacion IN (
  'descarga/cancelar', 'descarga/consulta-cfdi', 'descarga/paquete', 'descarga/verificar', 'efos/consultar',
  'tax/comunicados', 'tax/declaraciones-fiel', 'tax/descarga-metadata', 'tax/facturas', 'tax/facturas-fiel',
  'tax/informacion-fiscal', 'tax/notificaciones', 'tax/opinion-cumplimiento', 'tax/opinion-cumplimiento-fiel',
  'tax/opinion-cumplimiento-publica', 'tax/retenciones', 'usuario/datos-fiscales', 'vault/firma-estado',
  'vault/firma-guardar', 'vault/firma-registrar', 'vault/rfc-guardar', 'vault/rfc-registrar'
));

-- Addresses are stored as the first of their network: the command line stored them as they were typed.
INSERT INTO ip_permitida (contribuyente_id, cidr)
SELECT DISTINCT contribuyente_id, network(cidr::inet)::text FROM ip_permitida
WHERE CASE WHEN cidr ~ '^[0-9.]+/[0-9]+$' THEN cidr <> network(cidr::inet)::text ELSE false END
ON CONFLICT DO NOTHING;
DELETE FROM ip_permitida WHERE CASE WHEN cidr ~ '^[0-9.]+/[0-9]+$' THEN cidr <> network(cidr::inet)::text ELSE false END;

-- Who looks for what was done to an account finds what was done to its taxpayers.
UPDATE auditoria a SET cuenta_id = c.cuenta_id FROM contribuyente c WHERE c.id = a.contribuyente_id AND a.cuenta_id IS NULL;
ALTER TABLE auditoria ADD CONSTRAINT auditoria_cuenta_check CHECK (contribuyente_id IS NULL OR cuenta_id IS NOT NULL) NOT VALID;

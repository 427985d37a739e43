-- Names of the secrets in use.

-- The name that stands in sealed bytes at an offset, length first (packages/vault, keyring.ts and sealed-credencial.ts).
CREATE OR REPLACE FUNCTION nombre_sellado(sellado bytea, en integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN length(sellado) > en THEN encode(substring(sellado FROM en + 2 FOR get_byte(sellado, en)), 'escape') END;

CREATE OR REPLACE VIEW secreto_en_uso (secreto, que, id) AS
  SELECT 'API_KEY_PEPPERS', 'API keys activas', pepper_version::text FROM api_key WHERE estado = 'ACTIVA'
  UNION ALL SELECT 'KEYRING', 'credenciales guardadas', kid FROM credencial
  UNION ALL SELECT 'KEYRING', 'respuestas guardadas por su Idempotency-Key', nombre_sellado(sobre, 1) FROM idempotencia
    WHERE sobre IS NOT NULL AND creada_en > now() - interval '24 hours'
  UNION ALL SELECT 'WORKER_KEYS', 'copias selladas de solicitudes abiertas', kid FROM credencial_sellada
  UNION ALL SELECT 'WORKER_PSKS', 'copias selladas de solicitudes abiertas',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM credencial_sellada
  UNION ALL SELECT 'WORKER_KEYS', 'consentimientos de sincronizaciones', kid FROM consentimiento
  UNION ALL SELECT 'WORKER_PSKS', 'consentimientos de sincronizaciones',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM consentimiento
  UNION ALL SELECT 'WORKER_KEYS', 'cápsulas de solicitudes abiertas', kid FROM capsula
  UNION ALL SELECT 'WORKER_PSKS', 'cápsulas de solicitudes abiertas',
    CASE WHEN length(sobre) > 1 THEN nombre_sellado(sobre, 2 + get_byte(sobre, 1)) END FROM capsula
  UNION ALL SELECT 'WORKER_KEYS', 'enlaces de conexión abiertos', nombre_sellado(boleto, 1) FROM conexion
    WHERE boleto IS NOT NULL AND (estado <> 'PENDIENTE' OR expira_en > now())
  UNION ALL SELECT 'WORKER_PSKS', 'enlaces de conexión abiertos', nombre_sellado(boleto, 2 + get_byte(boleto, 1)) FROM conexion
    WHERE length(boleto) > 1 AND (estado <> 'PENDIENTE' OR expira_en > now())
  UNION ALL SELECT 'SESSION_KEYS', 'sesiones con portales del SAT', nombre_sellado(cookies, 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'pruebas de sesiones con portales del SAT', nombre_sellado(decode(huella, 'base64'), 0) FROM sesion_portal
  UNION ALL SELECT 'SESSION_KEYS', 'rechazos del SAT recordados', nombre_sellado(decode(huella, 'base64'), 0) FROM rechazo_acceso
  UNION ALL SELECT 'PANEL_SECRETS', 'segundos factores', nombre_sellado(secreto, 0) FROM segundo_factor
  UNION ALL SELECT 'PANEL_SECRETS', 'contraseñas del panel', password_kid FROM usuario
  UNION ALL SELECT 'WEBHOOK_KEYS', 'secretos de webhooks', nombre_sellado(sobre, 0) FROM webhook_secreto;

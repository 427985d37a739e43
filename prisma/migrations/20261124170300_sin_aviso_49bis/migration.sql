-- The terms of article 49 Bis are removed: notices typed by hand are no download. Each row becomes a line of the audit log.
LOCK TABLE aviso_49bis, aviso_49bis_dicho;
INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle)
SELECT c.cuenta_id, a.contribuyente_id, 'migracion', 'retirar-aviso-49bis',
  jsonb_build_object('id', a.id, 'proveedor', a.rfc, 'publicado_en', a.publicado_en, 'nota', a.nota, 'creado_en', a.creado_en)
FROM aviso_49bis a LEFT JOIN contribuyente c ON c.id = a.contribuyente_id ORDER BY a.creado_en, a.id;
INSERT INTO auditoria (cuenta_id, contribuyente_id, actor, accion, detalle)
SELECT c.cuenta_id, d.contribuyente_id, 'migracion', 'retirar-aviso-49bis-dicho',
  jsonb_build_object('aviso_id', d.aviso_id, 'proveedor', a.rfc, 'dias', d.dias, 'quedan', d.quedan, 'en', d.en)
FROM aviso_49bis_dicho d JOIN aviso_49bis a ON a.id = d.aviso_id JOIN contribuyente c ON c.id = d.contribuyente_id ORDER BY d.en, d.aviso_id, d.dias;

DROP TABLE aviso_49bis_dicho;
DROP TABLE aviso_49bis;
DROP FUNCTION aviso_49bis_avisa, vence_49bis, recibe_cfdi;

DELETE FROM webhook_evento WHERE tipo = 'plazo.por_vencer';
ALTER TABLE webhook DROP CONSTRAINT webhook_eventos_check;
-- A webhook for this event alone has nothing left to receive.
WITH solo AS (DELETE FROM webhook WHERE eventos <@ ARRAY['plazo.por_vencer'] RETURNING id, cuenta_id, url)
INSERT INTO auditoria (cuenta_id, actor, accion, detalle)
SELECT cuenta_id, 'migracion', 'borrar-webhook', jsonb_build_object('webhook', id, 'url', url) FROM solo;
UPDATE webhook SET eventos = array_remove(eventos, 'plazo.por_vencer') WHERE 'plazo.por_vencer' = ANY (eventos);
ALTER TABLE webhook ADD CONSTRAINT webhook_eventos_check CHECK (cardinality(eventos) > 0 AND eventos <@ ARRAY[
  'solicitud.terminada', 'solicitud.fallida', 'solicitud.espera_efirma', 'credencial.por_vencer', 'credencial.rechazada', 'saldo.bajo', 'llave.por_rotar',
  'cfdi.cambios', 'sincronizacion.pausada', 'proveedor.listado']);

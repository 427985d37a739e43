-- Lists of an account leave the readings of subscriptions out: the indexes of these lists say which rows are readings.
DROP INDEX solicitud_cuenta_lista, solicitud_contribuyente_lista;
CREATE INDEX solicitud_cuenta_lista ON solicitud (cuenta_id, estado, tipo, id) INCLUDE (desde, hasta, creada_en, sincronizacion_id);
CREATE INDEX solicitud_contribuyente_lista ON solicitud (contribuyente_id, estado, tipo, id) INCLUDE (desde, hasta, creada_en, sincronizacion_id);

-- What each process may do in the database: everything that it may, and nothing else. `migrate` applies this file in one transaction after the
-- migrations, again at every run, when the three roles are there; it takes everything from them first. Users that log in are members of one of
-- them (acuse operador base-de-datos usuario). The operator's orders and the migrations run as the owner of the tables. Why: docs/developers/adr/0026.
--
-- A right that only the version before needs stands in permisos-anteriores.sql: `migrate` gives it too while an installation is updated, and takes
-- it away at its next run.
--
-- A table that a role has no right to is named with the comment that says so: a test demands that every table of the database stands here.

-- Functions: whoever is not named may call none of those that run with the rights of the owner.
REVOKE ALL ON FUNCTION libro_devuelve, libro_abona, solicitudes_terminan, auditoria_poda, lista_analiza, webhook_anota, webhook_emite, correo_anota, correo_avisa,
  correo_emite, correo_enlaza, correo_invita, correo_conecta, conexion_guarda, conexion_revoca FROM PUBLIC;
GRANT EXECUTE ON FUNCTION solicitud_acepta(uuid[], uuid[], text[], bigint[], text[], date[], date[], text[], jsonb[], text[], boolean[], timestamptz[], timestamptz[], text[], text[], bytea[], text[], text[], bytea[], timestamptz[], text[], text[], boolean[], boolean), llamada_cobra, llamada_devuelve, cuenta_aparta TO acuse_api;
GRANT EXECUTE ON FUNCTION cuenta_aparta, cuenta_abona, cuenta_ajusta, pago_acredita TO acuse_panel;
GRANT EXECUTE ON FUNCTION llamada_abandonada, solicitud_devuelve_vacia, tramo_pide, tramo_falla, tramo_leido TO acuse_worker;
GRANT EXECUTE ON FUNCTION solicitudes_terminan, webhook_anota TO acuse_api, acuse_panel, acuse_worker;
GRANT EXECUTE ON FUNCTION auditoria_poda TO acuse_worker;
GRANT EXECUTE ON FUNCTION lista_analiza TO acuse_panel, acuse_worker;
GRANT EXECUTE ON FUNCTION correo_anota, correo_invita, correo_conecta TO acuse_panel;
GRANT EXECUTE ON FUNCTION correo_avisa, correo_enlaza TO acuse_worker;

-- cuenta: no process writes a balance; functions do, with a line in the ledger.
GRANT SELECT (id, saldo, suspendida_en) ON cuenta TO acuse_api;
GRANT SELECT, INSERT (id, nombre, email), UPDATE (nombre, suspendida_en, suspension_motivo) ON cuenta TO acuse_panel;
GRANT SELECT (id, saldo, suspendida_en) ON cuenta TO acuse_worker;

-- movimiento: written by functions alone.
GRANT SELECT ON movimiento TO acuse_api, acuse_panel;
GRANT SELECT (op_id, tipo) ON movimiento TO acuse_worker;
-- uso_dia: written by the trigger of the ledger alone.
GRANT SELECT ON uso_dia TO acuse_api, acuse_panel;
-- llamada: opened with its charge; the API deletes one that it answered, so that the charge stays.
GRANT SELECT, DELETE ON llamada TO acuse_api;
GRANT SELECT ON llamada TO acuse_worker;
-- pago: the panel's. Who has paid is nobody else's business.
GRANT SELECT, INSERT (id, cuenta_id, usuario_id, clave, referencia, proveedor, creditos, subtotal, iva, total),
  UPDATE (estado, resuelto_en, resuelto_por, proveedor_ref, motivo) ON pago TO acuse_panel;
-- aviso_saldo
GRANT SELECT, INSERT, UPDATE ON aviso_saldo TO acuse_panel;
GRANT SELECT ON aviso_saldo TO acuse_worker;

-- contribuyente: every process moves the version of whom it changes.
GRANT SELECT, UPDATE (id_cif, nombre, version) ON contribuyente TO acuse_api;
GRANT SELECT, INSERT, UPDATE (id_cif, nombre, version) ON contribuyente TO acuse_panel;
GRANT SELECT, UPDATE (version) ON contribuyente TO acuse_worker;
-- operacion_deshabilitada, ip_permitida
GRANT SELECT ON operacion_deshabilitada, ip_permitida TO acuse_api;
GRANT SELECT, INSERT, DELETE ON operacion_deshabilitada, ip_permitida TO acuse_panel;
-- operacion: with its prices filled by `migrate`; a foreign key needs no right to it.

-- api_key: the API hashes anew and associates, and makes and ends none; workers see no hash.
GRANT SELECT, UPDATE (hash, pepper_version, registrada_en) ON api_key TO acuse_api;
GRANT SELECT, INSERT, UPDATE (estado, terminada_en, registrada_en) ON api_key TO acuse_panel;
GRANT SELECT (id, contribuyente_id, modo, estado, creada_en) ON api_key TO acuse_worker;
-- api_key_uso
GRANT SELECT, INSERT, UPDATE ON api_key_uso TO acuse_api;
GRANT SELECT ON api_key_uso TO acuse_panel;

-- credencial: workers see which there are and not what they hold.
GRANT SELECT, INSERT, UPDATE, DELETE ON credencial TO acuse_api, acuse_panel;
GRANT SELECT (id, contribuyente_id, api_key_id, tipo, no_serie, vigente_hasta, expira_en, rechazada_soap_en, rechazada_portal_en, creada_en),
  UPDATE (rechazada_soap_en, rechazada_portal_en), DELETE ON credencial TO acuse_worker;
-- efirma_shred
GRANT SELECT, INSERT, DELETE ON efirma_shred TO acuse_api, acuse_panel;
GRANT SELECT (credencial_id, expira_en), DELETE ON efirma_shred TO acuse_worker;
-- credencial_sellada: who seals does not read what is sealed, not even its own; who opens seals nothing.
GRANT SELECT (solicitud_id, tipo), INSERT, UPDATE (kid, sobre, expira_en) ON credencial_sellada TO acuse_api, acuse_panel;
GRANT SELECT, DELETE ON credencial_sellada TO acuse_worker;
-- capsula: made and opened by workers; the panel shows until when it is there.
GRANT SELECT (solicitud_id, folios, expira_en) ON capsula TO acuse_panel;
GRANT SELECT, INSERT, UPDATE (kid, sobre, folios, hecha_en, expira_en), DELETE ON capsula TO acuse_worker;

-- solicitud: accepted by a function. API and panel take up again what waited for an e.firma; whose and for what it is never changes.
GRANT SELECT, UPDATE (estado, motivo, gen, due_at) ON solicitud TO acuse_api, acuse_panel;
GRANT SELECT, UPDATE (estado, motivo, gen, due_at, epoch, fase, canal, canal_dejado, lease_until, intentos, ultima_consulta_en, terminada_en,
  object_key, bytes, sha256, registros, resumen, confianza, contrapartes_listadas, contrapartes_adversas, paquete_borrado_en, objetos_borrados_en, rastro_borrado_en) ON solicitud TO acuse_worker;
-- parte
GRANT SELECT ON parte TO acuse_api, acuse_panel;
GRANT SELECT, INSERT, UPDATE, DELETE ON parte TO acuse_worker;
-- cuota_sat: workers write, the API reads.
GRANT SELECT ON cuota_sat TO acuse_api;
GRANT SELECT, INSERT, UPDATE (tomadas), DELETE ON cuota_sat TO acuse_worker;
-- paquete_sat: the API counts downloads.
GRANT SELECT (parte_id, object_key, relecturas) ON paquete_sat TO acuse_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON paquete_sat TO acuse_worker;
-- outbox
GRANT SELECT (solicitud_id), INSERT ON outbox TO acuse_api;
GRANT SELECT, INSERT ON outbox TO acuse_panel;
GRANT SELECT, INSERT, UPDATE, DELETE ON outbox TO acuse_worker;
-- evento
GRANT INSERT ON evento TO acuse_api;
GRANT SELECT, INSERT ON evento TO acuse_panel;
GRANT SELECT, INSERT, UPDATE (veces, ultima_en), DELETE ON evento TO acuse_worker;
GRANT USAGE ON SEQUENCE evento_id_seq TO acuse_api, acuse_panel, acuse_worker;
-- paso: the workers' log of their steps; who reads it is the operator.
GRANT SELECT, INSERT, UPDATE (proceso, bandeja_ms, cola_ms, ms, consultas, veces, ultimo_en), DELETE ON paso TO acuse_worker;
-- documento
GRANT INSERT ON documento TO acuse_api;
GRANT SELECT, UPDATE (borrado_en), DELETE ON documento TO acuse_worker;

-- auditoria: nobody changes a line; old ones go by a function, which keeps a year.
GRANT INSERT (cuenta_id, contribuyente_id, actor, accion, detalle, ip) ON auditoria TO acuse_api;
GRANT SELECT, INSERT (cuenta_id, contribuyente_id, actor, accion, detalle, ip) ON auditoria TO acuse_panel;
GRANT USAGE ON SEQUENCE auditoria_id_seq TO acuse_api, acuse_panel;
-- Workers tell how old the last backup is, and read neither who did what nor to whom.
GRANT SELECT (id, accion, en) ON auditoria TO acuse_worker;

-- secreto_en_uso: a process looks whether it has all keys that its rows need; the panel shows all of them.
GRANT SELECT ON secreto_en_uso TO acuse_api, acuse_panel, acuse_worker;

-- idempotencia: workers delete what is old.
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotencia TO acuse_api;
GRANT SELECT (ctid, creada_en), UPDATE (creada_en), DELETE ON idempotencia TO acuse_worker;
-- consulta_en_curso
GRANT SELECT, INSERT, UPDATE (folio), DELETE ON consulta_en_curso TO acuse_api;
GRANT SELECT (ctid, creada_en), UPDATE (creada_en), DELETE ON consulta_en_curso TO acuse_worker;
-- llamada_hecha: written by the API in lots, deleted by the workers.
GRANT SELECT, INSERT ON llamada_hecha TO acuse_api;
GRANT SELECT ON llamada_hecha TO acuse_panel;
GRANT SELECT (ctid, en), UPDATE (en), DELETE ON llamada_hecha TO acuse_worker;
-- latido: the API tells everybody whether somebody works, and names no process.
GRANT SELECT (rol, visto_en, slots) ON latido TO acuse_api;
GRANT SELECT ON latido TO acuse_panel;
GRANT SELECT, INSERT, UPDATE, DELETE ON latido TO acuse_worker;

-- The tax authority. sesion_portal, turno_acceso, rechazo_acceso: the panel forgets what a new credential makes void.
GRANT SELECT, INSERT, UPDATE, DELETE ON sesion_portal, turno_acceso, rechazo_acceso TO acuse_api, acuse_worker;
GRANT SELECT (rfc, por_cerrar), UPDATE (por_cerrar) ON sesion_portal TO acuse_panel;
GRANT SELECT (rfc), DELETE ON rechazo_acceso TO acuse_panel;
-- estado_host, salud_sat
GRANT SELECT, INSERT, UPDATE ON estado_host TO acuse_api, acuse_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON salud_sat TO acuse_api, acuse_worker;
GRANT SELECT ON estado_host, salud_sat TO acuse_panel;
-- espera_sat: noted by the workers, told by the API.
GRANT SELECT ON espera_sat TO acuse_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON espera_sat TO acuse_worker;
-- captcha_pendiente
GRANT SELECT, INSERT, DELETE ON captcha_pendiente TO acuse_api, acuse_worker;
GRANT SELECT, UPDATE (respuesta) ON captcha_pendiente TO acuse_panel;

-- The lists. efos_version, efos_vigente, efos_fila, listado_version, listado_vigente, listado_fila, edos_lista, edos_rfc: what answers are given from.
GRANT SELECT ON efos_version, efos_vigente, efos_fila, listado_version, listado_vigente, listado_fila, edos_lista, edos_rfc TO acuse_api;
GRANT SELECT ON efos_version, efos_vigente, efos_carga, listado_version, listado_vigente, listado_carga TO acuse_panel;
GRANT SELECT, INSERT, UPDATE ON efos_pedido, listado_pedido TO acuse_panel;
GRANT SELECT, INSERT, UPDATE, DELETE ON edos_lista, edos_rfc TO acuse_panel;
-- efos_carga, efos_pedido, listado_carga, listado_pedido
GRANT SELECT, INSERT, UPDATE, DELETE ON efos_version, efos_vigente, efos_fila, efos_carga TO acuse_worker;
-- lista_actual, lista_vigente: the rows and versions of all lists that are current.
GRANT SELECT ON lista_actual, lista_vigente TO acuse_api, acuse_panel, acuse_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON listado_version, listado_vigente, listado_fila, listado_carga TO acuse_worker;
GRANT USAGE ON SEQUENCE efos_carga_id_seq, listado_carga_id_seq TO acuse_worker;
GRANT SELECT, DELETE ON efos_pedido, listado_pedido TO acuse_worker;

-- People: the panel's alone. usuario, segundo_factor, codigo_recuperacion, codigo_acceso, sesion, llave_recordada, intento
-- Only the owner of the tables makes an operator of somebody (acuse operador usuario rol): no process writes `rol`.
GRANT SELECT, INSERT (id, cuenta_id, email, nombre, password_hash, password_kid, correo_verificado_en, correo_exigido),
  UPDATE (cuenta_id, nombre, password_hash, password_kid, correo_verificado_en, avisos_apagados) ON usuario TO acuse_panel;
-- miembro, invitacion: whose account and which person never changes.
GRANT SELECT, INSERT, UPDATE (papel, abierta_en), DELETE ON miembro TO acuse_panel;
GRANT SELECT, INSERT, UPDATE (id, papel, huella, usuario_id, creada_en, vence_en), DELETE ON invitacion TO acuse_panel;
-- Who is told of a low balance: no address, name or password.
GRANT SELECT (id, correo_verificado_en, avisos_apagados) ON usuario TO acuse_worker;
GRANT SELECT (usuario_id, cuenta_id) ON miembro TO acuse_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON segundo_factor, codigo_recuperacion, codigo_acceso, sesion, llave_recordada, intento TO acuse_panel;

-- correo: written by functions alone; a worker reads an address only in a mail to it. enlace_correo: who sends mails sees no link of others.
GRANT SELECT, DELETE ON correo TO acuse_panel;
GRANT SELECT, UPDATE (estado, motivo, error, intentos, epoch, due_at, tomado_hasta, terminado_en), DELETE ON correo TO acuse_worker;
GRANT SELECT, UPDATE, DELETE ON enlace_correo TO acuse_panel;
-- correo_aviso
GRANT SELECT, INSERT, UPDATE, DELETE ON correo_aviso TO acuse_worker;

-- webhook: the number of its last event is moved by webhook_anota alone, which writes webhook_evento and webhook_entrega too.
GRANT SELECT, INSERT, UPDATE (url, descripcion, eventos, rfcs, estado, motivo, apagado_en, fallos_seguidos, fallando_desde, espera_hasta, borrado_en)
  ON webhook TO acuse_api, acuse_panel;
GRANT SELECT, UPDATE (estado, motivo, apagado_en, fallos_seguidos, fallando_desde, espera_hasta), DELETE ON webhook TO acuse_worker;
-- webhook_secreto: API and panel make what the workers sign with, and read none of it back.
GRANT SELECT (id, webhook_id, creado_en, vence_en), INSERT, UPDATE (vence_en), DELETE ON webhook_secreto TO acuse_api, acuse_panel;
GRANT SELECT, UPDATE (vence_en), DELETE ON webhook_secreto TO acuse_worker;
-- webhook_evento, webhook_entrega, webhook_intento, webhook_aviso
GRANT SELECT ON webhook_evento, webhook_entrega, webhook_intento TO acuse_api, acuse_panel;
GRANT UPDATE (estado, intentos, terminada_en, due_at, tomada_hasta, epoch) ON webhook_entrega TO acuse_api, acuse_panel;
-- Whoever sends a delivery again forgets its oldest tries.
GRANT DELETE ON webhook_intento TO acuse_api, acuse_panel;
GRANT SELECT, UPDATE (cuerpo), DELETE ON webhook_evento TO acuse_worker;
GRANT SELECT, UPDATE, DELETE ON webhook_entrega TO acuse_worker;
GRANT SELECT, INSERT ON webhook_intento TO acuse_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_aviso TO acuse_worker;

-- borrado: of the operator's orders, which run as the owner.
-- _prisma_migrations: of who migrates; everybody may look which there are (acuse operador revisar). Its comment says whether the rights of the version
-- before stand beside these.
COMMENT ON TABLE _prisma_migrations IS NULL;
GRANT SELECT (migration_name, checksum, finished_at, rolled_back_at) ON _prisma_migrations TO acuse_api, acuse_panel, acuse_worker;

-- almacen, lectura, nombrado, cfdi, cfdi_cambio: what workers put together from packages, and everybody reads. Partitions of cfdi are made by a
-- function, and reached through it alone.
GRANT SELECT, INSERT (contribuyente_id), UPDATE (borrado_en) ON almacen TO acuse_api, acuse_panel;
GRANT SELECT ON lectura, nombrado, cfdi, cfdi_cambio TO acuse_api, acuse_panel;
GRANT SELECT, UPDATE (cambios, lecturas), DELETE ON almacen TO acuse_worker;
GRANT SELECT, INSERT, DELETE ON lectura, nombrado, cfdi_cambio TO acuse_worker;
GRANT SELECT, INSERT, UPDATE, DELETE ON cfdi TO acuse_worker;
REVOKE ALL ON FUNCTION cfdi_meses FROM PUBLIC;
GRANT EXECUTE ON FUNCTION cfdi_meses TO acuse_worker;

-- sincronizacion: what is asked for, and charged, is asked for by a function alone.
GRANT SELECT, INSERT, UPDATE (api_key_id, emitidos, recibidos, desde, frecuencia, contenido, estado, motivo, pausada_en) ON sincronizacion TO acuse_api, acuse_panel;
GRANT SELECT, UPDATE (estado, motivo, pausada_en), DELETE ON sincronizacion TO acuse_worker;
-- consentimiento: who seals reads nothing of what is sealed; who opens seals nothing.
GRANT SELECT (sincronizacion_id, finalidad, otorgado_por, otorgado_en, expira_en), INSERT, DELETE ON consentimiento TO acuse_api, acuse_panel;
GRANT SELECT, DELETE ON consentimiento TO acuse_worker;
-- tramo: which solicitud one waits for is written by functions alone, since its charge is refunded when nothing could be merged.
GRANT SELECT, INSERT (sincronizacion_id, tipo, mes, due_at), UPDATE (fase, due_at), DELETE ON tramo TO acuse_api, acuse_panel;
GRANT SELECT, INSERT (sincronizacion_id, tipo, mes, due_at), UPDATE (epoch, tomado_hasta, due_at), DELETE ON tramo TO acuse_worker;
REVOKE ALL ON FUNCTION sincronizacion_revoca FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sincronizacion_revoca TO acuse_api, acuse_panel, acuse_worker;

-- riesgo_contraparte, riesgo_cambio, riesgo_cruce: noted by the workers, shown by everybody.
GRANT SELECT ON riesgo_contraparte, riesgo_cambio TO acuse_api, acuse_panel;
GRANT SELECT, INSERT, UPDATE (supuesto, es_adverso, publicada, desde, cambiada_en, salio_en) ON riesgo_contraparte TO acuse_worker;
GRANT SELECT, INSERT ON riesgo_cambio TO acuse_worker;
GRANT SELECT, INSERT, UPDATE (versiones, cambios, cruzado_en) ON riesgo_cruce TO acuse_worker;
-- riesgo_paquete: noted with the end of a solicitud, gone with its trace.
GRANT SELECT ON riesgo_paquete TO acuse_api, acuse_panel;
GRANT SELECT, INSERT, DELETE ON riesgo_paquete TO acuse_worker;

-- conexion: the API reads no envelope of a browser, only the worker's one for its outer layer; a worker neither makes nor ends a connection.
GRANT SELECT (id, cuenta_id, contribuyente_id, api_key_id, rfc, modo, huella, retiro, solicitante, finalidad, regreso, marca, estado, motivo, intentos, sellada,
  enviada_en, expira_en, hasta, creada_en, conectada_en, terminada_en),
  INSERT (id, cuenta_id, contribuyente_id, api_key_id, rfc, modo, huella, solicitante, finalidad, regreso, marca, boleto, expira_en, hasta),
  UPDATE (estado, motivo, intentos, boleto, sobre, due_at, enviada_en, retiro, terminada_en) ON conexion TO acuse_api;
GRANT SELECT (id, cuenta_id, contribuyente_id, api_key_id, rfc, modo, estado, intentos, boleto, sobre, epoch, due_at, enviada_en, expira_en, hasta, conectada_en,
  terminada_en), UPDATE (estado, motivo, intentos, sobre, sellada, epoch, due_at, terminada_en, boleto), DELETE ON conexion TO acuse_worker;
-- An import in the panel makes links; the panel ends none but an earlier one of the same key.
GRANT SELECT (id, cuenta_id, contribuyente_id, api_key_id, solicitante, estado, expira_en),
  INSERT (id, cuenta_id, contribuyente_id, api_key_id, rfc, modo, huella, solicitante, finalidad, regreso, marca, boleto, expira_en, hasta),
  UPDATE (estado, motivo, terminada_en, boleto) ON conexion TO acuse_panel;
GRANT EXECUTE ON FUNCTION conexion_guarda, conexion_revoca TO acuse_api;

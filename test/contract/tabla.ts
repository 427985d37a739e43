import { type Fila, row } from './fila.ts';

/**
 * The interface of every operation as the specification tells it (Endpoints, Vault, Package download), written down by
 * hand and compared with what the service loads. `descarga/verificar`, `descarga/listar`, `descarga/cancelar`,
 * `descarga/estimar`, `vault/estado`, `uso/consultar`, `llamadas/listar`, `estado/sat`, `sincronizacion/…`, `cfdi/…`, `riesgo/…`,
 * `conexion/…`,
 * `webhooks/…` and `id_cif` are ours.
 */
const pagina = 'limite?:integer cursor?';
const cfdi = 'uuid emisor_rfc total:number fecha:date';
/** An invented cursor is refused. */
const primera = { cursor: undefined };
/** How an answer was obtained, and for a list how sure it is. */
const listado = {
  data: 'total items',
  ours: 'siguiente confianza reembolsada canal credencial',
  errores: '402/1004',
  valores: primera,
};
const deListas = 'listas_consultadas fecha_corte edos_fuente';
const webhook =
  'webhook_id url descripcion eventos estado motivo apagado_en fallando_desde pendientes secretos_anteriores creado_en';
const sincronizacion =
  'rfc tipo desde frecuencia contenido hora estado motivo pausada_en consentimiento cambios ultima_lectura proxima_lectura ' +
  'periodos_por_leer periodos_con_fallas periodos_por_confirmar periodos_sin_confirmar ultima_falla creada_en';
const conexion =
  'conexion_id rfc estado motivo intentos solicitante finalidad expira_en hasta creada_en conectada_en terminada_en';
const filtros = 'desde? hasta? contraparte_rfc? estado? efecto_comprobante? monto_min? monto_max? uuid?';
const filtrados = { ...primera, estado: 'VIGENTE', efecto_comprobante: 'I', monto_min: '1.00', monto_max: '2.00' };
const alcance = 'conocido_desde releido_desde ultima_lectura periodos_por_leer';

export const TABLA: readonly Fila[] = [
  row('descarga/consulta-cfdi', 1, 'API key', 'ninguno', {
    campos: 'rfc_emisor rfc_receptor uuid total:number',
    data: 'uuid estado total',
    ours: 'es_cancelable estado_cancelacion validacion_efos advertencias',
    errores: '402/1004 404/2002',
  }),
  row('tax/descarga-metadata', 1, 'API key + CIEC', 'propio', {
    campos:
      'rfc desde hasta tipo formato? contenido? tablas?:boolean estado_comprobante? tipo_comprobante? rfc_contraparte?:array complemento? capsula?:boolean',
    data: 'solicitud_id estado',
    ours: 'duplicada',
    errores: '402/1004',
  }),
  row('tax/comunicados', 1, 'API key', 'propio', {
    campos: `rfc desde? hasta? ${pagina}`,
    ...listado,
    elementos: 'id asunto fecha:date',
  }),
  row('tax/facturas', 1, 'API key + CIEC', 'propio', {
    campos: `rfc desde hasta ${pagina}`,
    ...listado,
    elementos: cfdi,
  }),
  row('tax/facturas-fiel', 1, 'API key + e.firma', 'propio', {
    campos: `rfc desde hasta ${pagina}`,
    ...listado,
    elementos: cfdi,
  }),
  row('tax/declaraciones-fiel', 1, 'API key + e.firma', 'propio', {
    campos: `rfc ejercicio:integer ${pagina}`,
    ...listado,
    elementos: 'id tipo periodicidad periodo ejercicio:integer fecha:date complementaria:boolean estado',
  }),
  row('tax/retenciones', 1, 'API key + CIEC', 'propio', {
    campos: `rfc ejercicio:integer ${pagina}`,
    ...listado,
    elementos: `${cfdi} estado`,
  }),
  row('tax/notificaciones', 1, 'API key + CIEC o e.firma', 'propio', {
    campos: `rfc ${pagina}`,
    ...listado,
    elementos: 'id autoridad asunto fecha:date',
  }),
  row('usuario/datos-fiscales', 1, 'API key', 'propio', {
    campos: 'rfc',
    data: 'rfc nombre regimen_fiscal domicilio fecha_inicio_operaciones estatus',
    ours: 'regimenes curp canal credencial',
    errores: '401/1001 401/1002 403/1003 402/1004 400/2002 503/5041',
  }),
  row('tax/informacion-fiscal', 1, 'API key + CIEC', 'propio', {
    campos: 'rfc',
    data: 'rfc regimenes obligaciones',
    ours: 'canal credencial',
    errores: '402/1004',
  }),
  row('tax/opinion-cumplimiento', 1, 'API key + CIEC', 'propio', {
    campos: 'rfc',
    data: 'rfc opinion fecha_consulta motivo saldo',
    ours: 'canal credencial',
    errores: '402/1004 503/5041',
  }),
  row('tax/opinion-cumplimiento-fiel', 1, 'API key + e.firma', 'propio', {
    campos: 'rfc',
    data: 'rfc opinion pdf_firmado_url',
    ours: 'expira_en motivo canal credencial',
    errores: '402/1004 400/4002',
  }),
  row('tax/opinion-cumplimiento-publica', 0, 'API key', 'cualquiera', {
    campos: 'rfc',
    data: 'rfc opinion fecha_publicacion',
    ours: 'advertencias',
    errores: '401/1001',
  }),
  row('efos/consultar', 0, 'API key', 'cualquiera', {
    campos: 'rfc',
    data: 'rfc en_efos en_edos fecha_consulta',
    ours: `situacion historial listas advertencias ${deListas}`,
    errores: '401/1001',
  }),
  row('efos/consultar-lote', 0, 'API key', 'ninguno', {
    campos: 'rfcs:array',
    data: 'total items fecha_consulta',
    ours: deListas,
    errores: '401/1001',
    valores: { rfcs: ['EKU9003173C9'] },
  }),
  row('descarga/estimar', 0, 'API key', 'propio', {
    campos:
      'rfc desde hasta tipo formato? contenido? estado_comprobante? tipo_comprobante? rfc_contraparte?:array complemento?',
    data: 'rfc base registros bytes canal motivo solicitudes_sat estimacion cuota_portal iguales_restantes creditos',
    ours: 'cuotas_sat',
    errores: '401/1001',
  }),
  row('descarga/paquete', 0, 'API key', 'ninguno', {
    campos: 'solicitud_id',
    data: 'solicitud_id paquete_url expira_en confianza',
    ours: 'bytes sha256 contrapartes_listadas xml',
    errores: '401/1001 404/2002 409/3002',
  }),
  row('descarga/cancelar', 0, 'API key', 'ninguno', {
    campos: 'solicitud_id',
    data: 'solicitud_id estado',
    errores: '401/1001 404/2002 409/3005',
  }),
  row('descarga/verificar', 0, 'API key', 'ninguno', {
    campos: 'solicitud_id',
    data: 'solicitud_id modo estado tipo desde hasta formato contenido tablas filtros xml completo_hacia registros progreso intentos ultima_consulta proxima_consulta motivo confianza reembolsada retrasada creada_en terminada_en contrapartes_listadas estimacion',
    errores: '401/1001 404/2002',
  }),
  row('webhooks/crear', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc url eventos:array descripcion?',
    data: `${webhook} secreto`,
    errores: '401/1001 409/3006',
  }),
  row('webhooks/listar', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc estado?',
    data: 'total items',
    errores: '401/1001',
    elementos: 'webhook_id url estado pendientes:integer',
  }),
  row('webhooks/actualizar', 0, 'API key', 'ninguno', {
    campos: 'webhook_id url? eventos?:array descripcion? estado?',
    data: webhook,
    errores: '401/1001 404/2002',
  }),
  row('webhooks/borrar', 0, 'API key', 'ninguno', {
    campos: 'webhook_id',
    data: 'webhook_id',
    errores: '401/1001 404/2002',
  }),
  row('webhooks/rotar-secreto', 0, 'API key', 'ninguno', {
    campos: 'webhook_id vigencia_horas?:integer',
    data: 'webhook_id secreto anterior_hasta',
    errores: '401/1001 404/2002',
  }),
  row('webhooks/entregas', 0, 'API key', 'ninguno', {
    campos: `webhook_id estado? ${pagina}`,
    data: 'total items siguiente',
    errores: '401/1001 404/2002',
    elementos: 'entrega_id secuencia:integer intentos:integer',
    valores: { estado: 'FALLIDA', cursor: '17' },
  }),
  row('webhooks/reenviar', 0, 'API key', 'ninguno', {
    campos: 'entrega_id',
    data: 'entrega_id estado',
    errores: '401/1001 404/2002 409/3006',
  }),
  row('webhooks/probar', 0, 'API key', 'ninguno', {
    campos: 'webhook_id tipo?',
    data: 'entrega_id',
    errores: '401/1001 404/2002 409/3006',
    valores: { tipo: 'saldo.bajo' },
  }),
  row('sincronizacion/estimar', 0, 'API key', 'propio', {
    campos: 'rfc tipo? desde? frecuencia? contenido?',
    data: 'lecturas_iniciales creditos_iniciales lecturas_al_mes creditos_al_mes creditos_por_confirmar',
    errores: '401/1001',
  }),
  row('sincronizacion/crear', 0, 'API key + CIEC', 'propio', {
    campos: 'rfc tipo? desde? frecuencia? contenido? meses?:integer finalidad?',
    data: `${sincronizacion} costo`,
    errores: '401/1001',
  }),
  row('sincronizacion/listar', 0, 'API key', 'propio', {
    campos: 'rfc',
    data: 'total items',
    errores: '401/1001',
    elementos: 'rfc estado cambios:integer',
  }),
  row('sincronizacion/pausar', 0, 'API key', 'propio', {
    campos: 'rfc',
    data: sincronizacion,
    errores: '401/1001 404/2002',
  }),
  row('sincronizacion/reanudar', 0, 'API key', 'propio', {
    campos: 'rfc',
    data: sincronizacion,
    errores: '401/1001 404/2002 409/3006',
  }),
  row('sincronizacion/borrar', 0, 'API key', 'propio', { campos: 'rfc', data: 'rfc', errores: '401/1001 404/2002' }),
  row('cfdi/consultar', 0, 'API key', 'propio', {
    campos: `rfc tipo? ${filtros} ${pagina}`,
    data: 'total items',
    ours: `siguiente ${alcance}`,
    errores: '401/1001 404/2002',
    elementos: 'tipo uuid estado fecha:date visto_en leido_en',
    valores: filtrados,
  }),
  row('cfdi/resumen', 0, 'API key', 'propio', {
    campos: `rfc tipo ${filtros} contrapartes?:integer`,
    data: 'suma meses efectos contrapartes otras',
    ours: alcance,
    errores: '401/1001 404/2002',
    valores: filtrados,
  }),
  row('sincronizacion/cambios', 0, 'API key', 'propio', {
    campos: `rfc desde? ${pagina}`,
    data: 'total items siguiente faltan',
    errores: '401/1001 404/2002',
    elementos: 'secuencia:integer cambio uuid fecha:date',
    valores: primera,
  }),
  row('riesgo/proveedores', 0, 'API key', 'propio', {
    campos: `rfc ${pagina}`,
    data: 'total items siguiente',
    errores: '401/1001 404/2002',
    elementos: 'proveedor_rfc lista supuesto adverso:boolean',
    valores: primera,
  }),
  row('riesgo/paquete', 0, 'API key', 'ninguno', {
    campos: `solicitud_id ${pagina}`,
    data: 'solicitud_id contrapartes_listadas total items siguiente',
    errores: '401/1001 404/2002 409/3002',
    elementos: 'proveedor_rfc lista supuesto adverso:boolean',
    valores: primera,
  }),
  row('conexion/crear', 0, 'API key', 'propio', {
    campos: 'rfc solicitante finalidad vence_minutos?:integer dias?:integer regreso? logo? color?',
    data: 'conexion_id enlace expira_en hasta',
    errores: '401/1001',
  }),
  row('conexion/estado', 0, 'API key', 'propio', {
    campos: 'rfc conexion_id',
    data: conexion,
    errores: '401/1001 404/2002',
  }),
  row('conexion/revocar', 0, 'API key', 'propio', {
    campos: 'rfc conexion_id',
    data: conexion,
    errores: '401/1001 404/2002',
  }),
  row('vault/rfc-registrar', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc id_cif?',
    data: 'rfc',
    errores: '401/1001',
  }),
  row('vault/firma-registrar', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc cer password?',
    data: 'rfc no_serie',
    ours: 'advertencias',
    errores: '401/1001 400/4001',
  }),
  row('vault/firma-guardar', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc key password',
    data: 'rfc expira_en',
    errores: '401/1001',
  }),
  row('vault/rfc-guardar', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc ciec',
    data: null,
    errores: '401/1001',
  }),
  row('vault/estado', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc',
    data: '',
    ours: 'rfc registrado id_cif certificado caminos cuotas_sat',
    errores: '401/1001',
  }),
  row('descarga/listar', 0, 'API key', 'ninguno', {
    campos: 'estado? tipo? desde? hasta? cursor? limite?:integer',
    data: 'total items',
    ours: 'siguiente',
    errores: '401/1001',
    valores: { estado: 'TERMINADA' },
  }),
  row('estado/sat', 0, 'API key', 'ninguno', {
    campos: 'canal?',
    data: '',
    ours: 'modo cifras_de canales descargas servicio',
    errores: '401/1001',
    valores: { canal: 'soap' },
  }),
  row('llamadas/listar', 0, 'API key', 'ninguno', {
    campos: `desde? hasta? operacion? resultado? ${pagina}`,
    data: '',
    ours: 'total items siguiente',
    elementos: 'operacion http:integer codigo:integer ms:integer creditos:integer request_id',
    errores: '401/1001',
    valores: { ...primera, operacion: 'uso/consultar', resultado: 'EXITO' },
  }),
  row('uso/consultar', 0, 'API key', 'ninguno', {
    campos: `desde? hasta? ${pagina}`,
    data: '',
    ours: 'saldo desde hasta llamadas cargados reembolsados items siguiente',
    errores: '401/1001',
    valores: primera,
  }),
  row('vault/firma-estado', 0, 'API key', 'propio, sin registrar', {
    campos: 'rfc',
    data: 'rfc tiene_cer tiene_key vigente expira_en',
    ours: 'rechazos key_expira_en advertencias',
    errores: '401/1001',
  }),
];

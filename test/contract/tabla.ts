import type { Fila } from './fila.ts';

/**
 * The interface of every operation as the specification tells it (Endpoints, Vault, Package download), written down by
 * hand and compared with what the service loads. `descarga/verificar`, `descarga/listar`, `descarga/cancelar`,
 * `vault/estado`, `uso/consultar`, `estado/sat`, `sincronizacion/…`, `cfdi/…`, `riesgo/…`, `webhooks/…` and `id_cif` are
 * ours.
 */
const texto = { tipo: 'string', requerido: true } as const;
const optional = { tipo: 'string', requerido: false } as const;
const rfc = { rfc: texto };
const periodo = { rfc: texto, desde: texto, hasta: texto };
/** The fields of a page. */
const pagina = { limite: { tipo: 'integer', requerido: false }, cursor: optional } as const;
const ejercicio = { rfc: texto, ejercicio: { tipo: 'integer', requerido: true }, ...pagina } as const;
const lista = ['total', 'items'];
/** How an answer was obtained, and for a list how sure it is. */
const camino = ['canal', 'credencial'];
const certainty = ['siguiente', 'confianza', 'reembolsada', ...camino];
const pagada = ['402/1004'];
const cfdi = { uuid: 'string', emisor_rfc: 'string', total: 'number', fecha: 'date' } as const;
/** An invented cursor is refused. */
const primera = { cursor: undefined };
const listado = { data: lista, ours: certainty, errores: pagada, valores: primera } as const;
const llave = ['401/1001'];
const listas = { cost: 0, credencial: 'API key', errores: llave } as const;
const deListas = ['listas_consultadas', 'fecha_corte', 'edos_fuente'];
const deRfc = ['situacion', 'historial', 'listas', 'advertencias', ...deListas];
const numero = { tipo: 'integer', requerido: false } as const;
const webhook = { webhook_id: texto };
const webhooks = { cost: 0, credencial: 'API key', rfc: 'ninguno' } as const;
const sincronizacion = { cost: 0, credencial: 'API key', rfc: 'propio' } as const;
const ajustes = { rfc: texto, tipo: optional, desde: optional, frecuencia: optional };
const costo = [
  'lecturas_iniciales',
  'creditos_iniciales',
  'lecturas_al_mes',
  'creditos_al_mes',
  'creditos_por_confirmar',
];
const suSincronizacion = [
  ...['rfc', 'tipo', 'desde', 'frecuencia', 'hora', 'estado', 'motivo', 'pausada_en', 'consentimiento', 'cambios'],
  ...[
    'ultima_lectura',
    'proxima_lectura',
    'periodos_por_leer',
    'periodos_con_fallas',
    'periodos_por_confirmar',
    'periodos_sin_confirmar',
    'ultima_falla',
    'creada_en',
  ],
];
const filtroCfdi = {
  ...{ rfc: texto, tipo: optional, desde: optional, hasta: optional, contraparte_rfc: optional, estado: optional },
  ...{ efecto_comprobante: optional, monto_min: optional, monto_max: optional, uuid: optional },
};
const filtrados = { ...primera, estado: 'VIGENTE', efecto_comprobante: 'I', monto_min: '1.00', monto_max: '2.00' };
const alcance = ['conocido_desde', 'releido_desde', 'ultima_lectura', 'periodos_por_leer'];
const suWebhook = [
  ...['webhook_id', 'url', 'descripcion', 'eventos', 'estado', 'motivo', 'apagado_en', 'fallando_desde'],
  ...['pendientes', 'secretos_anteriores', 'creado_en'],
];

export const TABLA: readonly Fila[] = [
  {
    ...{ path: 'descarga/consulta-cfdi', cost: 1, credencial: 'API key', rfc: 'ninguno' },
    campos: { rfc_emisor: texto, rfc_receptor: texto, uuid: texto, total: { tipo: 'number', requerido: true } },
    data: ['uuid', 'estado', 'total'],
    ours: ['es_cancelable', 'estado_cancelacion', 'validacion_efos', 'advertencias'],
    errores: [...pagada, '404/2002'],
  },
  {
    ...{ path: 'tax/descarga-metadata', cost: 1, credencial: 'API key + CIEC', rfc: 'propio' },
    campos: { ...periodo, tipo: texto, formato: optional, capsula: { tipo: 'boolean', requerido: false } },
    data: ['solicitud_id', 'estado'],
    ours: ['duplicada'],
    errores: pagada,
  },
  {
    ...{ path: 'tax/comunicados', cost: 1, credencial: 'API key', rfc: 'propio' },
    campos: { rfc: texto, desde: optional, hasta: optional, ...pagina },
    elementos: { id: 'string', asunto: 'string', fecha: 'date' },
    ...listado,
  },
  {
    ...{ path: 'tax/facturas', cost: 1, credencial: 'API key + CIEC', rfc: 'propio' },
    campos: { ...periodo, ...pagina },
    elementos: cfdi,
    ...listado,
  },
  {
    ...{ path: 'tax/facturas-fiel', cost: 1, credencial: 'API key + e.firma', rfc: 'propio' },
    campos: { ...periodo, ...pagina },
    elementos: cfdi,
    ...listado,
  },
  {
    ...{ path: 'tax/declaraciones-fiel', cost: 1, credencial: 'API key + e.firma', rfc: 'propio' },
    campos: ejercicio,
    elementos: {
      id: 'string',
      tipo: 'string',
      periodicidad: 'string',
      periodo: 'string',
      ejercicio: 'integer',
      fecha: 'date',
      complementaria: 'boolean',
      estado: 'string',
    },
    ...listado,
  },
  {
    ...{ path: 'tax/retenciones', cost: 1, credencial: 'API key + CIEC', rfc: 'propio' },
    campos: ejercicio,
    elementos: { ...cfdi, estado: 'string' },
    ...listado,
  },
  {
    ...{ path: 'tax/notificaciones', cost: 1, credencial: 'API key + CIEC o e.firma', rfc: 'propio' },
    ...{
      campos: { ...rfc, ...pagina },
      elementos: { id: 'string', autoridad: 'string', asunto: 'string', fecha: 'date' },
      ...listado,
    },
  },
  {
    ...{ path: 'usuario/datos-fiscales', cost: 1, credencial: 'API key', rfc: 'propio', campos: rfc },
    data: ['rfc', 'nombre', 'regimen_fiscal', 'domicilio', 'fecha_inicio_operaciones', 'estatus'],
    ours: ['regimenes', 'curp', ...camino],
    errores: ['401/1001', '401/1002', '403/1003', '402/1004', '400/2002', '503/5041'],
  },
  {
    ...{ path: 'tax/informacion-fiscal', cost: 1, credencial: 'API key + CIEC', rfc: 'propio', campos: rfc },
    ...{ data: ['rfc', 'regimenes', 'obligaciones'], ours: camino, errores: pagada },
  },
  {
    ...{ path: 'tax/opinion-cumplimiento', cost: 1, credencial: 'API key + CIEC', rfc: 'propio', campos: rfc },
    data: ['rfc', 'opinion', 'fecha_consulta', 'motivo', 'saldo'],
    ours: camino,
    errores: [...pagada, '503/5041'],
  },
  {
    ...{ path: 'tax/opinion-cumplimiento-fiel', cost: 1, credencial: 'API key + e.firma', rfc: 'propio' },
    campos: rfc,
    data: ['rfc', 'opinion', 'pdf_firmado_url'],
    ours: ['expira_en', 'motivo', ...camino],
    errores: [...pagada, '400/4002'],
  },
  {
    ...{ path: 'tax/opinion-cumplimiento-publica', cost: 0, credencial: 'API key', rfc: 'cualquiera' },
    campos: rfc,
    data: ['rfc', 'opinion', 'fecha_publicacion'],
    ours: ['advertencias'],
    errores: llave,
  },
  {
    ...{ path: 'efos/consultar', ...listas, rfc: 'cualquiera', campos: rfc },
    ...{ data: ['rfc', 'en_efos', 'en_edos', 'fecha_consulta'], ours: deRfc },
  },
  {
    ...{ path: 'efos/consultar-lote', ...listas, rfc: 'ninguno', campos: { rfcs: { tipo: 'array', requerido: true } } },
    ...{ valores: { rfcs: ['EKU9003173C9'] }, data: [...lista, 'fecha_consulta'], ours: deListas },
  },
  {
    ...{ path: 'descarga/paquete', cost: 0, credencial: 'API key', rfc: 'ninguno', campos: { solicitud_id: texto } },
    data: ['solicitud_id', 'paquete_url', 'expira_en', 'confianza'],
    ours: ['bytes', 'sha256', 'contrapartes_listadas'],
    errores: [...llave, '404/2002', '409/3002'],
  },
  {
    ...{ path: 'descarga/cancelar', cost: 0, credencial: 'API key', rfc: 'ninguno', campos: { solicitud_id: texto } },
    data: ['solicitud_id', 'estado'],
    errores: [...llave, '404/2002', '409/3005'],
  },
  {
    ...{ path: 'descarga/verificar', cost: 0, credencial: 'API key', rfc: 'ninguno', campos: { solicitud_id: texto } },
    data: [
      ...['solicitud_id', 'modo', 'estado', 'tipo', 'desde', 'hasta', 'formato', 'registros', 'progreso', 'intentos'],
      ...[
        'ultima_consulta',
        'proxima_consulta',
        'motivo',
        'confianza',
        'reembolsada',
        'retrasada',
        'creada_en',
        'terminada_en',
        'contrapartes_listadas',
        'estimacion',
      ],
    ],
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'webhooks/crear', ...webhooks, data: [...suWebhook, 'secreto'], errores: [...llave, '409/3006'] },
    rfc: 'propio, sin registrar',
    campos: { rfc: texto, url: texto, eventos: { tipo: 'array', requerido: true }, descripcion: optional },
  },
  {
    ...{ path: 'webhooks/listar', ...webhooks, data: lista, errores: llave },
    ...{ rfc: 'propio, sin registrar', campos: { rfc: texto, estado: optional } },
    elementos: { webhook_id: 'string', url: 'string', estado: 'string', pendientes: 'integer' },
  },
  {
    ...{ path: 'webhooks/actualizar', ...webhooks, data: suWebhook, errores: [...llave, '404/2002'] },
    campos: {
      ...{ ...webhook, url: optional, eventos: { tipo: 'array', requerido: false } as const },
      ...{ descripcion: optional, estado: optional },
    },
  },
  {
    ...{ path: 'webhooks/borrar', ...webhooks, campos: webhook, data: ['webhook_id'] },
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'webhooks/rotar-secreto', ...webhooks, campos: { ...webhook, vigencia_horas: numero } },
    ...{ data: ['webhook_id', 'secreto', 'anterior_hasta'], errores: [...llave, '404/2002'] },
  },
  {
    ...{
      path: 'webhooks/entregas',
      ...webhooks,
      errores: [...llave, '404/2002'],
      valores: { estado: 'FALLIDA', cursor: '17' },
    },
    campos: { ...webhook, estado: optional, limite: numero, cursor: optional },
    ...{
      data: [...lista, 'siguiente'],
      elementos: { entrega_id: 'string', secuencia: 'integer', intentos: 'integer' },
    },
  },
  {
    ...{ path: 'webhooks/reenviar', ...webhooks, campos: { entrega_id: texto }, data: ['entrega_id', 'estado'] },
    errores: [...llave, '404/2002', '409/3006'],
  },
  {
    ...{ path: 'webhooks/probar', ...webhooks, data: ['entrega_id'] },
    campos: { ...webhook, tipo: optional },
    valores: { tipo: 'saldo.bajo' },
    errores: [...llave, '404/2002', '409/3006'],
  },
  { ...{ path: 'sincronizacion/estimar', ...sincronizacion, campos: ajustes }, ...{ data: costo, errores: llave } },
  {
    ...{ path: 'sincronizacion/crear', ...sincronizacion, credencial: 'API key + CIEC' },
    campos: { ...ajustes, meses: numero, finalidad: optional },
    ...{ data: [...suSincronizacion, 'costo'], errores: llave },
  },
  {
    ...{ path: 'sincronizacion/listar', ...sincronizacion, campos: rfc, data: lista, errores: llave },
    elementos: { rfc: 'string', estado: 'string', cambios: 'integer' },
  },
  {
    ...{ path: 'sincronizacion/pausar', ...sincronizacion, campos: rfc, data: suSincronizacion },
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'sincronizacion/reanudar', ...sincronizacion, campos: rfc, data: suSincronizacion },
    errores: [...llave, '404/2002', '409/3006'],
  },
  {
    ...{ path: 'sincronizacion/borrar', ...sincronizacion, campos: rfc, data: ['rfc'] },
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'cfdi/consultar', ...sincronizacion, campos: { ...filtroCfdi, ...pagina }, valores: filtrados },
    ...{ data: lista, ours: ['siguiente', ...alcance] },
    elementos: {
      tipo: 'string',
      uuid: 'string',
      estado: 'string',
      fecha: 'date',
      visto_en: 'string',
      leido_en: 'string',
    },
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'cfdi/resumen', ...sincronizacion, campos: { ...filtroCfdi, tipo: texto, contrapartes: numero } },
    ...{ valores: filtrados, data: ['suma', 'meses', 'efectos', 'contrapartes', 'otras'], ours: alcance },
    errores: [...llave, '404/2002'],
  },
  {
    ...{
      path: 'sincronizacion/cambios',
      ...sincronizacion,
      campos: { ...rfc, desde: optional, ...pagina },
      valores: primera,
    },
    data: [...lista, 'siguiente', 'faltan'],
    elementos: { secuencia: 'integer', cambio: 'string', uuid: 'string', fecha: 'date' },
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'riesgo/proveedores', ...sincronizacion, campos: { ...rfc, ...pagina }, valores: primera },
    data: [...lista, 'siguiente'],
    elementos: { proveedor_rfc: 'string', lista: 'string', supuesto: 'string', adverso: 'boolean' },
    errores: [...llave, '404/2002'],
  },
  {
    ...{ path: 'riesgo/paquete', cost: 0, credencial: 'API key', rfc: 'ninguno', valores: primera },
    campos: { solicitud_id: texto, ...pagina },
    data: ['solicitud_id', 'contrapartes_listadas', ...lista, 'siguiente'],
    elementos: { proveedor_rfc: 'string', lista: 'string', supuesto: 'string', adverso: 'boolean' },
    errores: [...llave, '404/2002', '409/3002'],
  },
  {
    ...{ path: 'vault/rfc-registrar', cost: 0, credencial: 'API key', rfc: 'propio, sin registrar' },
    ...{ campos: { rfc: texto, id_cif: optional }, data: ['rfc'], errores: llave },
  },
  {
    ...{ path: 'vault/firma-registrar', cost: 0, credencial: 'API key', rfc: 'propio, sin registrar' },
    campos: { rfc: texto, cer: texto, password: optional },
    data: ['rfc', 'no_serie'],
    ours: ['advertencias'],
    errores: [...llave, '400/4001'],
  },
  {
    ...{ path: 'vault/firma-guardar', cost: 0, credencial: 'API key', rfc: 'propio, sin registrar' },
    campos: { rfc: texto, key: texto, password: texto },
    ...{ data: ['rfc', 'expira_en'], errores: llave },
  },
  {
    ...{ path: 'vault/rfc-guardar', cost: 0, credencial: 'API key', rfc: 'propio, sin registrar' },
    ...{ campos: { rfc: texto, ciec: texto }, data: null, errores: llave },
  },
  {
    ...{ path: 'vault/estado', cost: 0, credencial: 'API key', rfc: 'propio, sin registrar', campos: rfc },
    ...{ data: [], ours: ['rfc', 'registrado', 'id_cif', 'certificado', 'caminos'], errores: llave },
  },
  {
    ...{ path: 'descarga/listar', cost: 0, credencial: 'API key', rfc: 'ninguno' },
    campos: {
      ...{ estado: optional, tipo: optional, desde: optional, hasta: optional, cursor: optional },
      limite: { tipo: 'integer', requerido: false },
    },
    ...{ data: lista, ours: ['siguiente'], errores: llave, valores: { estado: 'TERMINADA' } },
  },
  {
    ...{ path: 'estado/sat', cost: 0, credencial: 'API key', rfc: 'ninguno', campos: { canal: optional } },
    valores: { canal: 'soap' },
    ...{ data: [], ours: ['modo', 'cifras_de', 'canales', 'descargas', 'servicio'], errores: llave },
  },
  {
    ...{ path: 'uso/consultar', cost: 0, credencial: 'API key', rfc: 'ninguno' },
    campos: { desde: optional, hasta: optional, ...pagina },
    ...{ data: [], ours: ['saldo', 'desde', 'hasta', 'llamadas', 'cargados', 'reembolsados', 'items', 'siguiente'] },
    valores: primera,
    errores: llave,
  },
  {
    ...{ path: 'vault/firma-estado', cost: 0, credencial: 'API key', rfc: 'propio, sin registrar', campos: rfc },
    ...{
      data: ['rfc', 'tiene_cer', 'tiene_key', 'vigente', 'expira_en'],
      ours: ['rechazos', 'key_expira_en', 'advertencias'],
      errores: llave,
    },
  },
];

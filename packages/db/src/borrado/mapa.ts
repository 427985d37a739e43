/** What a table has to do with one taxpayer, and what becomes of it when everything of that taxpayer is deleted. */
export interface Tratado {
  /** What it holds, for people. */
  readonly dato: string;
  /** `borra`: its rows go. `limpia`: its rows stay without what is `suyo`. `conserva`: stays as it is. */
  readonly trato: 'borra' | 'limpia' | 'conserva';
  /** Which rows are the taxpayer's, for those that are found by it alone: `:c` its id, `:a` its account, `:r` its RFC. */
  readonly donde?: string;
  /** Columns with the RFC, or with data that are the taxpayer's. */
  readonly suyo?: string;
  /** Columns that stay in which somebody may have written the RFC: data of the account, or public ones. */
  readonly libre?: string;
  /** All other columns: ids made at random, times, numbers, names of ours. */
  readonly resto?: string;
  /** How long a row lives when nobody orders anything; `{SETTING}` stands for a setting's default. */
  readonly plazo: string;
  /** Why it stays. */
  readonly por?: string;
  /** Its rows belong to nobody's account: where another account has the RFC too, they are of that one. */
  readonly isShared?: true;
}

const SUYO = 'contribuyente_id = :c';
const DE_SU_LLAVE = 'api_key_id IN (SELECT id FROM api_key WHERE contribuyente_id = :c)';
const DE_SU_SOLICITUD = 'solicitud_id IN (SELECT id FROM solicitud WHERE contribuyente_id = :c)';
const CON_EL_RFC = 'mientras la cuenta tenga el RFC';
const RASTRO = '{TRACE_RETENTION_DAYS} días después de que la solicitud termina';
const AVISADO = '{TRACE_RETENTION_DAYS} días';
const DE_LA_CUENTA = 'es de la cuenta y de sus personas, no del contribuyente';
const LISTA = 'lista pública';

/**
 * Every table and every column, by what a deletion does with it. A column that is not named here fails the tests: nothing
 * new is kept of a taxpayer without somebody having said how it goes. In the order in which rows go: children first.
 */
export const MAPA: Readonly<Record<string, Tratado>> = {
  paquete_sat: {
    dato: 'Paquetes del SAT de una solicitud',
    trato: 'borra',
    donde: `parte_id IN (SELECT id FROM parte WHERE ${DE_SU_SOLICITUD})`,
    suyo: 'paquete object_key',
    resto: 'parte_id orden bytes sha256 relecturas guardado_en',
    plazo: RASTRO,
  },
  parte: {
    dato: 'Periodos pedidos al SAT',
    trato: 'borra',
    donde: DE_SU_SOLICITUD,
    suyo: 'inicio fin folio registros',
    resto: 'id solicitud_id estado canal vacias desfase envios reenvios consultas fallos accesos due_at solicitada_en',
    plazo: RASTRO,
  },
  evento: {
    dato: 'Lo que le pasó a una solicitud',
    trato: 'borra',
    donde: DE_SU_SOLICITUD,
    suyo: 'codigo detalle',
    resto: 'id solicitud_id tipo en veces ultima_en',
    plazo: RASTRO,
  },
  paso: {
    dato: 'Los pasos de una solicitud, para seguirla',
    trato: 'borra',
    donde: DE_SU_SOLICITUD,
    suyo: 'notas consultas',
    resto: 'solicitud_id epoch cola proceso en bandeja_ms cola_ms ms veces ultimo_en',
    plazo: RASTRO,
  },
  credencial_sellada: {
    dato: 'Copia de una credencial, sellada para los workers',
    trato: 'borra',
    donde: DE_SU_SOLICITUD,
    suyo: 'sobre',
    resto: 'solicitud_id tipo kid expira_en',
    plazo: 'hasta que la solicitud termina; la de una e.firma, una hora',
  },
  outbox: {
    dato: 'Timbres de solicitudes abiertas',
    trato: 'borra',
    donde: DE_SU_SOLICITUD,
    resto: 'solicitud_id gen cola due_at cuenta_id rung_at',
    plazo: 'hasta que la solicitud termina',
  },
  solicitud: {
    dato: 'Solicitudes de descarga',
    trato: 'borra',
    donde: SUYO,
    suyo: 'rfc desde hasta registros object_key resumen idem_key',
    resto:
      'id cuenta_id contribuyente_id api_key_id modo costo tipo formato canal canal_dejado estado fase epoch gen due_at lease_until deadline_at intentos fallos ultima_consulta_en motivo bytes sha256 paquete_borrado_en objetos_borrados_en rastro_borrado_en confianza creada_en terminada_en',
    plazo: CON_EL_RFC,
  },
  documento: {
    dato: 'Nota de un documento del SAT (opinión firmada)',
    trato: 'borra',
    donde: SUYO,
    suyo: 'object_key sha256',
    resto: 'id contribuyente_id tipo bytes creado_en borrado_en',
    plazo: `el documento, {RETENTION_DAYS} días; la nota, {TRACE_RETENTION_DAYS} más`,
  },
  idempotencia: {
    dato: 'Respuestas guardadas para repetirlas, selladas con la API key',
    trato: 'borra',
    donde: DE_SU_LLAVE,
    suyo: 'clave cuerpo_hash sobre',
    resto: 'api_key_id operacion op_id status bloqueada_hasta creada_en',
    plazo: '{idempotencia}',
  },
  consulta_en_curso: {
    dato: 'Consultas que el SAT contesta después',
    trato: 'borra',
    donde: SUYO,
    suyo: 'clave folio inicio fin',
    resto: 'contribuyente_id creada_en',
    plazo: '{consulta_en_curso}',
  },
  llave_recordada: {
    dato: 'API key recordada en una sesión del panel, sellada',
    trato: 'borra',
    donde: SUYO,
    suyo: 'sobre',
    resto: 'sesion_id contribuyente_id api_key_id vence_en',
    plazo: 'minutos, o lo que dure la sesión',
  },
  webhook_intento: {
    dato: 'Intentos de entregar un aviso, con lo que contestó el receptor',
    trato: 'borra',
    suyo: 'respuesta error',
    resto: 'id entrega_id en ms status',
    plazo: AVISADO,
    isShared: true,
  },
  webhook_entrega: {
    dato: 'Entregas de avisos',
    trato: 'borra',
    resto: 'id webhook_id evento_id secuencia estado intentos epoch due_at tomada_hasta creada_en terminada_en',
    plazo: AVISADO,
  },
  webhook_evento: {
    dato: 'Avisos a webhooks, con su cuerpo',
    trato: 'borra',
    donde: 'cuenta_id = :a AND rfc = :r',
    suyo: 'rfc datos cuerpo',
    resto: 'id cuenta_id tipo solicitud_id creado_en',
    plazo: AVISADO,
  },
  webhook_aviso: {
    dato: 'Qué fin próximo ya se avisó a un webhook',
    trato: 'borra',
    donde: `webhook_id IN (SELECT id FROM webhook WHERE cuenta_id = :a)
      AND (clave LIKE '% ' || :c::text || ' %' OR clave IN (SELECT 'llave.por_rotar ' || id FROM api_key WHERE contribuyente_id = :c))`,
    suyo: 'clave',
    resto: 'webhook_id en hasta',
    plazo: '{webhook_aviso} después de ese fin',
  },
  efirma_shred: {
    dato: 'La otra mitad de la clave de una e.firma',
    trato: 'borra',
    donde: 'credencial_id IN (SELECT id FROM credencial WHERE contribuyente_id = :c)',
    suyo: 'llave',
    resto: 'credencial_id expira_en',
    plazo: 'una hora',
  },
  credencial: {
    dato: 'CIEC, certificado y llave de la e.firma, cifrados',
    trato: 'borra',
    donde: SUYO,
    suyo: 'sobre no_serie titular vigente_hasta',
    resto: 'id contribuyente_id api_key_id tipo kid expira_en rechazada_soap_en rechazada_portal_en creada_en',
    plazo: 'la CIEC y el certificado, hasta cambiarlos o revocar la API key; la llave de la e.firma, una hora',
  },
  operacion_deshabilitada: {
    dato: 'Operaciones apagadas',
    trato: 'borra',
    donde: SUYO,
    resto: 'contribuyente_id operacion',
    plazo: CON_EL_RFC,
  },
  ip_permitida: {
    dato: 'Direcciones desde las que se puede llamar',
    trato: 'borra',
    donde: SUYO,
    suyo: 'cidr',
    resto: 'contribuyente_id',
    plazo: CON_EL_RFC,
  },
  api_key_uso: {
    dato: 'Último uso de una API key',
    trato: 'borra',
    donde: DE_SU_LLAVE,
    suyo: 'ultima_ip',
    resto: 'api_key_id ultimo_uso_en',
    plazo: CON_EL_RFC,
  },
  sesion_portal: {
    dato: 'Sesiones con los portales del SAT, selladas',
    trato: 'borra',
    donde: 'rfc = :r',
    suyo: 'rfc cookies sal huella',
    resto: 'id portal tipo usada_en abierta_en por_cerrar',
    plazo: 'minutos sin usarse, horas a lo más',
    isShared: true,
  },
  turno_acceso: {
    dato: 'A quién le toca entrar a un portal',
    trato: 'borra',
    donde: 'rfc = :r AND (cuenta_id = :a OR hasta < now())',
    suyo: 'rfc',
    resto: 'tipo token hasta cuenta_id desde',
    plazo: 'minutos',
    isShared: true,
  },
  rechazo_acceso: {
    dato: 'Credenciales que el SAT rechazó, como huella lenta',
    trato: 'borra',
    donde: 'rfc = :r',
    suyo: 'rfc huella sal motivo codigo',
    resto: 'tipo creado_en',
    plazo: 'hasta que se guarda otra vez',
    isShared: true,
  },
  api_key: {
    dato: 'API keys, como huella con clave',
    trato: 'borra',
    donde: SUYO,
    suyo: 'hash ultimos4',
    resto: 'id contribuyente_id modo pepper_version estado registrada_en creada_en terminada_en',
    plazo: CON_EL_RFC,
  },
  contribuyente: {
    dato: 'El RFC, su nombre y su idCIF',
    trato: 'borra',
    donde: 'id = :c',
    suyo: 'rfc nombre id_cif',
    resto: 'id cuenta_id version creado_en',
    plazo: CON_EL_RFC,
  },
  auditoria: {
    dato: 'Quién hizo qué',
    trato: 'limpia',
    donde: SUYO,
    suyo: 'detalle',
    libre: 'actor ip',
    resto: 'id cuenta_id contribuyente_id accion en',
    plazo: '{AUDIT_RETENTION_DAYS} días',
    por: 'prueba de quién cambió qué; queda con un identificador al azar, sin nombre, RFC, idCIF ni direcciones',
  },
  webhook: {
    dato: 'Webhooks de la cuenta; el que era solo de este RFC se borra',
    trato: 'limpia',
    donde: ':r = ANY (rfcs) AND cuenta_id = :a',
    suyo: 'rfcs',
    libre: 'url descripcion',
    resto:
      'id cuenta_id eventos estado motivo secuencia fallos_seguidos fallando_desde espera_hasta creado_en apagado_en borrado_en',
    plazo: 'mientras la cuenta lo tenga',
    por: DE_LA_CUENTA,
  },
  sesion: {
    dato: 'Sesiones del panel; se les quita el mensaje que nombre al RFC',
    trato: 'limpia',
    donde: 'position(:r in aviso::text) > 0',
    suyo: 'aviso',
    libre: 'agente ip',
    resto: 'huella id usuario_id fase creada_en ultimo_uso_en inactiva_en vence_en',
    plazo: 'lo que dure la sesión',
    por: DE_LA_CUENTA,
  },
  movimiento: {
    dato: 'El libro: créditos comprados, cargados y devueltos',
    trato: 'conserva',
    donde: SUYO,
    libre: 'detalle',
    resto: 'id cuenta_id contribuyente_id op_id tipo importe operacion solicitud_id pago_id creado_en saldo',
    plazo: 'siempre',
    por: 'contabilidad de la cuenta (artículo 30 del Código Fiscal de la Federación), encadenada: no se cambia ni se borra; queda con un identificador al azar, sin RFC',
  },
  llamada: {
    dato: 'Llamadas cobradas que aún no se contestan',
    trato: 'conserva',
    resto: 'op_id cuenta_id operacion vence_en',
    plazo: 'minutos',
    por: 'sin ella no se devolvería el cargo de una llamada que se corta; no nombra al contribuyente',
  },
  borrado: {
    dato: 'Órdenes de borrado y sus informes',
    trato: 'conserva',
    libre: 'rfc',
    resto: 'id cuenta_id contribuyente_id rfc_huella pedido_en cerrado_en contado numero informe huella terminado_en',
    plazo: 'siempre',
    por: 'prueba de lo borrado; al terminar pierde el RFC y queda una huella lenta con sal',
  },
  cuenta: {
    dato: 'La cuenta que paga',
    trato: 'conserva',
    libre: 'nombre email suspension_motivo',
    resto: 'id saldo creada_en suspendida_en',
    plazo: 'mientras exista la cuenta',
    por: DE_LA_CUENTA,
  },
  usuario: {
    dato: 'Personas que entran al panel',
    trato: 'conserva',
    libre: 'email nombre',
    resto: 'id cuenta_id rol password_hash password_kid creado_en',
    plazo: 'mientras exista la cuenta',
    por: DE_LA_CUENTA,
  },
  pago: {
    dato: 'Compras de créditos',
    trato: 'conserva',
    libre: 'referencia proveedor_ref motivo resuelto_por',
    resto: 'id cuenta_id usuario_id clave proveedor creditos subtotal iva total estado creado_en resuelto_en',
    plazo: 'siempre',
    por: 'contabilidad de la cuenta (artículo 30 del Código Fiscal de la Federación)',
  },
  uso_dia: {
    dato: 'Sumas del libro por día',
    trato: 'conserva',
    resto: 'cuenta_id dia tipo operacion movimientos importe',
    plazo: 'siempre',
    por: 'sumas de la cuenta, sin contribuyente',
  },
  estado_host: {
    dato: 'Qué servidores del SAT fallan; de quién, como huella corta',
    trato: 'conserva',
    libre: 'titulares titulares_antes',
    resto: 'host fallos fallos_antes abierto_hasta sonda_hasta',
    plazo: 'hasta que el servidor contesta',
    por: 'protege a todos los contribuyentes de un servidor que falla; se vacía solo',
  },
  efos_fila: {
    dato: 'Lista 69-B del SAT',
    trato: 'conserva',
    libre: 'rfc nombre historial',
    resto: 'version_id orden situacion',
    plazo: 'hasta la lista siguiente',
    por: LISTA,
  },
  efos_version: {
    dato: 'Versiones de la lista 69-B',
    trato: 'conserva',
    resto: 'id fecha_corte fuente etag ultima_modificacion filas sha256 cargada_en revisada_en',
    plazo: 'hasta la lista siguiente',
    por: LISTA,
  },
  edos_rfc: { dato: 'Lista EDOS', trato: 'conserva', libre: 'rfc', plazo: 'hasta la lista siguiente', por: LISTA },
  edos_lista: {
    dato: 'De dónde salió la lista EDOS',
    trato: 'conserva',
    resto: 'unica fuente rfcs importada_en',
    plazo: 'hasta la lista siguiente',
    por: LISTA,
  },
  ...conserva('Cuál lista 69-B vale, y los intentos de cargarla', 'hasta la lista siguiente', LISTA, {
    efos_vigente: 'unica version_id',
    efos_carga: 'id iniciada_en terminada_en resultado motivo',
    efos_pedido: 'unica pedido_en forzar',
  }),
  ...conserva('Accesos de las personas al panel', 'mientras exista la persona', DE_LA_CUENTA, {
    segundo_factor: 'usuario_id secreto confirmado_en ultimo_paso creado_en',
    codigo_recuperacion: 'usuario_id huella usado_en',
    codigo_acceso: 'usuario_id huella vence_en',
    intento: 'clave tat',
  }),
  ...conserva('Ajustes de la cuenta', 'mientras exista la cuenta', DE_LA_CUENTA, {
    aviso_saldo: 'cuenta_id umbral',
    webhook_secreto: 'id webhook_id sobre creado_en vence_en',
  }),
  ...conserva('De la instalación, de nadie en particular', 'de minutos a días', 'no nombra a nadie', {
    operacion: 'path',
    latido: 'proceso rol visto_en consumido_en slots',
    captcha_pendiente: 'id imagen respuesta creado_en vence_en',
    salud_sat: 'minuto host canal exitos rechazos fallos canceladas evitadas cubetas',
  }),
};

/** Tables that stay and have no room for anybody's RFC. */
function conserva(
  dato: string,
  plazo: string,
  por: string,
  tablas: Readonly<Record<string, string>>,
): Record<string, Tratado> {
  return Object.fromEntries(
    Object.entries(tablas).map(([tabla, resto]) => [tabla, { dato, trato: 'conserva', resto, plazo, por }]),
  );
}

/** The names of a list of columns. */
export const columnsIn = (list = ''): readonly string[] => list.split(' ').filter((name) => name !== '');

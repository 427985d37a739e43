import type { Tratado } from './mapa.ts';

const DE_LA_CUENTA = 'es de la cuenta y de sus personas, no del contribuyente';
const LISTA = 'lista pública';

/** Tables that stay, whole or without the taxpayer's data, each with its reason. */
export const QUEDA: Readonly<Record<string, Tratado>> = {
  auditoria: {
    dato: 'Quién hizo qué',
    trato: 'limpia',
    donde: 'contribuyente_id = :c',
    suyo: 'detalle',
    libre: 'actor ip',
    resto: 'id cuenta_id contribuyente_id accion en',
    plazo: '{AUDIT_RETENTION_DAYS} days',
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
    plazo: 'while the account has it',
    por: DE_LA_CUENTA,
  },
  sesion: {
    dato: 'Sesiones del panel; se les quita el mensaje que nombre al RFC',
    trato: 'limpia',
    donde: 'position(:r in aviso::text) > 0',
    suyo: 'aviso',
    libre: 'agente ip',
    resto: 'huella id usuario_id cuenta_id fase creada_en ultimo_uso_en inactiva_en vence_en',
    plazo: 'the session',
    por: DE_LA_CUENTA,
  },
  correo: {
    dato: 'Correos a las personas de la cuenta, y al contribuyente con su enlace de conexión; se les quita lo que digan del RFC',
    trato: 'limpia',
    donde: `datos @> jsonb_build_array(jsonb_build_object('rfc', :r, 'cuenta_id', :a))`,
    suyo: 'datos',
    libre: 'para error',
    ajeno: 'es la otra parte de CFDI de otro contribuyente, del que se avisa',
    resto:
      'id usuario_id tipo urgente cuantas baja estado motivo intentos epoch due_at tomado_hasta desde creado_en vence_en terminado_en invitacion_id',
    plazo: '{TRACE_RETENTION_DAYS} days after it is sent or given up',
    por: DE_LA_CUENTA,
  },
  movimiento: {
    dato: 'El libro: créditos comprados, cargados y devueltos',
    trato: 'conserva',
    donde: 'contribuyente_id = :c',
    libre: 'detalle',
    resto: 'id cuenta_id contribuyente_id op_id tipo importe operacion solicitud_id pago_id creado_en saldo',
    plazo: 'for ever',
    por: 'contabilidad de la cuenta (artículo 30 del Código Fiscal de la Federación), encadenada: no se cambia ni se borra; queda con un identificador al azar, sin RFC',
  },
  llamada: {
    dato: 'Llamadas cobradas que aún no se contestan',
    trato: 'conserva',
    resto: 'op_id cuenta_id operacion vence_en',
    plazo: 'minutes',
    por: 'sin ella no se devolvería el cargo de una llamada que se corta; no nombra al contribuyente',
  },
  borrado: {
    dato: 'Órdenes de borrado y sus informes',
    trato: 'conserva',
    libre: 'rfc',
    resto: 'id cuenta_id contribuyente_id rfc_huella pedido_en cerrado_en contado numero informe huella terminado_en',
    plazo: 'for ever',
    por: 'prueba de lo borrado; al terminar pierde el RFC y queda una huella lenta con sal',
  },
  cuenta: {
    dato: 'La cuenta que paga',
    trato: 'conserva',
    libre: 'nombre email suspension_motivo',
    resto: 'id saldo creada_en suspendida_en',
    plazo: 'while the account exists',
    por: DE_LA_CUENTA,
  },
  usuario: {
    dato: 'Personas que entran al panel',
    trato: 'conserva',
    libre: 'email nombre',
    resto: 'id cuenta_id rol password_hash password_kid creado_en correo_verificado_en correo_exigido avisos_apagados',
    plazo: 'while the account exists',
    por: DE_LA_CUENTA,
  },
  invitacion: {
    dato: 'Invitaciones a una cuenta',
    trato: 'conserva',
    libre: 'email',
    resto: 'id cuenta_id papel huella usuario_id creada_en vence_en',
    plazo: 'until accepted or expired',
    por: DE_LA_CUENTA,
  },
  pago: {
    dato: 'Compras de créditos',
    trato: 'conserva',
    libre: 'referencia proveedor_ref motivo resuelto_por',
    resto: 'id cuenta_id usuario_id clave proveedor creditos subtotal iva total estado creado_en resuelto_en',
    plazo: 'for ever',
    por: 'contabilidad de la cuenta (artículo 30 del Código Fiscal de la Federación)',
  },
  uso_dia: {
    dato: 'Sumas del libro por día',
    trato: 'conserva',
    resto: 'cuenta_id dia tipo operacion movimientos importe',
    plazo: 'for ever',
    por: 'sumas de la cuenta, sin contribuyente',
  },
  estado_host: {
    dato: 'Qué servidores del SAT fallan; de quién, como huella corta',
    trato: 'conserva',
    libre: 'titulares titulares_antes',
    resto: 'host fallos fallos_antes abierto_hasta sonda_hasta',
    plazo: 'until the server answers',
    por: 'protege a todos los contribuyentes de un servidor que falla; se vacía solo',
  },
  efos_fila: {
    dato: 'Lista 69-B del SAT',
    trato: 'conserva',
    libre: 'rfc nombre historial',
    resto: 'version_id orden situacion',
    plazo: 'until the next list',
    por: LISTA,
  },
  efos_version: {
    dato: 'Versiones de la lista 69-B',
    trato: 'conserva',
    resto: 'id fecha_corte fuente etag ultima_modificacion filas sha256 cargada_en revisada_en archivo',
    plazo: 'until the next list',
    por: LISTA,
  },
  listado_fila: {
    dato: 'Listas 69, 69-B Bis y CSD sin efectos del SAT',
    trato: 'conserva',
    libre: 'rfc nombre',
    resto: 'version_id orden supuesto publicada',
    plazo: 'until the next list',
    por: LISTA,
  },
  listado_version: {
    dato: 'Versiones de esas listas',
    trato: 'conserva',
    resto: 'id archivo fecha_corte fuente etag ultima_modificacion filas sha256 cargada_en revisada_en',
    plazo: 'until the next list',
    por: LISTA,
  },
  edos_rfc: { dato: 'Lista EDOS', trato: 'conserva', libre: 'rfc', plazo: 'until the next list', por: LISTA },
  edos_lista: {
    dato: 'De dónde salió la lista EDOS',
    trato: 'conserva',
    resto: 'unica fuente rfcs importada_en',
    plazo: 'until the next list',
    por: LISTA,
  },
  ...conserva('Cuál lista 69-B vale, y los intentos de cargarla', 'until the next list', LISTA, {
    efos_vigente: 'unica version_id archivo',
    efos_carga: 'id iniciada_en terminada_en resultado motivo archivo',
    efos_pedido: 'unica pedido_en forzar archivo',
  }),
  ...conserva('Cuál de las demás listas vale, y los intentos de cargarlas', 'until the next list', LISTA, {
    listado_vigente: 'archivo lista version_id',
    listado_carga: 'id archivo iniciada_en terminada_en resultado motivo',
    listado_pedido: 'archivo pedido_en forzar',
  }),
  ...conserva('Accesos de las personas al panel', 'while the person has access', DE_LA_CUENTA, {
    miembro: 'usuario_id cuenta_id papel desde abierta_en',
    segundo_factor: 'usuario_id secreto confirmado_en ultimo_paso creado_en',
    codigo_recuperacion: 'usuario_id huella usado_en',
    codigo_acceso: 'usuario_id huella vence_en',
    enlace_correo: 'huella usuario_id tipo vence_en invitacion_id',
    intento: 'clave tat',
  }),
  ...conserva('Ajustes de la cuenta', 'while the account exists', DE_LA_CUENTA, {
    aviso_saldo: 'cuenta_id umbral',
    webhook_secreto: 'id webhook_id sobre creado_en vence_en',
  }),
  ...conserva('De la instalación, de nadie en particular', 'minutes to days', 'no nombra a nadie', {
    operacion: 'path costo',
    latido: 'proceso rol visto_en consumido_en slots',
    captcha_pendiente: 'id imagen respuesta creado_en vence_en',
    salud_sat: 'minuto host canal exitos rechazos fallos canceladas evitadas cubetas',
  }),
  ...conserva('Cuánto tardaron las descargas, por hora', '4 weeks', 'sumas de todas las cuentas, sin decir cuáles', {
    espera_sat: 'dia hora modo canal tipo descargas grupos cubetas',
  }),
};

/** Tables that stay and can hold no RFC. */
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

export interface EntradaCatalogo {
  /** HTTP status of the answer. */
  readonly http: number;
  /** `cfdi_codigo` of the answer. Not unique: 2002 and 5041 have several meanings (specification, Errors). */
  readonly codigo: number;
  /** What a person reads: what happened, why, what to do. */
  readonly texto: string;
}

/**
 * Every error that the interface can answer, by meaning. Codes 1001 to 6001 are the specification's; 2001, 3003, 3004,
 * 3005, 3006, 4003, 4004 and 9xxx are ours, for cases that it leaves open.
 */
export const CATALOGO = {
  API_KEY_INVALIDA: {
    http: 401,
    codigo: 1001,
    texto:
      'La API key falta o no es válida. Envíe el encabezado Authorization: Bearer <API_KEY> con la llave que generó en el panel.',
  },
  API_KEY_REVOCADA: {
    http: 401,
    codigo: 1002,
    texto:
      'La API key fue revocada o reemplazada y ya no sirve. Genere una llave nueva en el panel (RFCs, API keys) y úsela en su lugar.',
  },
  CUENTA_SUSPENDIDA: {
    http: 403,
    codigo: 1003,
    texto:
      'La cuenta está suspendida y ninguna de sus llaves responde. No se hizo ni se cobró nada; el motivo está en el panel (Inicio). Aclárelo con el operador del servicio.',
  },
  PRUEBAS_NO_DISPONIBLES: {
    http: 403,
    codigo: 1003,
    texto:
      'La API key es de pruebas (acuse_test_) y esta instalación no tiene un simulador que le conteste. No se preguntó nada al SAT ni se cobró. Use una llave acuse_live_, o pida al operador que configure SAT_PRUEBAS_URL.',
  },
  OPERACION_NO_HABILITADA: {
    http: 403,
    codigo: 1003,
    texto: 'La operación está deshabilitada para este RFC. Habilítela en el panel (Operaciones) y vuelva a intentar.',
  },
  RFC_AJENO: {
    http: 403,
    codigo: 1003,
    texto:
      'La API key pertenece a otro RFC. Cada llave sirve a un solo RFC: use la llave del RFC que quiere consultar.',
  },
  RFC_NO_REGISTRADO: {
    http: 403,
    codigo: 1003,
    texto:
      'El RFC todavía no está asociado a esta API key. Llame primero a /api/v1/vault/rfc-registrar y repita la consulta.',
  },
  IP_NO_PERMITIDA: {
    http: 403,
    codigo: 1003,
    texto:
      'La dirección IP desde la que llama no está en la lista permitida del RFC. Agréguela en el panel (IPs permitidas) o llame desde una que sí esté.',
  },
  SALDO_INSUFICIENTE: {
    http: 402,
    codigo: 1004,
    texto: 'El saldo no alcanza para esta operación. Compre créditos en el panel (Saldo) y repita la consulta.',
  },
  CAMPO_INVALIDO: {
    http: 400,
    codigo: 2001,
    texto: 'Un campo de la petición no tiene el tipo o el formato esperado. Corrija los campos que se indican en data.',
  },
  CAMPO_FALTANTE: {
    http: 400,
    codigo: 2001,
    texto: 'Falta un campo obligatorio de la petición. Agregue los campos que se indican en data.',
  },
  CAMPO_DESCONOCIDO: {
    http: 400,
    codigo: 2001,
    texto:
      'La petición lleva un campo que no existe y cuyo nombre se parece a uno que sí. Corrija el nombre que se indica en data; los demás campos desconocidos se ignoran.',
  },
  CUERPO_VACIO: {
    http: 400,
    codigo: 2001,
    texto: 'La petición llegó sin cuerpo. Envíe un objeto JSON en UTF-8 con los campos de la operación.',
  },
  JSON_INVALIDO: {
    http: 400,
    codigo: 2001,
    texto: 'El cuerpo de la petición no es un objeto JSON válido. Envíe un objeto JSON en UTF-8.',
  },
  RFC_INVALIDO: {
    http: 400,
    codigo: 2002,
    texto: 'El rfc falta o su formato no es válido. Envíe 12 caracteres (persona moral) o 13 (persona física).',
  },
  CFDI_NO_ENCONTRADO: {
    http: 404,
    codigo: 2002,
    texto:
      'El SAT no encontró el CFDI. Revise UUID, RFC del emisor, RFC del receptor y total; un CFDI recién timbrado puede tardar unos minutos. No se cobró.',
  },
  SOLICITUD_NO_ENCONTRADA: {
    http: 404,
    codigo: 2002,
    texto: 'No existe una solicitud con ese solicitud_id. Use el que devolvió /api/v1/tax/descarga-metadata.',
  },
  SOLICITUD_SIN_TERMINAR: {
    http: 409,
    codigo: 3002,
    texto:
      'La solicitud aún no termina. El SAT puede tardar de minutos a días; consulte el avance en /api/v1/descarga/verificar.',
  },
  SOLICITUD_SIN_PAQUETE: {
    http: 409,
    codigo: 3003,
    texto:
      'La solicitud terminó sin paquete y el crédito fue devuelto. El motivo está en data; haga una solicitud nueva si procede.',
  },
  SOLICITUD_TERMINADA: {
    http: 409,
    codigo: 3005,
    texto:
      'La solicitud ya terminó y no se puede cancelar. Su estado está en data; el paquete, si lo hay, en /api/v1/descarga/paquete.',
  },
  PAQUETE_CADUCADO: {
    http: 410,
    codigo: 3004,
    texto: 'El paquete ya cumplió su tiempo de conservación y fue borrado. Haga una solicitud nueva del mismo periodo.',
  },
  WEBHOOK_NO_ENCONTRADO: {
    http: 404,
    codigo: 2002,
    texto:
      'No existe un webhook con ese webhook_id que avise solo del RFC de esta API key. Use uno de los que da /api/v1/webhooks/listar; los de varios RFC se manejan en el panel (Webhooks).',
  },
  ENTREGA_NO_ENCONTRADA: {
    http: 404,
    codigo: 2002,
    texto: 'No existe una entrega con ese entrega_id. Use una de las que da /api/v1/webhooks/entregas.',
  },
  WEBHOOK_APAGADO: {
    http: 409,
    codigo: 3006,
    texto:
      'El webhook está apagado y no se le envía nada. Enciéndalo con /api/v1/webhooks/actualizar (estado ACTIVO) y repita.',
  },
  WEBHOOKS_DEMASIADOS: {
    http: 409,
    codigo: 3006,
    texto: 'La cuenta ya tiene 20 webhooks, el máximo. Borre uno que ya no use, aquí o en el panel, y repita.',
  },
  SECRETOS_DEMASIADOS: {
    http: 409,
    codigo: 3006,
    texto:
      'El webhook firma ya con su secreto y tres anteriores, lo más que puede, y no se cambió. Espere a que venza uno (secretos_anteriores, en /api/v1/webhooks/listar, dice cuándo) o pida vigencia_horas 0, que deja solo el nuevo.',
  },
  CERTIFICADO_INVALIDO: {
    http: 400,
    codigo: 4001,
    texto:
      'El certificado no es válido: debe ser el .cer vigente de la e.firma del RFC (no un certificado de sello digital). El motivo está en data.',
  },
  EFIRMA_NO_DISPONIBLE: {
    http: 400,
    codigo: 4002,
    texto:
      'La e.firma no está completa o ya venció. Registre el .cer con firma-registrar y guarde la .key con firma-guardar (se borra a la hora).',
  },
  LLAVE_INVALIDA: {
    http: 400,
    codigo: 4002,
    texto:
      'La llave privada no se pudo guardar: el archivo, su contraseña o su certificado no corresponden. El motivo está en data.',
  },
  CIEC_NO_GUARDADA: {
    http: 400,
    codigo: 4003,
    texto:
      'Falta una credencial del SAT para este RFC. Guarde la CIEC con /api/v1/vault/rfc-guardar, o la e.firma con firma-registrar y firma-guardar.',
  },
  CIEC_RECHAZADA: {
    http: 400,
    codigo: 4004,
    texto:
      'El SAT rechazó la CIEC. No se intentará de nuevo, para no bloquear la cuenta: compruébela en el portal del SAT y guárdela otra vez con rfc-guardar.',
  },
  EFIRMA_RECHAZADA: {
    http: 400,
    codigo: 4002,
    texto:
      'El SAT rechazó la e.firma: puede estar revocada o vencida. No se cobró nada; compruébela en el portal del SAT y regístrela otra vez con firma-registrar y firma-guardar.',
  },
  PERIODO_DEMASIADO_GRANDE: {
    http: 400,
    codigo: 2001,
    texto:
      'El periodo tiene más CFDI de los que caben en una respuesta. No se cobró nada; pida un periodo más corto o use /api/v1/tax/descarga-metadata, que no tiene límite.',
  },
  OPINION_NO_PUBLICADA: {
    http: 404,
    codigo: 2002,
    texto:
      'No hay una opinión pública de este RFC: el contribuyente no autorizó al SAT a publicarla. Consulte la suya con opinion-cumplimiento u opinion-cumplimiento-fiel.',
  },
  SALDO_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto:
      'No fue posible validar el saldo en este momento. No se hizo ni se cobró nada; intente de nuevo en unos segundos.',
  },
  BASE_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto:
      'No fue posible consultar los datos de este servicio en este momento. La operación no tiene costo; intente de nuevo en unos segundos.',
  },
  SAT_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto: 'El SAT no está disponible en este momento. No se cobró nada; intente de nuevo más tarde.',
  },
  ALMACEN_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto:
      'El almacén de archivos de este servicio no contesta, y sin él no hay documento que entregar. No se cobró nada; repita la consulta en un minuto y, si sigue igual, avise al operador.',
  },
  RESULTADO_INCIERTO: {
    http: 503,
    codigo: 5041,
    texto:
      'No se sabe si la petición quedó hecha: la base de datos de este servicio dejó de contestar mientras se guardaba. Repítala igual, con el mismo Idempotency-Key si lo envió: si quedó hecha, recibe lo mismo sin otro cargo; si no, se hace entonces.',
  },
  USER_AGENT_NO_PERMITIDO: {
    http: 403,
    codigo: 6001,
    texto:
      'El encabezado User-Agent falta o no está permitido. Envíe uno que identifique a su aplicación, de hasta 512 caracteres.',
  },
  PETICION_ILEGIBLE: {
    http: 400,
    codigo: 9400,
    texto: 'La petición no se pudo leer como HTTP. Revise encabezados, longitudes y tiempos de envío de su cliente.',
  },
  RUTA_DESCONOCIDA: {
    http: 404,
    codigo: 9404,
    texto: 'La ruta no existe. Las operaciones están bajo /api/v1; su lista está en /openapi.json.',
  },
  METODO_NO_PERMITIDO: {
    http: 405,
    codigo: 9405,
    texto: 'El método HTTP no está permitido. Todas las operaciones se llaman con POST.',
  },
  IDEMPOTENCIA_EN_CONFLICTO: {
    http: 409,
    codigo: 9409,
    texto:
      'Ese Idempotency-Key ya se usó con otro contenido, o la primera petición sigue en curso. Use una clave nueva o espere y repita la misma petición.',
  },
  CUERPO_DEMASIADO_GRANDE: {
    http: 413,
    codigo: 9413,
    texto:
      'El cuerpo de la petición es demasiado grande: el máximo es 64 KiB (256 KiB en vault). Envíe solo los campos de la operación.',
  },
  TIPO_DE_CONTENIDO: {
    http: 415,
    codigo: 9415,
    texto: 'El tipo de contenido no se admite. Envíe Content-Type: application/json.',
  },
  DEMASIADAS_PETICIONES: {
    http: 429,
    codigo: 9429,
    texto: 'Demasiadas peticiones en poco tiempo. Espere los segundos que indica Retry-After y vuelva a intentar.',
  },
  ERROR_INTERNO: {
    http: 500,
    codigo: 9500,
    texto:
      'Ocurrió un error nuestro. No se cobró nada; intente de nuevo y, si se repite, envíenos el X-Request-Id de esta respuesta.',
  },
} as const satisfies Record<string, EntradaCatalogo>;

export type NombreError = keyof typeof CATALOGO;

/** A field and what is wrong with it, in Spanish. */
export interface CampoErroneo {
  readonly campo: string;
  readonly motivo: string;
}

/**
 * What helps the caller beside the text. `campo`: the first wrong body field; `motivo`: the precise cause; `campos`:
 * all wrong fields; `reintentar_en`: seconds.
 */
export interface DatosError {
  readonly campo?: string;
  readonly motivo?: string;
  readonly campos?: readonly CampoErroneo[];
  readonly reintentar_en?: number;
}

/** An error with a meaning of the catalogue. Only the HTTP edge knows its numbers. */
export class CfdiError extends Error {
  readonly nombre: NombreError;
  readonly datos: DatosError;

  constructor(nombre: NombreError, datos: DatosError = {}, options: { cause?: unknown } = {}) {
    super(nombre, options);
    this.name = 'CfdiError';
    this.nombre = nombre;
    this.datos = datos;
  }
}

/** `cfdi_codigo` of a success (specification, Response envelope). */
export const CODIGO_EXITO = 1;
/** `cfdi_texto` of a success. */
export const TEXTO_EXITO = 'OK';

interface SobreError {
  readonly cfdi_codigo: number;
  readonly cfdi_texto: string;
  /** Tells apart what shares a code. Never renamed. */
  readonly error: NombreError;
  readonly data?: DatosError;
}

/** The body of an error answer. */
export function sobreDeError(error: Pick<CfdiError, 'nombre' | 'datos'>): SobreError {
  const { codigo, texto } = CATALOGO[error.nombre];
  const { campo, motivo } = error.datos;
  const campos = campo === undefined || motivo === undefined ? {} : { campos: [{ campo, motivo }] };
  const datos: DatosError = { ...campos, ...error.datos };
  return {
    cfdi_codigo: codigo,
    cfdi_texto: texto,
    error: error.nombre,
    ...(Object.keys(datos).length > 0 ? { data: datos } : {}),
  };
}

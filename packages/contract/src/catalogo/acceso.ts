import type { EntradaCatalogo } from './entrada.ts';

/** Errors raised before an operation runs: about the call itself, its API key, its account or its RFC. */
export const ACCESO = {
  API_KEY_INVALIDA: {
    http: 401,
    codigo: 1001,
    texto:
      'La API key falta o no es válida. Envíe el encabezado Authorization: Bearer <API_KEY> con la llave que generó en el panel.',
    english:
      'The API key is missing or not valid. Send the header Authorization: Bearer <API_KEY> with the key that the panel made.',
  },
  API_KEY_REVOCADA: {
    http: 401,
    codigo: 1002,
    texto:
      'La API key fue revocada o reemplazada y ya no sirve. Genere una llave nueva en el panel (RFCs, API keys) y úsela en su lugar.',
    english:
      'The API key was revoked or replaced and no longer serves. Make a new one in the panel (RFCs, API keys) and use it instead.',
  },
  CUENTA_SUSPENDIDA: {
    http: 403,
    codigo: 1003,
    texto:
      'La cuenta está suspendida y ninguna de sus llaves responde. No se hizo ni se cobró nada; el motivo está en el panel (Inicio). Aclárelo con el operador del servicio.',
    english:
      'The account is suspended and none of its keys is answered. Nothing was done or charged; the reason is in the panel (Inicio). Settle it with the operator of the service.',
  },
  PRUEBAS_NO_DISPONIBLES: {
    http: 403,
    codigo: 1003,
    texto:
      'La API key es de pruebas (acuse_test_) y esta instalación no tiene un simulador que le conteste. No se preguntó nada al SAT ni se cobró. Use una llave acuse_live_, o pida al operador que configure SAT_PRUEBAS_URL.',
    english:
      'The API key is for tests (acuse_test_) and this installation has no simulator to answer it. The SAT was asked nothing and nothing was charged. Use a key acuse_live_, or have the operator set SAT_PRUEBAS_URL.',
  },
  OPERACION_NO_HABILITADA: {
    http: 403,
    codigo: 1003,
    texto: 'La operación está deshabilitada para este RFC. Habilítela en el panel (Operaciones) y vuelva a intentar.',
    english: 'The operation is switched off for this RFC. Switch it on in the panel (Operaciones) and try again.',
  },
  RFC_AJENO: {
    http: 403,
    codigo: 1003,
    texto:
      'La API key pertenece a otro RFC. Cada llave sirve a un solo RFC: use la llave del RFC que quiere consultar.',
    english:
      'The API key belongs to another RFC. Each key serves one RFC alone: use the key of the RFC that you ask about.',
  },
  RFC_NO_REGISTRADO: {
    http: 403,
    codigo: 1003,
    texto:
      'El RFC todavía no está asociado a esta API key. Llame primero a /api/v1/vault/rfc-registrar y repita la consulta.',
    english:
      'The RFC is not associated with this API key yet. Call /api/v1/vault/rfc-registrar first and repeat the query.',
  },
  IP_NO_PERMITIDA: {
    http: 403,
    codigo: 1003,
    texto:
      'La dirección IP desde la que llama no está en la lista permitida del RFC. Agréguela en el panel (IPs permitidas) o llame desde una que sí esté.',
    english:
      'The IP address that you call from is not in the list of those allowed for the RFC. Add it in the panel (IPs permitidas) or call from one that is.',
  },
  SALDO_INSUFICIENTE: {
    http: 402,
    codigo: 1004,
    texto: 'El saldo no alcanza para esta operación. Compre créditos en el panel (Saldo) y repita la consulta.',
    english: 'The balance is too low for this operation. Buy credits in the panel (Saldo) and repeat the query.',
  },
  USER_AGENT_NO_PERMITIDO: {
    http: 403,
    codigo: 6001,
    texto:
      'El encabezado User-Agent falta o no está permitido. Envíe uno que identifique a su aplicación, de hasta 512 caracteres.',
    english:
      'The header User-Agent is missing or not allowed. Send one that names your application, of up to 512 characters.',
  },
  PETICION_ILEGIBLE: {
    http: 400,
    codigo: 9400,
    texto: 'La petición no se pudo leer como HTTP. Revise encabezados, longitudes y tiempos de envío de su cliente.',
    english: 'The request could not be read as HTTP. Check headers, lengths and sending times of your client.',
  },
  RUTA_DESCONOCIDA: {
    http: 404,
    codigo: 9404,
    texto: 'La ruta no existe. Las operaciones están bajo /api/v1; su lista está en /openapi.json.',
    english: 'The path does not exist. The operations are below /api/v1; /openapi.json lists them.',
  },
  METODO_NO_PERMITIDO: {
    http: 405,
    codigo: 9405,
    texto: 'El método HTTP no está permitido. Todas las operaciones se llaman con POST.',
    english: 'The HTTP method is not allowed. Every operation is called by POST.',
  },
  IDEMPOTENCIA_EN_CONFLICTO: {
    http: 409,
    codigo: 9409,
    texto:
      'Ese Idempotency-Key ya se usó con otro contenido, o la primera petición sigue en curso. Use una clave nueva o espere y repita la misma petición.',
    english:
      'The Idempotency-Key was used with another content, or its first request is still under way. Use a new key, or wait and repeat the same request.',
  },
  CUERPO_DEMASIADO_GRANDE: {
    http: 413,
    codigo: 9413,
    texto:
      'El cuerpo de la petición es demasiado grande: el máximo es 64 KiB (256 KiB en vault). Envíe solo los campos de la operación.',
    english:
      'The body of the request is too large: 64 KiB are the most (256 KiB in vault). Send the fields of the operation alone.',
  },
  TIPO_DE_CONTENIDO: {
    http: 415,
    codigo: 9415,
    texto: 'El tipo de contenido no se admite. Envíe Content-Type: application/json.',
    english: 'The type of the content is not taken. Send Content-Type: application/json.',
  },
  DEMASIADAS_PETICIONES: {
    http: 429,
    codigo: 9429,
    texto: 'Demasiadas peticiones en poco tiempo. Espere los segundos que indica Retry-After y vuelva a intentar.',
    english: 'Too many requests in a short time. Wait the seconds that Retry-After says and try again.',
  },
} as const satisfies Record<string, EntradaCatalogo>;

import type { EntradaCatalogo } from './entrada.ts';

/** What stands in the way of an answer: credentials of the SAT, the SAT, this service. */
export const SERVICIOS = {
  CERTIFICADO_INVALIDO: {
    http: 400,
    codigo: 4001,
    texto:
      'El certificado no es válido: debe ser el .cer vigente de la e.firma del RFC (no un certificado de sello digital). El motivo está en data.',
    english:
      'The certificate is not valid: it has to be the present .cer of the e.firma of the RFC (not that of a digital seal). The reason is in data.',
  },
  EFIRMA_NO_DISPONIBLE: {
    http: 400,
    codigo: 4002,
    texto:
      'La e.firma no está completa o ya venció. Registre el .cer con firma-registrar y guarde la .key con firma-guardar (se borra a la hora).',
    english:
      'The e.firma is not complete or has lapsed. Register the .cer with firma-registrar and store the .key with firma-guardar (it is deleted after an hour).',
  },
  LLAVE_INVALIDA: {
    http: 400,
    codigo: 4002,
    texto:
      'La llave privada no se pudo guardar: el archivo, su contraseña o su certificado no corresponden. El motivo está en data.',
    english:
      'The private key could not be stored: file, password and certificate do not belong together. The reason is in data.',
  },
  CIEC_NO_GUARDADA: {
    http: 400,
    codigo: 4003,
    texto:
      'Falta una credencial del SAT para este RFC. Guarde la CIEC con /api/v1/vault/rfc-guardar; si el motivo en data no dice otra cosa, también sirve la e.firma, con firma-registrar y firma-guardar.',
    english:
      'A credential of the SAT is missing for this RFC. Store the CIEC with /api/v1/vault/rfc-guardar; unless the reason in data says otherwise, the e.firma serves too, with firma-registrar and firma-guardar.',
  },
  CIEC_RECHAZADA: {
    http: 400,
    codigo: 4004,
    texto:
      'El SAT rechazó la CIEC. No se intentará de nuevo, para no bloquear la cuenta: compruébela en el portal del SAT y guárdela otra vez con rfc-guardar.',
    english:
      'The SAT refused the CIEC. Acuse does not try it again, so that the SAT does not lock the account. Check it at the portal of the SAT and store it again with rfc-guardar.',
  },
  EFIRMA_RECHAZADA: {
    http: 400,
    codigo: 4002,
    texto:
      'El SAT rechazó la e.firma: puede estar revocada o vencida. No se cobró nada; compruébela en el portal del SAT y regístrela otra vez con firma-registrar y firma-guardar.',
    english:
      'The SAT refused the e.firma: it may be revoked or have lapsed. Nothing was charged; check it at the portal of the SAT and store it again with firma-registrar and firma-guardar.',
  },
  SALDO_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto:
      'No fue posible validar el saldo en este momento. No se hizo ni se cobró nada; intente de nuevo en unos segundos.',
    english: 'The balance could not be checked right now. Nothing was done or charged; try again in some seconds.',
  },
  BASE_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto:
      'No fue posible consultar los datos de este servicio en este momento. No se cobró nada; intente de nuevo en unos segundos.',
    english: 'The data of this service could not be read right now. Nothing was charged; try again in some seconds.',
  },
  ACCESO_CAMBIADO: {
    http: 503,
    codigo: 5041,
    texto: 'El acceso cambió durante la petición. No se hizo ni se cobró nada; repítala en un segundo.',
    english: 'The access changed during the request. Nothing was done or charged; repeat it in a second.',
  },
  SAT_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto: 'El SAT no está disponible en este momento. No se cobró nada; intente de nuevo más tarde.',
    english: 'The SAT is not available right now. Nothing was charged; try again later.',
  },
  ALMACEN_NO_DISPONIBLE: {
    http: 503,
    codigo: 5041,
    texto:
      'El almacén de archivos de este servicio no contesta, y sin él no hay documento que entregar. No se cobró nada; repita la consulta en un minuto y, si sigue igual, avise al operador.',
    english:
      'The file storage of this service does not answer, and without it there is no document to give. Nothing was charged; repeat the query in a minute and, if it goes on, tell the operator.',
  },
  RESULTADO_INCIERTO: {
    http: 503,
    codigo: 5041,
    texto:
      'No se sabe si la petición quedó hecha: este servicio dejó de contestar mientras la atendía. Repítala igual, con el mismo Idempotency-Key si lo envió: si quedó hecha, recibe lo mismo sin otro cargo; si no, se hace entonces.',
    english:
      'The outcome of the request is unknown: this service stopped answering in the middle of it. Repeat it as it was, with the same Idempotency-Key if you sent one. A request that was carried out gets the same answer without another charge; otherwise it runs now.',
  },
  ERROR_INTERNO: {
    http: 500,
    codigo: 9500,
    texto:
      'Ocurrió un error nuestro. No se cobró nada; intente de nuevo y, si se repite, envíenos el X-Request-Id de esta respuesta.',
    english:
      'Something of ours failed. Nothing was charged; try again and, if it happens again, send us the X-Request-Id of this answer.',
  },
} as const satisfies Record<string, EntradaCatalogo>;

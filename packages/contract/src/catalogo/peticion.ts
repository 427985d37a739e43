import type { EntradaCatalogo } from './entrada.ts';

/** Errors in the content of a request: its fields, and the resources that they name. */
export const PETICIONES = {
  CAMPO_INVALIDO: {
    http: 400,
    codigo: 2001,
    texto: 'Un campo de la petición no tiene el tipo o el formato esperado. Corrija los campos que se indican en data.',
    english:
      'A field of the request does not have the type or format that is expected. Correct the fields that data names.',
  },
  CAMPO_FALTANTE: {
    http: 400,
    codigo: 2001,
    texto: 'Falta un campo obligatorio de la petición. Agregue los campos que se indican en data.',
    english: 'A required field of the request is missing. Add the fields that data names.',
  },
  CAMPO_DESCONOCIDO: {
    http: 400,
    codigo: 2001,
    texto:
      'La petición lleva un campo que no existe y cuyo nombre se parece a uno que sí. Corrija el nombre que se indica en data; los demás campos desconocidos se ignoran.',
    english:
      'The request has a field that does not exist and whose name is close to one that does. Correct the name that data gives; other unknown fields are ignored.',
  },
  PARAMETROS_EN_LA_DIRECCION: {
    http: 400,
    codigo: 2001,
    texto:
      'La dirección lleva parámetros (lo que sigue a ?), y ninguna operación los lee. Envíe los campos en el cuerpo, como objeto JSON, y la API key en Authorization. Si la API key iba en la dirección, cámbiela, porque las direcciones quedan en registros.',
    english:
      'The address has parameters (what follows the ?), and no operation reads them. Send the fields in the body, as a JSON object, and the API key in Authorization. If the API key was in the address, change it, because addresses are logged.',
  },
  CUERPO_VACIO: {
    http: 400,
    codigo: 2001,
    texto: 'La petición llegó sin cuerpo. Envíe un objeto JSON en UTF-8 con los campos de la operación.',
    english: 'The request came without a body. Send a JSON object in UTF-8 with the fields of the operation.',
  },
  JSON_INVALIDO: {
    http: 400,
    codigo: 2001,
    texto: 'El cuerpo de la petición no es un objeto JSON válido. Envíe un objeto JSON en UTF-8.',
    english: 'The body of the request is not a valid JSON object. Send a JSON object in UTF-8.',
  },
  RFC_INVALIDO: {
    http: 400,
    codigo: 2002,
    texto: 'El rfc falta o su formato no es válido. Envíe 12 caracteres (persona moral) o 13 (persona física).',
    english: 'The rfc is missing or not well formed. Send 12 characters (legal person) or 13 (natural person).',
  },
  CFDI_NO_ENCONTRADO: {
    http: 404,
    codigo: 2002,
    texto:
      'El SAT no encontró el CFDI. Revise UUID, RFC del emisor, RFC del receptor y total; un CFDI recién timbrado puede tardar unos minutos. No se cobró.',
    english:
      'The SAT did not find the CFDI. Check the UUID, the RFC of issuer and recipient, and the total; one that was just stamped can take some minutes. Nothing was charged.',
  },
  SOLICITUD_NO_ENCONTRADA: {
    http: 404,
    codigo: 2002,
    texto: 'No existe una solicitud con ese solicitud_id. Use el que devolvió /api/v1/tax/descarga-metadata.',
    english: 'There is no request with that solicitud_id. Use the one that /api/v1/tax/descarga-metadata gave.',
  },
  SOLICITUD_SIN_TERMINAR: {
    http: 409,
    codigo: 3002,
    texto:
      'La solicitud aún no termina. El SAT puede tardar de minutos a días; consulte el avance en /api/v1/descarga/verificar.',
    english:
      'The request has not ended yet. The SAT takes minutes to days; see how far it is at /api/v1/descarga/verificar.',
  },
  SOLICITUD_SIN_PAQUETE: {
    http: 409,
    codigo: 3003,
    texto:
      'La solicitud terminó sin paquete y el crédito fue devuelto. El motivo está en data; haga una solicitud nueva si procede.',
    english:
      'The request ended without a package and its credit was refunded. The reason is in data; make a new request where that helps.',
  },
  SOLICITUD_TERMINADA: {
    http: 409,
    codigo: 3005,
    texto:
      'La solicitud ya terminó y no se puede cancelar. Su estado está en data; el paquete, si lo hay, en /api/v1/descarga/paquete.',
    english:
      'The request has ended and cannot be cancelled. Its state is in data; the package, if there is one, at /api/v1/descarga/paquete.',
  },
  PAQUETE_CADUCADO: {
    http: 410,
    codigo: 3004,
    texto: 'El paquete ya cumplió su tiempo de conservación y fue borrado. Haga una solicitud nueva del mismo periodo.',
    english: 'The package was kept for its time and then deleted. Make a new request for the same period.',
  },
  PAQUETE_SIN_CRUZAR: {
    http: 409,
    codigo: 3006,
    texto:
      'El paquete de esta solicitud no se cruzó con las listas del SAT: cuando se armó no había ninguna cargada, o lo armó una versión anterior de Acuse. Pregunte por los RFC de sus CFDI con /api/v1/efos/consultar-lote, sin costo, o pida el periodo otra vez.',
    english:
      'The package of this request was not crossed with the lists of the SAT: none was loaded at that time, or an earlier version of Acuse made it. Ask about the RFCs of its CFDI with /api/v1/efos/consultar-lote, free of charge, or request the period again.',
  },
  PAQUETE_DE_SINCRONIZACION: {
    http: 409,
    codigo: 3006,
    texto:
      'Esta solicitud es una lectura de un RFC que se mantiene al día: no se cruza su paquete, sino todo lo que se conoce del RFC. Sus contrapartes que están hoy en una lista las da /api/v1/riesgo/proveedores, sin costo.',
    english:
      'The request is a reading of an RFC that is kept up to date: Acuse crosses all known CFDI of the RFC instead of the package. Call /api/v1/riesgo/proveedores for its counterparties that stand on a list today, free of charge.',
  },
  CRUCE_CADUCADO: {
    http: 410,
    codigo: 3004,
    texto:
      'Quiénes del paquete estaban en una lista cumplió su tiempo de conservación y fue borrado; cuántos eran queda en /api/v1/descarga/verificar (contrapartes_listadas). Pregunte por los RFC de sus CFDI con /api/v1/efos/consultar-lote, sin costo, o pida el periodo otra vez.',
    english:
      'The listed counterparties of the package were kept for their time and then deleted; their number stays at /api/v1/descarga/verificar (contrapartes_listadas). Ask about the RFCs of its CFDI with /api/v1/efos/consultar-lote, free of charge, or request the period again.',
  },
  WEBHOOK_NO_ENCONTRADO: {
    http: 404,
    codigo: 2002,
    texto:
      'No existe un webhook con ese webhook_id que avise solo del RFC de esta API key. Use uno de los que da /api/v1/webhooks/listar; los de varios RFC se manejan en el panel (Webhooks).',
    english:
      'There is no webhook with that webhook_id that tells of the RFC of this API key alone. Use one that /api/v1/webhooks/listar gives; those of several RFCs are managed in the panel (Webhooks).',
  },
  ENTREGA_NO_ENCONTRADA: {
    http: 404,
    codigo: 2002,
    texto: 'No existe una entrega con ese entrega_id. Use una de las que da /api/v1/webhooks/entregas.',
    english: 'There is no delivery with that entrega_id. Use one that /api/v1/webhooks/entregas gives.',
  },
  WEBHOOK_APAGADO: {
    http: 409,
    codigo: 3006,
    texto:
      'El webhook está apagado y no se le envía nada. Enciéndalo con /api/v1/webhooks/actualizar (estado ACTIVO) y repita.',
    english:
      'The webhook is switched off and nothing is sent to it. Switch it on with /api/v1/webhooks/actualizar (estado ACTIVO) and repeat.',
  },
  WEBHOOK_REPETIDO: {
    http: 409,
    codigo: 3006,
    texto:
      'Ya hay un webhook de esa dirección para el mismo RFC, y otro enviaría todo dos veces. Use el que está en data (webhook_id): cámbielo con /api/v1/webhooks/actualizar, o bórrelo y repita.',
    english:
      'There is a webhook to that address for the same RFC already, and another one would send everything twice. Use the one in data (webhook_id): change it with /api/v1/webhooks/actualizar, or delete it and repeat.',
  },
  WEBHOOKS_DEMASIADOS: {
    http: 409,
    codigo: 3006,
    texto: 'La cuenta ya tiene 20 webhooks, el máximo. Borre uno que ya no use, aquí o en el panel, y repita.',
    english:
      'The account has 20 webhooks, the most that it may have. Delete one that you no longer use, here or in the panel, and repeat.',
  },
  CONEXION_NO_ENCONTRADA: {
    http: 404,
    codigo: 2002,
    texto: 'Esta API key no hizo un enlace con ese conexion_id. Use el que devolvió /api/v1/conexion/crear.',
    english: 'This API key made no link with that conexion_id. Use the one that /api/v1/conexion/crear gave.',
  },
  SINCRONIZACION_NO_ENCONTRADA: {
    http: 404,
    codigo: 2002,
    texto: 'Los CFDI de este RFC no se mantienen al día. Empiece con /api/v1/sincronizacion/crear.',
    english: 'The CFDI of this RFC are not kept up to date. Begin with /api/v1/sincronizacion/crear.',
  },
  SINCRONIZACION_DE_OTRO_MODO: {
    http: 409,
    codigo: 3006,
    texto:
      'Este RFC ya se mantiene al día con una llave del otro modo (prueba o real), y sus CFDI no se mezclan. No se cambió nada. Para empezar con esta llave, borre antes lo anterior con /api/v1/sincronizacion/borrar y una llave real.',
    english:
      'The RFC is already kept up to date with a key of the other mode (test or live), and their CFDI are not mixed. Nothing was changed. To begin with this key, first delete the earlier one with /api/v1/sincronizacion/borrar and a live key.',
  },
  SINCRONIZACION_SIN_PERMISO: {
    http: 409,
    codigo: 3006,
    texto:
      'La sincronización sigue en pausa: ya no hay permiso para usar la CIEC, porque venció, se retiró, o cambiaron la CIEC o la API key. Dé uno nuevo con /api/v1/sincronizacion/crear; lo leído y sus cambios siguen ahí.',
    english:
      'The subscription stays paused: the consent for the CIEC expired or was withdrawn, or the CIEC or the API key changed. Give a new one with /api/v1/sincronizacion/crear; what was read and its changes are still there.',
  },
  SECRETOS_DEMASIADOS: {
    http: 409,
    codigo: 3006,
    texto:
      'El webhook firma ya con su secreto y tres anteriores, lo más que puede, y no se cambió. Espere a que venza uno (secretos_anteriores, en /api/v1/webhooks/listar, dice cuándo) o pida vigencia_horas 0, que deja solo el nuevo.',
    english:
      'The webhook already signs with its secret and three before it, the most that it can, and was not changed. Wait until one ends (secretos_anteriores, in /api/v1/webhooks/listar, says when) or ask for vigencia_horas 0, which leaves the new one alone.',
  },
  PERIODO_DEMASIADO_GRANDE: {
    http: 400,
    codigo: 2001,
    texto:
      'El periodo tiene más CFDI de los que caben en una respuesta. No se cobró nada; pida un periodo más corto o use /api/v1/tax/descarga-metadata, que no tiene límite.',
    english:
      'The period has more CFDI than fit into an answer. Nothing was charged; ask for a shorter one or use /api/v1/tax/descarga-metadata, which has no limit.',
  },
  OPINION_NO_PUBLICADA: {
    http: 404,
    codigo: 2002,
    texto:
      'No hay una opinión pública de este RFC: el contribuyente no autorizó al SAT a publicarla. Consulte la suya con opinion-cumplimiento u opinion-cumplimiento-fiel.',
    english:
      'There is no public opinion of this RFC: the taxpayer has not allowed the SAT to publish it. Ask for your own with opinion-cumplimiento or opinion-cumplimiento-fiel.',
  },
} as const satisfies Record<string, EntradaCatalogo>;

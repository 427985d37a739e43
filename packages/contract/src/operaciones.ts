import type { OperacionPublicada } from './operacion-publicada.ts';

/**
 * Every operation of the API, by path. Generated from the operations themselves by `npm run generate`; a test compares
 * the two.
 */
export const OPERACIONES = [
  {
    path: 'cfdi/consultar',
    resumen: 'CFDI que se conocen del RFC',
    descripcion:
      'Los CFDI que sincronizacion/crear mantiene al día, como se conocen ahora, del emitido más nuevo al más viejo, con los filtros que se manden. Mande siguiente como cursor, con los mismos filtros, hasta que sea null: ningún CFDI se repite ni se salta, aunque entretanto se guarden lecturas. Una página puede traer menos de los pedidos, o ninguno, y tener siguiente: es que se revisó mucho sin que coincidiera. No pregunta al SAT.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'cfdi/resumen',
    resumen: 'Resumen de los CFDI que se conocen del RFC',
    descripcion:
      'Cuántos CFDI hay, y sus importes, de los que sincronizacion/crear mantiene al día, con los filtros de cfdi/consultar: en total, por mes de emisión, por efecto, y por contraparte. Los vigentes, los cancelados y los ausentes van aparte, y también ingresos, egresos y nómina: un egreso nunca se suma como ingreso. La metadata del SAT no dice la moneda: los importes se suman como vienen. Pide emitidos o recibidos, que no se suman entre sí. No pregunta al SAT.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'conexion/crear',
    resumen: 'Pedir la CIEC al contribuyente por un enlace',
    descripcion:
      'Da un enlace para el contribuyente del RFC. En esa página lee quién pide su CIEC, para qué y hasta cuándo; la teclea, su navegador la cierra con una llave de los workers, y Acuse la prueba en el SAT. Ni usted ni la API la ven. Desde entonces sirve como si la hubiera guardado con rfc-guardar, hasta que venza el permiso o se retire. El enlace se da una sola vez: envíelo solo al contribuyente. Un enlace nuevo termina el anterior que nadie ha usado. Avisa el evento conexion.completada.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'conexion/estado',
    resumen: 'Cómo va un enlace de conexión',
    descripcion: 'El estado de un enlace que hizo esta API key y del permiso que el contribuyente dio con él.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'conexion/revocar',
    resumen: 'Retirar un enlace de conexión o su permiso',
    descripcion:
      'Cierra el enlace que nadie ha usado. Si ya se usó, borra la CIEC que se guardó con él, cancela y devuelve las descargas en curso con CIEC, y deja de mantener al día el RFC. Repetirlo no cambia nada.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'descarga/cancelar',
    resumen: 'Cancelar una solicitud de descarga en curso',
    descripcion:
      'Termina una solicitud que aún no termina y devuelve su crédito. Cancelarla otra vez contesta lo mismo. Una que ya terminó no cambia: se contesta 409/3005.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'descarga/consulta-cfdi',
    resumen: 'Estado de un CFDI ante el SAT',
    descripcion: 'Consulta un CFDI por emisor, receptor, UUID y total. Si el SAT no lo encuentra, no se cobra.',
    costo: 1,
    credencial: 'API key',
  },
  {
    path: 'descarga/estimar',
    resumen: 'Cuánto traería y cuánto tardaría una descarga',
    descripcion:
      'Estima, sin pedir nada al SAT y sin costo, la descarga que pediría tax/descarga-metadata con los mismos campos: renglones, bytes, solicitudes al SAT, canal, tiempo y cuotas. Se basa en las descargas terminadas del mismo RFC y tipo; un mes que ninguna tuvo se estima con los demás. Con filtros que no son el tipo de comprobante, las descargas sin filtros dan una cifra máxima.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'descarga/listar',
    resumen: 'Solicitudes de descarga del RFC',
    descripcion:
      'Lista las solicitudes del RFC de la API key, también las que se pidieron en el panel o con otra API key del mismo RFC, de la más nueva a la más vieja. Una página a la vez: mande siguiente como cursor para la que sigue; lo que se acepte mientras tanto no mueve las páginas.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'descarga/paquete',
    resumen: 'URL del paquete ZIP de una solicitud terminada',
    descripcion: 'La URL se firma al momento de llamar y vale hasta expira_en; pídala de nuevo cuando la necesite.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'descarga/verificar',
    resumen: 'Avance de una solicitud de descarga',
    descripcion:
      'Estado, avance y próxima consulta al SAT, y cuánto suele tardar. Puede llamarse tantas veces como se quiera, sin costo.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'efos/consultar',
    resumen: 'Listas EFOS y EDOS',
    descripcion:
      'Si un RFC está en la lista del artículo 69-B del Código Fiscal de la Federación (EFOS) o en la de EDOS que importó el operador, y en qué otras listas del SAT está (69, 69-B Bis, CSD sin efectos). Un RFC con varios procedimientos está en EFOS si en alguno es presunto o definitivo.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'efos/consultar-lote',
    resumen: 'Listas EFOS y EDOS, hasta 1,000 RFC',
    descripcion:
      'Lo mismo que efos/consultar de hasta 1,000 RFC en una llamada, por ejemplo de todos los proveedores. Contesta en el orden en que se preguntó, y de uno repetido cada vez. Todas las respuestas son de un mismo momento y de las mismas listas. Si algún RFC está mal escrito no se consulta ninguno: el error los nombra todos, con su lugar en la lista.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'estado/sat',
    resumen: 'Cómo contesta el SAT y cuánto tarda',
    descripcion:
      'Por canal, si el SAT contesta bien, lento o con fallas, y desde cuándo; y cuánto tardan las descargas en estar listas. Se cuenta lo que todas las cuentas de esta instalación le pidieron, sin decir de quién ni cuánto: con pocas descargas o pocas cuentas no se dice nada. Lo mismo se lee sin llave en /estado y en /estado.json.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'llamadas/listar',
    resumen: 'Llamadas hechas con las API keys del RFC',
    descripcion:
      'Las llamadas contestadas de los últimos 30 días, de la más nueva a la más vieja, hechas con esta API key u otra del mismo RFC: nunca su contenido. Aparecen en uno o dos segundos. El registro no detiene a ninguna llamada: si la base de datos falta por mucho tiempo o un proceso muere, algunas no quedan en él; los créditos salen de los movimientos de la cuenta, que no pierden ninguno. Una página a la vez: mande siguiente como cursor para la que sigue.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'riesgo/paquete',
    resumen: 'Contrapartes de una descarga que están en una lista del SAT',
    descripcion:
      'Quiénes le emitieron los CFDI recibidos de un paquete, o recibieron los emitidos, y estaban en una lista del SAT (69, 69-B, 69-B Bis, sellos sin efectos) cuando se armó: en cuál, con qué supuesto, y sus CFDI vigentes del paquete, de ingreso y de egreso, con los pesos. Quien está en dos listas viene dos veces. Cómo están hoy lo dice efos/consultar-lote; de un RFC que se mantiene al día, riesgo/proveedores.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'riesgo/proveedores',
    resumen: 'Contrapartes que están en una lista del SAT',
    descripcion:
      'Con quién tiene CFDI el RFC, de los que se mantienen al día con sincronizacion/crear, y está hoy en una lista del SAT: en cuál, con qué supuesto, desde cuándo, y los CFDI vigentes con sus pesos. Cuando alguien entra, cambia o sale avisa el webhook proveedor.listado. Las de una descarga las da riesgo/paquete.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'sincronizacion/borrar',
    resumen: 'Dejar de mantener al día el RFC',
    descripcion:
      'Retira el permiso, cancela y devuelve las lecturas en curso, y borra lo que se sabía de los CFDI y sus cambios. No se puede deshacer. Una llave de prueba no borra lo de una llave real. Los paquetes de las lecturas se conservan los días de siempre.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'sincronizacion/cambios',
    resumen: 'Qué cambió de los CFDI del RFC',
    descripcion:
      'Los cambios que sincronizacion/crear va notando, en el orden en que se notaron, cada uno una sola vez. Guarde siguiente y mándelo como cursor la próxima vez: nunca se salta ni repite ninguno. Sin cursor empieza por el primero, o por el primero que se notó desde el día desde. Quien aplica todos, desde el primero, tiene lo que el SAT tiene.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'sincronizacion/crear',
    resumen: 'Mantener al día los CFDI del RFC',
    descripcion:
      'Desde ahora Acuse lee por sí mismo los CFDI del RFC y anota qué cambió: sincronizacion/cambios lo da. Para ello guarda una copia de la CIEC que solo los workers abren, para esta finalidad y por los meses que se digan: termina antes si se retira, o si cambian la CIEC o la API key. Cada lectura es una descarga-metadata y cuesta un crédito; sincronizacion/estimar dice cuántas serán. La primera vez diga desde: cada mes y tipo cuesta una lectura. Con contenido xml el paquete de la primera lectura de un periodo trae los XML; después, cada lectura que encuentra CFDI vigentes sin XML pide otra de esos días, que lo trae y cuesta otro crédito: una por cada serie de días seguidos. El XML de un CFDI se pide a lo más dos veces, la segunda un día después; los cancelados no se piden por sí solos. Al cambiar a xml, los XML de lo ya conocido llegan con la siguiente lectura de su mes. El portal del SAT da unos 2,000 XML por RFC y día: los demás, y las lecturas de esos días, esperan al día siguiente. Si el RFC ya se mantenía al día, basta el rfc: renueva el permiso, cambia los ajustes que se digan y no vuelve a leer lo leído.',
    costo: 0,
    credencial: 'API key + CIEC',
  },
  {
    path: 'sincronizacion/estimar',
    resumen: 'Lo que costaría mantener al día el RFC',
    descripcion:
      'Cuántas lecturas pediría sincronizacion/crear con estos mismos campos, y cuántos créditos: de inmediato, un mes y tipo por lectura sin lo que ya se leyó, y los 30 días siguientes, si el SAT no deja de dar CFDI: confirmar eso cuesta a lo más creditos_por_confirmar por mes y tipo. No pregunta al SAT.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'sincronizacion/listar',
    resumen: 'Cómo va lo que se mantiene al día',
    descripcion:
      'La sincronización del RFC de la API key: sus ajustes, su permiso, cuándo leyó y cuándo le toca. Vacía si no se mantiene al día.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'sincronizacion/pausar',
    resumen: 'Poner en pausa lo que se mantiene al día',
    descripcion:
      'No se pide nada más hasta sincronizacion/reanudar. Lo que el SAT ya prepara se guarda cuando llega; lo leído y sus cambios se conservan.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'sincronizacion/reanudar',
    resumen: 'Seguir manteniendo al día el RFC',
    descripcion:
      'Termina la pausa. Lo que tocaba mientras tanto se lee una vez, desde ahora. Sin costo por sí misma; cada lectura cuesta un crédito.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'tax/comunicados',
    resumen: 'Comunicados oficiales del SAT',
    descripcion:
      'Lista los comunicados del periodo. Sin desde se toman los 30 días anteriores a hoy; sin hasta, hasta hoy. Se usa la credencial guardada.',
    costo: 1,
    credencial: 'API key',
  },
  {
    path: 'tax/declaraciones-fiel',
    resumen: 'Declaraciones presentadas, con e.firma',
    descripcion: 'Lista las declaraciones del ejercicio. La consulta se hace con la e.firma guardada.',
    costo: 1,
    credencial: 'API key + e.firma',
  },
  {
    path: 'tax/descarga-metadata',
    resumen: 'Solicitud de descarga de metadata o de los CFDI',
    descripcion:
      'Pide al SAT la metadata de los CFDI emitidos o recibidos de un periodo, de cualquier longitud, y con contenido xml también los CFDI. Responde de inmediato; el avance se consulta en descarga/verificar y el ZIP en descarga/paquete. Se usa la e.firma guardada o, si no hay, el SAT la rechaza o su servicio web no responde, la CIEC. Si ya hay una solicitud igual en curso (mismos RFC, tipo, periodo, formato, contenido y filtros), se devuelve esa (duplicada: true) y no se cobra.',
    costo: 1,
    credencial: 'API key + CIEC',
  },
  {
    path: 'tax/facturas',
    resumen: 'Facturas recibidas',
    descripcion:
      'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la CIEC guardada; si el SAT no contesta con ella, con la e.firma si está guardada.',
    costo: 1,
    credencial: 'API key + CIEC',
  },
  {
    path: 'tax/facturas-fiel',
    resumen: 'Facturas recibidas, con e.firma',
    descripcion: 'Lista los CFDI que el RFC recibió en el periodo. La consulta se hace con la e.firma guardada.',
    costo: 1,
    credencial: 'API key + e.firma',
  },
  {
    path: 'tax/informacion-fiscal',
    resumen: 'Información fiscal detallada',
    descripcion:
      'Regímenes y obligaciones del contribuyente, de su constancia de situación fiscal. Se usa la CIEC guardada o, si no hay o el SAT no contesta con ella, la e.firma.',
    costo: 1,
    credencial: 'API key + CIEC',
  },
  {
    path: 'tax/notificaciones',
    resumen: 'Notificaciones pendientes del buzón tributario',
    descripcion:
      'Lista las notificaciones electrónicas pendientes. Se usa la e.firma guardada o, si no hay o el SAT no contesta con ella, la CIEC.',
    costo: 1,
    credencial: 'API key + CIEC o e.firma',
  },
  {
    path: 'tax/opinion-cumplimiento',
    resumen: 'Opinión de cumplimiento, con CIEC',
    descripcion:
      'Opinión de cumplimiento de obligaciones fiscales. Cuando no es positiva, motivo dice por qué. Se consulta con la CIEC guardada; si el SAT no contesta con ella, con la e.firma si está guardada.',
    costo: 1,
    credencial: 'API key + CIEC',
  },
  {
    path: 'tax/opinion-cumplimiento-fiel',
    resumen: 'Opinión de cumplimiento, con e.firma',
    descripcion: 'Opinión de cumplimiento con su PDF firmado. La consulta se hace con la e.firma guardada.',
    costo: 1,
    credencial: 'API key + e.firma',
  },
  {
    path: 'tax/opinion-cumplimiento-publica',
    resumen: 'Opinión de cumplimiento pública',
    descripcion: 'Opinión de cumplimiento de cualquier RFC que autorizó hacerla pública.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'tax/retenciones',
    resumen: 'Retenciones registradas',
    descripcion:
      'Lista los CFDI de retenciones del ejercicio, recibidos y emitidos. Con la CIEC se piden al portal; si no contesta, o sin CIEC, con la e.firma al servicio de descarga del SAT, que puede tardar más que la llamada: entonces se contesta 503/5041 sin costo y la siguiente llamada continúa.',
    costo: 1,
    credencial: 'API key + CIEC',
  },
  {
    path: 'uso/consultar',
    resumen: 'Créditos usados por día y operación',
    descripcion:
      'Lo que la cuenta usó en un periodo, de a lo más 366 días del centro de México, y su saldo. Un crédito que se devuelve cuenta en el día en que se devolvió. Sin hasta, hasta hoy; sin desde, desde el primer día del mes de hasta.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'usuario/datos-fiscales',
    resumen: 'Datos fiscales del contribuyente',
    descripcion:
      'Régimen, domicilio e inicio de operaciones según la constancia de situación fiscal: por su idCIF cuando se conoce, si no con la credencial guardada.',
    costo: 1,
    credencial: 'API key',
  },
  {
    path: 'vault/estado',
    resumen: 'Estado de todas las credenciales guardadas',
    descripcion:
      'Por qué caminos se le puede preguntar hoy al SAT por este RFC: con la CIEC en los portales, con la e.firma en el servicio web y en los portales; si cada uno sirve, por qué no, y hasta cuándo; y lo usado de las cuotas del SAT. Nada de esto pregunta al SAT.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'vault/firma-estado',
    resumen: 'Estado de la e.firma guardada',
    descripcion:
      'Si hay certificado y llave guardados, si el certificado está vigente, y hasta cuándo sirve cada uno: expira_en es el fin del certificado, key_expira_en el de la llave.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'vault/firma-guardar',
    resumen: 'Guardar la llave privada de la e.firma',
    descripcion:
      'Comprueba que la .key abre con su contraseña y es la pareja del .cer registrado, y la guarda cifrada con AES-256-GCM. La contraseña no se guarda. Se borra a la hora. Las solicitudes que esperaban la llave continúan.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'vault/firma-registrar',
    resumen: 'Registrar el certificado de la e.firma',
    descripcion:
      'Valida el .cer (vigente, e.firma y no CSD, del RFC, emitido por el SAT) y lo guarda. Registrar un certificado distinto borra la llave guardada. advertencias dice lo que puede fallar con uno aceptado.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'vault/rfc-guardar',
    resumen: 'Guardar la CIEC',
    descripcion:
      'Guarda la contraseña del SAT cifrada con AES-256-GCM bajo una llave derivada de la API key. Reemplaza a la anterior. Al generar otra API key hay que guardarla de nuevo.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'vault/rfc-registrar',
    resumen: 'Asociar el RFC con la API key',
    descripcion:
      'Debe llamarse una vez con cada API key nueva, antes de las consultas al SAT. Con id_cif, los datos fiscales se consultan sin CIEC ni e.firma.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/actualizar',
    resumen: 'Cambiar, apagar o encender un webhook',
    descripcion:
      'Cambia lo que se envía y deja lo demás. Al encenderlo se olvidan sus fallas, y lo que estaba pendiente se envía.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/borrar',
    resumen: 'Borrar un webhook',
    descripcion:
      'Con su bitácora. Lo que estaba pendiente ya no se envía; para conservarlo, apáguelo con webhooks/actualizar.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/crear',
    resumen: 'Crear un webhook',
    descripcion:
      'Desde ahora se avisa a esa dirección de lo que pase con el RFC de la API key. Los avisos siguen Standard Webhooks 1.0: firmados con el secreto, que se muestra esta sola vez. Un webhook para varios RFC, o para todos, se crea en el panel.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/entregas',
    resumen: 'Entregas de un webhook',
    descripcion:
      'Los avisos de un webhook, del más nuevo al más antiguo, con el último intento de cada uno. Una página a la vez: mande siguiente como cursor para la que sigue.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/listar',
    resumen: 'Listar los webhooks',
    descripcion: 'Los que avisan solo del RFC de la API key. Los secretos no se muestran.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/probar',
    resumen: 'Enviar un aviso de prueba',
    descripcion:
      'Uno del tipo prueba o, con tipo, un ejemplo de ese evento con data.ejemplo en true: nada de lo que dice pasó. Firmado como los demás, y aunque el webhook no esté suscrito a él; hasta diez por minuto. Cómo le fue se ve en webhooks/entregas.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/reenviar',
    resumen: 'Enviar otra vez un aviso',
    descripcion:
      'Con el mismo webhook-id y el mismo contenido, haya llegado antes o no, y con todos sus intentos por delante. Hasta 60 seguidos por cuenta; después, uno por segundo.',
    costo: 0,
    credencial: 'API key',
  },
  {
    path: 'webhooks/rotar-secreto',
    resumen: 'Cambiar el secreto de un webhook',
    descripcion:
      'Da un secreto nuevo, que se muestra esta sola vez. Mientras el anterior esté vigente, cada aviso lleva las dos firmas: cámbielo en su receptor sin perder ninguno.',
    costo: 0,
    credencial: 'API key',
  },
] as const satisfies readonly OperacionPublicada[];

/** How an operation is named where it is switched off or charged for. */
export type PathOperacion = (typeof OPERACIONES)[number]['path'];

import type { MotivoSolicitud } from './ports/solicitudes.ts';

/** Reason why a solicitud ended without a package, or waits, and its remedy. */
export interface Explicacion {
  readonly causa: string;
  readonly remedio: string;
  /** The same for the documentation in English. */
  readonly english: { readonly cause: string; readonly remedy: string };
  /** Where in the panel the remedy is. */
  readonly accion?: 'credenciales' | 'llaves' | 'repetir';
}

/** The remedy that many reasons share. */
export const REQUEST_AGAIN = {
  es: 'Puede pedirla otra vez; el crédito de esta ya se devolvió.',
  en: 'You may request it again; the credit of this one was refunded.',
} as const;
const { es: REPETIR, en: REPEAT } = REQUEST_AGAIN;

/** Reasons whose remedy is at one place of the panel. */
const remediedBy =
  (accion: NonNullable<Explicacion['accion']>) =>
  (causa: string, cause: string, remedio: string = REPETIR, remedy: string = REPEAT): Explicacion => ({
    causa,
    remedio,
    english: { cause, remedy },
    accion,
  });
const repeat = remediedBy('repetir');
const credential = remediedBy('credenciales');

/** Every reason, in words of the panel and of the public documentation. */
export const EXPLICACIONES: Readonly<Record<MotivoSolicitud, Explicacion>> = {
  PLAZO_AGOTADO: repeat(
    'El SAT no entregó todo dentro del plazo de la solicitud.',
    'The SAT did not hand over everything within the time of the request.',
    `El SAT suele ponerse al corriente en uno o dos días. ${REPETIR} Un periodo más corto termina antes.`,
    `The SAT is usually up to date again in a day or two. ${REPEAT} A shorter period ends sooner.`,
  ),
  CIEC_RECHAZADA: credential(
    'El SAT no aceptó la contraseña (CIEC) guardada. No se volvió a intentar, para no bloquear la cuenta en el SAT.',
    'The SAT did not take the stored password (CIEC). It was not tried again, so that the SAT does not lock the account.',
    'Compruebe la contraseña en el portal del SAT, guárdela otra vez y vuelva a pedir la solicitud.',
    'Check the password at the portal of the SAT, store it again and make the request again.',
  ),
  EFIRMA_RECHAZADA: credential(
    'El SAT no aceptó la e.firma: puede estar vencida, revocada o reemplazada por otra.',
    'The SAT did not take the e.firma: it may have lapsed, or been revoked or replaced by another one.',
    'Revise en el portal del SAT que la e.firma siga vigente, registre el certificado y la llave actuales y vuelva a pedir la solicitud.',
    'Check at the portal of the SAT that the e.firma is in force, register its present certificate and key and make the request again.',
  ),
  CREDENCIAL_NO_DISPONIBLE: credential(
    'La credencial con la que se aceptó la solicitud dejó de estar disponible antes de terminar.',
    'The credential with which the request was accepted was gone before its end.',
    `Revise que la CIEC esté guardada para este RFC. ${REPETIR}`,
    `Check that the CIEC is stored for this RFC. ${REPEAT}`,
  ),
  EFIRMA_EXPIRADA: credential(
    'La llave de la e.firma se borró al cumplir su hora y todavía falta trabajo con el SAT.',
    'The key of the e.firma was deleted at the end of its hour, and there is work left at the SAT.',
    'Guarde la llave otra vez: la solicitud sigue sola, sin pedirla ni pagarla de nuevo.',
    'Store the key again: the request goes on by itself, without being made or paid again.',
  ),
  API_KEY_REVOCADA: {
    causa: 'La API key con la que se pidió fue revocada, y con ella se canceló lo que estaba en curso.',
    remedio: 'Genere una API key nueva, guarde con ella la CIEC o la e.firma y pida la solicitud otra vez.',
    english: {
      cause: 'The API key that made the request was revoked, which cancelled the request.',
      remedy: 'Make a new API key, store the CIEC or the e.firma with it and make the request again.',
    },
    accion: 'llaves',
  },
  CONSENTIMIENTO_REVOCADO: credential(
    'Era una lectura de una sincronización, cuyo permiso para usar la CIEC se retiró antes de que terminara.',
    'The reading belonged to a subscription whose consent for the CIEC was withdrawn before its end.',
    'Para seguir al día, vuelva a crear la sincronización del RFC: con ella se da un permiso nuevo.',
    'To stay up to date, create the subscription of the RFC again: that gives a new consent.',
  ),
  CANCELADA_POR_EL_CLIENTE: repeat(
    'Se canceló antes de terminar, desde el panel o con la API.',
    'The request was cancelled before its end, in the panel or by the API.',
  ),
  VACIA_SIN_CONFIRMAR: credential(
    'El SAT dijo que no hay CFDI y nadie más lo pudo confirmar, así que no se cobra.',
    'The SAT said that there are no CFDI and nothing else could confirm it, so it is not charged.',
    'Guarde también la otra credencial (CIEC o e.firma) y pida la solicitud otra vez: así se pregunta por los dos medios del SAT.',
    'Store the other credential too (CIEC or e.firma) and make the request again: then the SAT is asked both ways.',
  ),
  SOLICITUDES_AGOTADAS: repeat(
    'El SAT ya recibió demasiadas solicitudes iguales de este periodo y no admite otra.',
    'The SAT has had too many equal requests for this period and takes no other.',
    'Pida un periodo que empiece o termine en otro día, aunque abarque el mismo rango.',
    'Ask for a period that begins or ends on another day, even if it covers the same range.',
  ),
  DEMASIADOS_CFDI_POR_SEGUNDO: credential(
    'Hay más CFDI en un mismo segundo de los que el SAT entrega por esta vía, y el periodo ya no se puede partir más.',
    'There are more CFDI in one second than the SAT hands over this way, and the period cannot be divided further.',
    'Guarde la e.firma del RFC y pida la solicitud otra vez: por ese medio el SAT entrega muchos más a la vez.',
    'Store the e.firma of the RFC and make the request again: that way the SAT hands over many more at a time.',
  ),
  SAT_RECHAZO_LA_SOLICITUD: repeat(
    'El SAT no admitió la solicitud tal como se hizo.',
    'The SAT did not admit the request as it was made.',
    'Revise que la e.firma sea la de este mismo RFC y que el periodo sea correcto; después pida la solicitud otra vez.',
    'Check that the e.firma is that of this very RFC and that the period is right; then make the request again.',
  ),
  SAT_RECHAZADA: repeat(
    'El SAT aceptó la solicitud y después la rechazó, también cuando se le pidió de nuevo.',
    'The SAT accepted the request and refused it later, also when asked again.',
    `Suele ser pasajero. ${REPETIR} Si vuelve a ocurrir, pruebe con un periodo más corto.`,
    `It usually passes. ${REPEAT} If it happens again, try a shorter period.`,
  ),
  SAT_ERROR: repeat(
    'El SAT tuvo un problema al preparar la solicitud, también cuando se le pidió de nuevo.',
    'The SAT failed while it prepared the request, also when asked again.',
    `Suele ser pasajero: espere unas horas. ${REPETIR}`,
    `It usually passes: wait some hours. ${REPEAT}`,
  ),
  SAT_VENCIDA: repeat(
    'El SAT dejó vencer la solicitud antes de que se pudiera descargar, varias veces.',
    'The SAT let the request lapse before it could be downloaded, several times.',
  ),
  SAT_DESCONOCIDA: repeat(
    'El SAT dejó de reconocer el folio que él mismo había dado, varias veces.',
    'The SAT no longer knew the number that it had given itself, several times.',
    `Suele ser pasajero: espere unas horas. ${REPETIR}`,
    `It usually passes: wait some hours. ${REPEAT}`,
  ),
  PAQUETE_SAT_AGOTADO: repeat(
    'El SAT ya no entrega un paquete de la solicitud: lo da dos veces y durante 72 horas.',
    'The SAT no longer hands over a package of the request: it does so twice, and for 72 hours.',
  ),
  PAQUETE_SAT_INVALIDO: repeat(
    'Un paquete que entregó el SAT está dañado o se perdió, y bajarlo otra vez no lo arregló.',
    'A package that the SAT handed over is damaged or was lost, and fetching it again did not help.',
    `${REPETIR} El SAT preparará paquetes nuevos.`,
    `${REPEAT} The SAT will prepare new packages.`,
  ),
  CANAL_DESACTIVADO: credential(
    'El operador de esta instalación tiene apagado el medio por el que se habría consultado al SAT.',
    'The operator of this installation has switched off the way by which the SAT would have been asked.',
    'Pida al operador que lo encienda, o guarde la otra credencial (CIEC o e.firma) y repita la solicitud.',
    'Have the operator switch it on, or store the other credential (CIEC or e.firma) and make the request again.',
  ),
  SIN_RESOLVEDOR_DE_CAPTCHA: credential(
    'Para entrar al portal del SAT con la CIEC hay que leer un captcha, y esta instalación no tiene quién lo lea.',
    'The log-in to the portal of the SAT by CIEC needs a captcha, and this installation has no reader of captchas.',
    'Guarde la e.firma, que no necesita captcha, o pida al operador que configure un lector.',
    'Store the e.firma, which needs no captcha, or have the operator set up a reader.',
  ),
  PETICION_RECHAZADA: repeat(
    'El SAT no entendió o no admitió lo que se le envió.',
    'The SAT did not understand or admit the request.',
    `${REPETIR} Si vuelve a ocurrir, avise al operador: puede que el SAT haya cambiado algo.`,
    `${REPEAT} If it happens again, tell the operator: the SAT may have changed something.`,
  ),
  HOST_NO_PERMITIDO: {
    causa: 'El SAT quiso enviar la consulta a una dirección que esta instalación no conoce, y no se siguió.',
    remedio: 'Avise al operador: solo él puede admitir direcciones nuevas del SAT.',
    english: {
      cause:
        'The SAT wanted to send the query on to an address that this installation does not know, and it was not followed.',
      remedy: 'Tell the operator, who can admit new addresses of the SAT.',
    },
  },
  NO_RESPONDE: repeat('El SAT no contestó.', 'The SAT did not answer.'),
  TIEMPO_AGOTADO: repeat('El SAT tardó demasiado en contestar.', 'The SAT took too long to answer.'),
  RESPUESTA_ILEGIBLE: repeat(
    'El SAT contestó algo que no se puede leer.',
    'The SAT answered something that cannot be read.',
  ),
  SERVICIO_CON_ERROR: repeat(
    'El servicio del SAT contestó que está fallando.',
    'The service of the SAT answered that it is failing.',
  ),
  OCUPADO: repeat(
    'Había demasiadas consultas al SAT en ese momento.',
    'There were too many queries to the SAT at that moment.',
  ),
  CORTACIRCUITOS_ABIERTO: repeat(
    'El SAT venía fallando y se dejó de insistir por un rato.',
    'The SAT had been failing and was left alone for a while.',
  ),
  CAPTCHA_RECHAZADO: repeat(
    'El portal del SAT no aceptó la lectura de su captcha.',
    'The portal of the SAT did not take the reading of its captcha.',
  ),
  CANCELADA: repeat('La consulta se interrumpió antes de terminar.', 'The query was broken off before its end.'),
};

/** A code of the SAT. */
export interface CodigoSat {
  /** What it says, in words that follow “el SAT”. */
  readonly significado: string;
  /** What the service does about it by itself. */
  readonly hace: string;
  /** The same for the documentation in English. */
  readonly english: { readonly meaning: string; readonly action: string };
}

/** Reaction to a code, in both languages. */
type Treatment = readonly [hace: string, action: string];

const LATER: Treatment = ['Pregunta otra vez más tarde, por sí solo.', 'Asks again later, by itself.'];
const OTRO_TOKEN: Treatment = [
  'Repite una vez con un token nuevo, porque el SAT también lo dice de e.firmas que sirven. Si insiste, deja de usar esa e.firma ahí hasta que se guarde otra vez y, con la CIEC guardada, sigue por el portal.',
  'Repeats once with a new token, because the SAT says so of valid e.firmas too. If the SAT insists, Acuse does not use that e.firma there until it is stored again, and with a stored CIEC continues by the portal.',
];
const OTRO_PERIODO: Treatment = [
  'Mueve el periodo un segundo hacia afuera, que para el SAT es otra solicitud, y quita los renglones que sobran. Si tampoco así, SOLICITUDES_AGOTADAS.',
  'Moves the period outwards by a second, which the SAT takes as another request, and leaves out the extra rows. If that fails too, SOLICITUDES_AGOTADAS.',
];
const OTRA_VEZ: Treatment = [
  'Pide los mismos datos en una solicitud nueva; si vuelve a pasar, PAQUETE_SAT_AGOTADO.',
  'Requests the same data again; if it happens again, PAQUETE_SAT_AGOTADO.',
];
const endsWith = (motivo: MotivoSolicitud): Treatment => [
  `La solicitud termina con ${motivo} y su crédito devuelto.`,
  `The request ends with ${motivo} and a refund.`,
];

const codigo = (significado: string, meaning: string, [hace, action]: Treatment): CodigoSat => ({
  significado,
  hace,
  english: { meaning, action },
});

/** Codes of the SAT (`CodEstatus` of its web service for bulk download): meaning and reaction. */
export const CODIGOS_SAT: Readonly<Record<string, CodigoSat>> = {
  '300': codigo('no reconoció al usuario', 'did not recognise the user', [
    'Pide un token nuevo y repite una vez; después, más tarde.',
    'Asks for a new token and repeats once; then later.',
  ]),
  '301': codigo('no pudo leer la petición', 'could not read the request', endsWith('PETICION_RECHAZADA')),
  '302': codigo('no pudo leer el sello', 'could not read the signature', endsWith('PETICION_RECHAZADA')),
  '303': codigo('el sello no es del RFC que pide', 'the signature belongs to another RFC', OTRO_TOKEN),
  '304': codigo('el certificado está revocado o vencido', 'the certificate is revoked or has lapsed', OTRO_TOKEN),
  '305': codigo('el certificado no es válido', 'the certificate is not valid', OTRO_TOKEN),
  '404': codigo('falla que el SAT no explica', 'a failure that the SAT does not explain', LATER),
  '5000': codigo('recibida', 'received', ['Sigue.', 'Goes on.']),
  '5001': codigo(
    'no autoriza a pedir por este RFC',
    'does not authorise requests for this RFC',
    endsWith('SAT_RECHAZO_LA_SOLICITUD'),
  ),
  '5002': codigo(
    'ya no admite solicitudes con estos criterios',
    'accepts no more requests with these criteria',
    OTRO_PERIODO,
  ),
  '5003': codigo('son más CFDI de los que da en una solicitud', 'more CFDI than it delivers in one request', [
    'Parte el periodo en otros más cortos, sin huecos ni repetidos, y los junta en el mismo ZIP.',
    'Divides the period into shorter ones, without gaps or repetitions, and joins them in the same ZIP.',
  ]),
  '5004': codigo('no encontró información', 'found nothing', [
    'Lo pregunta otra vez antes de creerlo, también por el otro medio si hay credencial; si nadie lo confirma, devuelve el crédito.',
    'Asks again before it believes this, also the other way if a credential is stored; without a confirmation it refunds the credit.',
  ]),
  '5005': codigo('ya tiene una solicitud igual', 'has an equal request already', OTRO_PERIODO),
  '5006': codigo('falla interna del SAT', 'an internal failure of the SAT', LATER),
  '5007': codigo('el paquete ya no existe', 'the package is gone', OTRA_VEZ),
  '5008': codigo(
    'el paquete ya se entregó las veces que permite',
    'the package was delivered the maximum number of times',
    OTRA_VEZ,
  ),
  '5010': codigo(
    'terminó, sin que el SAT publique qué más quiere decir',
    'ended; the SAT publishes no further meaning',
    ['Sigue, como con 5000.', 'Goes on, as with 5000.'],
  ),
  '5011': codigo('límite diario del SAT', 'a daily limit of the SAT', LATER),
  '5012': codigo(
    'no da XML de CFDI cancelados',
    'delivers no XML of cancelled CFDI',
    endsWith('SAT_RECHAZO_LA_SOLICITUD'),
  ),
};

/** A code of the SAT with what it means, as far as that is known. */
export function describeCodigo(codigo: string): string {
  const known = Object.hasOwn(CODIGOS_SAT, codigo) ? CODIGOS_SAT[codigo] : undefined;
  return known === undefined ? `código ${codigo}` : `código ${codigo}: ${known.significado}`;
}

const REPETIDA = 'Se pide otra vez sola; el crédito de esta ya se devolvió.';
const REPEATED = 'It is requested again by itself; the credit of this one was refunded.';

const readAgain = (causa: string, cause: string): Explicacion => ({
  causa,
  remedio: REPETIDA,
  english: { cause, remedy: REPEATED },
});

/** Why a subscription could not use a reading whose solicitud ended with its package. */
export const FALLAS_DE_LECTURA: Readonly<Record<'DUDOSA' | 'ILEGIBLE' | 'PAQUETE_BORRADO', Explicacion>> = {
  DUDOSA: readAgain(
    'El SAT dejó de dar mucho de lo que daba: se le pregunta otra vez antes de creerlo.',
    'The SAT left out much of what it gave before: it is asked again before it is believed.',
  ),
  ILEGIBLE: readAgain(
    'Lo que dio el SAT no se pudo leer: se le pide otra vez.',
    'What the SAT gave could not be read: it is asked again.',
  ),
  PAQUETE_BORRADO: readAgain(
    'El paquete se borró antes de que se guardara lo que traía: se pide otra vez.',
    'The package was deleted before what it held was stored: it is asked for again.',
  ),
};
export type FallaDeLectura = keyof typeof FALLAS_DE_LECTURA;

/** Why it ended, waits or could not be used; a code of a version to come is shown as it is. */
export function explain(motivo: string): Explicacion {
  if (Object.hasOwn(EXPLICACIONES, motivo)) return EXPLICACIONES[motivo as MotivoSolicitud];
  if (Object.hasOwn(FALLAS_DE_LECTURA, motivo)) return FALLAS_DE_LECTURA[motivo as FallaDeLectura];
  return repeat(`La solicitud terminó sin paquete (${motivo}).`, `The request ended without a package (${motivo}).`);
}

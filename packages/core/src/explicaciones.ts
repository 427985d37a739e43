import type { MotivoSolicitud } from './ports/solicitudes.ts';

/** Why a solicitud ended without a package, or waits, and what somebody can do about it. */
export interface Explicacion {
  readonly causa: string;
  readonly remedio: string;
  /** Where in the panel the remedy is. */
  readonly accion?: 'credenciales' | 'llaves' | 'repetir';
}

const REPETIR = 'Puede pedirla otra vez; el crédito de esta ya se devolvió.';

/** Nothing is to be done but to ask again. */
const repeat = (causa: string): Explicacion => ({ causa, remedio: REPETIR, accion: 'repetir' });

/** Every reason, in words of the panel and of the public documentation. */
export const EXPLICACIONES: Readonly<Record<MotivoSolicitud, Explicacion>> = {
  PLAZO_AGOTADO: {
    causa: 'El SAT no entregó todo dentro del plazo de la solicitud.',
    remedio: `El SAT suele ponerse al corriente en uno o dos días. ${REPETIR} Un periodo más corto termina antes.`,
    accion: 'repetir',
  },
  CIEC_RECHAZADA: {
    causa:
      'El SAT no aceptó la contraseña (CIEC) guardada. No se volvió a intentar, para no bloquear la cuenta en el SAT.',
    remedio: 'Compruebe la contraseña en el portal del SAT, guárdela otra vez y vuelva a pedir la solicitud.',
    accion: 'credenciales',
  },
  EFIRMA_RECHAZADA: {
    causa: 'El SAT no aceptó la e.firma: puede estar vencida, revocada o reemplazada por otra.',
    remedio:
      'Revise en el portal del SAT que la e.firma siga vigente, registre el certificado y la llave actuales y vuelva a pedir la solicitud.',
    accion: 'credenciales',
  },
  CREDENCIAL_NO_DISPONIBLE: {
    causa: 'La credencial con la que se aceptó la solicitud dejó de estar disponible antes de terminar.',
    remedio: `Revise que la CIEC esté guardada para este RFC. ${REPETIR}`,
    accion: 'credenciales',
  },
  EFIRMA_EXPIRADA: {
    causa: 'La llave de la e.firma se borró al cumplir su hora y todavía falta trabajo con el SAT.',
    remedio: 'Guarde la llave otra vez: la solicitud sigue sola, sin pedirla ni pagarla de nuevo.',
    accion: 'credenciales',
  },
  API_KEY_REVOCADA: {
    causa: 'La API key con la que se pidió fue revocada, y con ella se canceló lo que estaba en curso.',
    remedio: 'Genere una API key nueva, guarde con ella la CIEC o la e.firma y pida la solicitud otra vez.',
    accion: 'llaves',
  },
  CANCELADA_POR_EL_CLIENTE: repeat('Se canceló antes de terminar, desde el panel o con la API.'),
  VACIA_SIN_CONFIRMAR: {
    causa: 'El SAT dijo que no hay CFDI y nadie más lo pudo confirmar, así que no se cobra.',
    remedio:
      'Guarde también la otra credencial (CIEC o e.firma) y pida la solicitud otra vez: así se pregunta por los dos medios del SAT.',
    accion: 'credenciales',
  },
  SOLICITUDES_AGOTADAS: {
    causa: 'El SAT ya recibió demasiadas solicitudes iguales de este periodo y no admite otra.',
    remedio: 'Pida un periodo que empiece o termine en otro día, aunque abarque el mismo rango.',
    accion: 'repetir',
  },
  DEMASIADOS_CFDI_POR_SEGUNDO: {
    causa:
      'Hay más CFDI en un mismo segundo de los que el SAT entrega por esta vía, y el periodo ya no se puede partir más.',
    remedio:
      'Guarde la e.firma del RFC y pida la solicitud otra vez: por ese medio el SAT entrega muchos más a la vez.',
    accion: 'credenciales',
  },
  SAT_RECHAZO_LA_SOLICITUD: {
    causa: 'El SAT no admitió la solicitud tal como se hizo.',
    remedio:
      'Revise que la e.firma sea la de este mismo RFC y que el periodo sea correcto; después pida la solicitud otra vez.',
    accion: 'repetir',
  },
  SAT_RECHAZADA: {
    causa: 'El SAT aceptó la solicitud y después la rechazó, también cuando se le pidió de nuevo.',
    remedio: `Suele ser pasajero. ${REPETIR} Si vuelve a ocurrir, pruebe con un periodo más corto.`,
    accion: 'repetir',
  },
  SAT_ERROR: {
    causa: 'El SAT tuvo un problema al preparar la solicitud, también cuando se le pidió de nuevo.',
    remedio: `Suele ser pasajero: espere unas horas. ${REPETIR}`,
    accion: 'repetir',
  },
  SAT_VENCIDA: repeat('El SAT dejó vencer la solicitud antes de que se pudiera descargar, varias veces.'),
  SAT_DESCONOCIDA: {
    causa: 'El SAT dejó de reconocer el folio que él mismo había dado, varias veces.',
    remedio: `Suele ser pasajero: espere unas horas. ${REPETIR}`,
    accion: 'repetir',
  },
  PAQUETE_SAT_AGOTADO: repeat('El SAT ya no entrega un paquete de la solicitud: lo da dos veces y durante 72 horas.'),
  PAQUETE_SAT_INVALIDO: {
    causa: 'Un paquete que entregó el SAT está dañado, y bajarlo otra vez no lo arregló.',
    remedio: `${REPETIR} El SAT preparará paquetes nuevos.`,
    accion: 'repetir',
  },
  CANAL_DESACTIVADO: {
    causa: 'El operador de esta instalación tiene apagado el medio por el que se habría consultado al SAT.',
    remedio: 'Pida al operador que lo encienda, o guarde la otra credencial (CIEC o e.firma) y repita la solicitud.',
    accion: 'credenciales',
  },
  SIN_RESOLVEDOR_DE_CAPTCHA: {
    causa:
      'Para entrar al portal del SAT con la CIEC hay que leer un captcha, y esta instalación no tiene quién lo lea.',
    remedio: 'Guarde la e.firma, que no necesita captcha, o pida al operador que configure un lector.',
    accion: 'credenciales',
  },
  PETICION_RECHAZADA: {
    causa: 'El SAT no entendió o no admitió lo que se le envió.',
    remedio: `${REPETIR} Si vuelve a ocurrir, avise al operador: puede que el SAT haya cambiado algo.`,
    accion: 'repetir',
  },
  HOST_NO_PERMITIDO: {
    causa: 'El SAT quiso enviar la consulta a una dirección que esta instalación no conoce, y no se siguió.',
    remedio: 'Avise al operador: solo él puede admitir direcciones nuevas del SAT.',
  },
  NO_RESPONDE: repeat('El SAT no contestó.'),
  TIEMPO_AGOTADO: repeat('El SAT tardó demasiado en contestar.'),
  RESPUESTA_ILEGIBLE: repeat('El SAT contestó algo que no se puede leer.'),
  SERVICIO_CON_ERROR: repeat('El servicio del SAT contestó que está fallando.'),
  OCUPADO: repeat('Había demasiadas consultas al SAT en ese momento.'),
  CORTACIRCUITOS_ABIERTO: repeat('El SAT venía fallando y se dejó de insistir por un rato.'),
  CAPTCHA_RECHAZADO: repeat('El portal del SAT no aceptó la lectura de su captcha.'),
  CANCELADA: repeat('La consulta se interrumpió antes de terminar.'),
};

/** A code of the SAT. */
export interface CodigoSat {
  /** What it says, in words that follow “el SAT”. */
  readonly significado: string;
  /** What the service does about it by itself. */
  readonly hace: string;
}

const MAS_TARDE = 'Pregunta otra vez más tarde, por sí solo.';
const TERMINA = 'La solicitud termina con SAT_RECHAZO_LA_SOLICITUD y su crédito devuelto.';
const OTRO_TOKEN =
  'Repite una vez con un token nuevo, porque el SAT también lo dice de e.firmas que sirven. Si insiste, deja de usar esa e.firma ahí hasta que se guarde otra vez y, con la CIEC guardada, sigue por el portal.';
const OTRO_PERIODO =
  'Mueve el periodo un segundo hacia afuera, que para el SAT es otra solicitud, y quita los renglones que sobran. Si tampoco así, SOLICITUDES_AGOTADAS.';
const OTRA_VEZ = 'Pide los mismos datos en una solicitud nueva; si vuelve a pasar, PAQUETE_SAT_AGOTADO.';

/** The SAT's own codes (`CodEstatus` of its web service for bulk download), in our words, with what is done about them. */
export const CODIGOS_SAT: Readonly<Record<string, CodigoSat>> = {
  '300': { significado: 'no reconoció al usuario', hace: 'Pide un token nuevo y repite una vez; después, más tarde.' },
  '301': {
    significado: 'no pudo leer la petición',
    hace: 'La solicitud termina con PETICION_RECHAZADA y su crédito devuelto.',
  },
  '302': {
    significado: 'no pudo leer el sello',
    hace: 'La solicitud termina con PETICION_RECHAZADA y su crédito devuelto.',
  },
  '303': { significado: 'el sello no es del RFC que pide', hace: OTRO_TOKEN },
  '304': { significado: 'el certificado está revocado o vencido', hace: OTRO_TOKEN },
  '305': { significado: 'el certificado no es válido', hace: OTRO_TOKEN },
  '404': { significado: 'falla que el SAT no explica', hace: MAS_TARDE },
  '5000': { significado: 'recibida', hace: 'Sigue.' },
  '5001': { significado: 'no autoriza a pedir por este RFC', hace: TERMINA },
  '5002': { significado: 'ya no admite solicitudes con estos criterios', hace: OTRO_PERIODO },
  '5003': {
    significado: 'son más CFDI de los que da en una solicitud',
    hace: 'Parte el periodo en otros más cortos, sin huecos ni repetidos, y los junta en el mismo ZIP.',
  },
  '5004': {
    significado: 'no encontró información',
    hace: 'Lo pregunta otra vez antes de creerlo, también por el otro medio si hay credencial; si nadie lo confirma, devuelve el crédito.',
  },
  '5005': { significado: 'ya tiene una solicitud igual', hace: OTRO_PERIODO },
  '5006': { significado: 'falla interna del SAT', hace: MAS_TARDE },
  '5007': { significado: 'el paquete ya no existe', hace: OTRA_VEZ },
  '5008': { significado: 'el paquete ya se entregó las veces que permite', hace: OTRA_VEZ },
  '5010': { significado: 'terminó, sin que el SAT publique qué más quiere decir', hace: 'Sigue, como con 5000.' },
  '5011': { significado: 'límite diario del SAT', hace: MAS_TARDE },
  '5012': { significado: 'no da XML de CFDI cancelados', hace: TERMINA },
};

/** A code of the SAT with what it means, as far as that is known. */
export function describeCodigo(codigo: string): string {
  const known = Object.hasOwn(CODIGOS_SAT, codigo) ? CODIGOS_SAT[codigo] : undefined;
  return known === undefined ? `código ${codigo}` : `código ${codigo}: ${known.significado}`;
}

/** Why it ended or waits; a code of a version to come is shown as it is. */
export function explain(motivo: string): Explicacion {
  if (Object.hasOwn(EXPLICACIONES, motivo)) return EXPLICACIONES[motivo as MotivoSolicitud];
  return repeat(`La solicitud terminó sin paquete (${motivo}).`);
}

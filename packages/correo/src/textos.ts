import type { EventoCorreo } from '@acuse/contract';
import type { Contenido } from './plantilla.ts';

type Dato = Readonly<Record<string, unknown>>;

/** A mail as the database has it, with what only its sender knows. */
export interface Correo {
  readonly tipo:
    | EventoCorreo
    | 'correo.verificar'
    | 'password.restablecer'
    | 'password.cambiada'
    | 'equipo.invitacion'
    | 'conexion.enlace';
  /** What it tells of; of many the first. */
  readonly datos: readonly Dato[];
  /** How many they are. */
  readonly cuantas: number;
  /** The token of its link and its end, where it has one. */
  readonly enlace: { readonly token: string; readonly venceEn: Date } | null;
  /** The panel, without a slash at the end. */
  readonly panelUrl: string;
}

const ZONA = 'America/Mexico_City';
const DIA = new Intl.DateTimeFormat('es-MX', { timeZone: ZONA, day: 'numeric', month: 'long', year: 'numeric' });
const DIA_CALENDARIO = new Intl.DateTimeFormat('es-MX', { timeZone: 'UTC', dateStyle: 'medium' });
const DIA_Y_HORA = new Intl.DateTimeFormat('es-MX', {
  timeZone: ZONA,
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
});
const NUMERO = new Intl.NumberFormat('es-MX');

/** A field of what happened, as text; empty where there is none. */
const textOf = (dato: Dato, name: string): string => {
  const value = dato[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};
/** A text that people of an account chose: no mail program makes a link of it. */
const plainOf = (dato: Dato, name: string): string =>
  textOf(dato, name).replace(/[.。．｡:/](?=[\p{L}\p{N}/])/gu, '$& ');
const dateOf = (dato: Dato, name: string, format = DIA): string => {
  const date = new Date(textOf(dato, name));
  return Number.isNaN(date.getTime()) ? '' : format.format(date);
};
const many = (n: number, one: string, more: string) => (n === 1 ? one : `${NUMERO.format(n)} ${more}`);
const dePrueba = (dato: Dato) => (dato['modo'] === 'test' ? ' (con una llave de prueba)' : '');

/** Sentence about a package with counterparties on an adverse list; empty when it has none. */
const adversas = (dato: Dato): string => {
  const n = Number(dato['contrapartes_adversas'] ?? 0);
  return n > 0
    ? `. ${textOf(dato, 'tipo') === 'emitidos' ? many(n, 'Un cliente está', 'clientes están') : many(n, 'Un proveedor está', 'proveedores están')} en una lista del SAT por algo en su contra`
    : '';
};

const solicitud = (dato: Dato) =>
  `${textOf(dato, 'rfc')}: CFDI ${textOf(dato, 'tipo')} del ${dateOf(dato, 'desde', DIA_CALENDARIO)} al ${dateOf(dato, 'hasta', DIA_CALENDARIO)}${dePrueba(dato)}${adversas(dato)}`;

/** What a notice says of one thing or of several. */
interface Aviso {
  readonly asunto: (cuantas: number) => string;
  readonly parrafo: (cuantas: number) => string;
  /** One thing, on a line. */
  readonly renglon: (dato: Dato) => string;
  /** Where in the panel: of one thing, or of several. */
  readonly accion: (first: Dato, cuantas: number) => { readonly texto: string; readonly path: string };
}

const haciaSolicitud: Aviso['accion'] = (first, cuantas) =>
  cuantas === 1
    ? { texto: 'Ver la solicitud', path: `/solicitudes/${encodeURIComponent(textOf(first, 'solicitud_id'))}` }
    : { texto: 'Ver las solicitudes', path: '/solicitudes' };
const haciaRfc =
  (texto: string, parte: string): Aviso['accion'] =>
  (first, cuantas) =>
    cuantas === 1
      ? { texto, path: `/rfcs/${encodeURIComponent(textOf(first, 'rfc'))}${parte}` }
      : { texto: 'Ver los RFC', path: '/rfcs' };

const AVISOS: Readonly<Record<EventoCorreo, Aviso>> = {
  'solicitud.terminada': {
    asunto: (n) => many(n, 'Su ZIP está listo', 'ZIP están listos'),
    parrafo: (n) =>
      n === 1
        ? 'El SAT entregó lo que pidió y su ZIP está listo para bajarlo en el panel.'
        : 'El SAT entregó lo que pidió y los ZIP están listos para bajarlos en el panel.',
    renglon: solicitud,
    accion: haciaSolicitud,
  },
  'solicitud.fallida': {
    asunto: (n) => many(n, 'Una solicitud terminó sin ZIP', 'solicitudes terminaron sin ZIP'),
    parrafo: (n) =>
      n === 1
        ? 'El SAT no entregó lo que pidió. Su crédito se devolvió; el panel dice por qué y qué hacer.'
        : 'El SAT no entregó lo que pidió. Sus créditos se devolvieron; el panel dice por qué y qué hacer.',
    renglon: solicitud,
    accion: haciaSolicitud,
  },
  'credencial.por_vencer': {
    asunto: (n) => many(n, 'Un certificado de e.firma está por vencer', 'certificados de e.firma están por vencer'),
    parrafo: () =>
      'Un certificado vencido no sirve para consultar al SAT. Renuévelo en el portal del SAT antes de esa fecha y guarde aquí el nuevo.',
    renglon: (dato) => `${textOf(dato, 'rfc')}: vence el ${dateOf(dato, 'vence_en')}${dePrueba(dato)}`,
    accion: haciaRfc('Ver sus credenciales', '/credenciales'),
  },
};

const PAPELES: Readonly<Record<string, string>> = {
  PROPIETARIO: 'propietario',
  CONTADOR: 'contador',
  DESARROLLADOR: 'desarrollador',
};

const NOTA_SEGURIDAD = 'Este correo llega siempre: cuida el acceso a su cuenta.';

/** What a mail says. Throws for one that needs a link and has none. */
export function contenidoDe({ tipo, datos, cuantas, enlace, panelUrl }: Correo): Contenido {
  const [first = {}] = datos;
  const linkTo = (path: string) => {
    if (enlace === null) throw new Error(`a mail of the kind ${tipo} has a link`);
    return { url: `${panelUrl}${path}?codigo=${enlace.token}`, hasta: DIA_Y_HORA.format(enlace.venceEn) };
  };
  if (tipo === 'correo.verificar') {
    const { url, hasta } = linkTo('/verificar');
    return {
      asunto: 'Confirme su correo en Acuse',
      parrafos: ['Alguien creó una cuenta de Acuse con este correo. Si fue usted, confírmelo.'],
      accion: { texto: 'Confirmar mi correo', url },
      notas: [
        `El enlace sirve una vez y vence el ${hasta}, hora del centro de México.`,
        'Si no fue usted, no haga nada: sin confirmarlo, la cuenta no sirve para nada.',
      ],
    };
  }
  if (tipo === 'password.restablecer') {
    const { url, hasta } = linkTo('/restablecer');
    const sirve = `El enlace sirve una vez y vence el ${hasta}, hora del centro de México. Al usarlo terminan las sesiones abiertas.`;
    if (first['registro'] === true)
      return {
        asunto: 'Ya hay una cuenta de Acuse con su correo',
        parrafos: [
          'Alguien quiso crear una cuenta de Acuse con este correo, y ya hay una. Si fue usted, entre con su contraseña; si no la recuerda o nunca confirmó su correo, elija otra con el enlace.',
        ],
        accion: { texto: 'Elegir otra contraseña', url },
        notas: [sirve, 'Si no fue usted, no haga nada: su cuenta sigue como estaba. No le dé este enlace a nadie.'],
      };
    return {
      asunto: 'Elija otra contraseña de Acuse',
      parrafos: ['Alguien pidió elegir otra contraseña para la cuenta de este correo. Si fue usted, siga el enlace.'],
      accion: { texto: 'Elegir otra contraseña', url },
      notas: [
        sirve,
        'Si no fue usted, no haga nada: su contraseña sigue siendo la misma. No le dé este enlace a nadie.',
      ],
    };
  }
  if (tipo === 'equipo.invitacion') {
    const { url, hasta } = linkTo('/invitacion');
    const cuenta = `«${plainOf(first, 'cuenta')}»`;
    return {
      asunto: 'Lo invitan a una cuenta de Acuse',
      parrafos: [
        `${textOf(first, 'persona')} lo invita a la cuenta ${cuenta} como ${PAPELES[textOf(first, 'papel')] ?? 'parte de ella'}.`,
        'Entre con su contraseña, o elija una si es la primera vez, y quedará en la cuenta.',
      ],
      accion: { texto: 'Ver la invitación', url },
      notas: [
        `El enlace sirve una vez, solo para este correo, y vence el ${hasta}, hora del centro de México.`,
        'Si no conoce a quien lo invita, no haga nada: nadie entra a ninguna parte sin usarlo. No le dé este enlace a nadie.',
      ],
    };
  }
  if (tipo === 'conexion.enlace') {
    if (enlace === null) throw new Error('a mail of a connection has a link');
    const quien = plainOf(first, 'solicitante');
    return {
      asunto: 'Le piden conectar su RFC',
      parrafos: [
        `«${quien}» le pide usar la contraseña del SAT (CIEC) de ${textOf(first, 'rfc')}. Para qué: ${plainOf(first, 'finalidad')}.`,
        'En la página verá quién la pide, para qué y hasta cuándo. Su navegador la cierra antes de enviarla: quien la pide no la ve, y usted puede retirar el permiso cuando quiera.',
      ],
      accion: { texto: 'Ver la petición', url: `${textOf(first, 'pagina')}${enlace.token}` },
      notas: [
        `El enlace vence el ${DIA_Y_HORA.format(enlace.venceEn)}, hora del centro de México. No se lo dé a nadie.`,
        'Si no conoce a quien la pide, no haga nada: sin su contraseña no se hace nada.',
      ],
    };
  }
  if (tipo === 'password.cambiada')
    return {
      asunto: 'Su contraseña de Acuse cambió',
      parrafos: [
        `La contraseña de su cuenta cambió el ${dateOf(first, 'en', DIA_Y_HORA)}, hora del centro de México, desde la dirección IP ${textOf(first, 'ip') || 'desconocida'}. Las demás sesiones terminaron.`,
        'Si no fue usted, elija otra contraseña ahora mismo y avise al operador del servicio.',
      ],
      accion: { texto: 'Elegir otra contraseña', url: `${panelUrl}/olvide` },
      notas: [NOTA_SEGURIDAD],
    };
  const aviso = AVISOS[tipo];
  const { texto, path } = aviso.accion(first, cuantas);
  const lines = datos.map(aviso.renglon);
  const left = cuantas - lines.length;
  return {
    asunto: aviso.asunto(cuantas),
    parrafos: [aviso.parrafo(cuantas)],
    lista: lines.length > 0 && left > 0 ? [...lines, `y ${NUMERO.format(left)} más`] : lines,
    accion: { texto, url: `${panelUrl}${path}` },
    notas: [`Recibe este aviso porque lo tiene activado. Elija cuáles quiere en ${panelUrl}/cuenta/correo.`],
  };
}

import { describeCodigo, explain, type MotivoPaqueteInvalido, type MotivoSatError, type TipoEvento } from '@acuse/core';
import type { EventoSolicitud, HitoSolicitud, PartesSolicitud } from '@acuse/db';
import type { Tono } from '@acuse/page/blocks';
import { mesCorto } from '@acuse/page/dia-mexico';
import { count, formatNumero } from '@acuse/page/formato';

/** One line of the timeline as people read it. */
export interface Renglon {
  readonly texto: string;
  /** What the SAT said or what belongs to it. */
  readonly detalle?: string;
  readonly tono: Tono | 'neutro';
}

/** What kept the SAT from answering; ends the sentence "El SAT no dio respuesta: …". */
const SIN_RESPUESTA: Readonly<Record<MotivoSatError, string>> = {
  NO_RESPONDE: 'no contestó',
  TIEMPO_AGOTADO: 'tardó demasiado en contestar',
  RESPUESTA_ILEGIBLE: 'contestó algo que no se puede leer',
  SERVICIO_CON_ERROR: 'su servicio contestó que está fallando',
  CORTACIRCUITOS_ABIERTO: 'viene fallando y se le dejó descansar antes de insistir',
  OCUPADO: 'tiene otras consultas en curso y ésta espera su lugar',
  CAPTCHA_RECHAZADO: 'no aceptó la lectura de su captcha',
  SIN_RESOLVEDOR_DE_CAPTCHA: 'pidió un captcha y no hay quién lo lea',
  CIEC_RECHAZADA: 'no aceptó la CIEC',
  EFIRMA_RECHAZADA: 'no aceptó la e.firma',
  CANAL_DESACTIVADO: 'el medio de consulta está desactivado',
  PETICION_RECHAZADA: 'no admitió la consulta',
  HOST_NO_PERMITIDO: 'envió a una dirección desconocida',
  CANCELADA: 'la consulta se interrumpió',
};

/** Faults of a package of the SAT. */
const PAQUETE_INVALIDO: Readonly<Record<MotivoPaqueteInvalido, string>> = {
  NO_ES_ZIP: 'no es un ZIP que se pueda abrir',
  TRUNCADO: 'llegó incompleto',
  CRC: 'su contenido no coincide con su suma de control',
  DEMASIADO_GRANDE: 'es más grande de lo que se admite',
  SIN_METADATA: 'no trae ningún archivo de metadata',
  COLUMNAS: 'no trae las columnas que debe',
  FILA: 'trae un renglón que no se entiende',
  AUSENTE: 'ya no está en el almacén',
};

/** `2024-01-31T23:59:59` as `31 ene 2024, 23:59:59`; the seconds tell the parts of a divided period apart. */
function momentOf(wall: string): string {
  const [, year, month = '', day, time] = /^(\d{4})-(\d{2})-(\d{2})T(.+)$/.exec(wall) ?? [];
  return year === undefined ? wall : `${Number(day)} ${mesCorto(month)} ${year}, ${time}`;
}

/** `<inicio>/<fin>` as it is noted with an event. */
function periodOf(detalle: string | null): string {
  const [inicio, fin] = (detalle ?? '').split('/');
  return inicio && fin ? `del ${momentOf(inicio)} al ${momentOf(fin)}` : 'pedido';
}

type Evento = Pick<EventoSolicitud, 'codigo' | 'detalle'>;

const said = ({ codigo, detalle }: Evento) =>
  [codigo === null ? '' : describeCodigo(codigo), detalle ?? ''].filter(Boolean).join('. ');

const withDetail = (renglon: Renglon, detalle: string): Renglon => (detalle === '' ? renglon : { ...renglon, detalle });

function ending(evento: Evento, texto: string): Renglon {
  const detalle = [
    evento.detalle === null ? '' : explain(evento.detalle).causa,
    evento.codigo === null ? '' : `El SAT dijo: ${codeOf(evento.codigo)}.`,
  ];
  return withDetail({ texto, tono: 'error' }, detalle.filter(Boolean).join(' '));
}

/** Code of an end: the SAT's code, or the fault of its package. */
function codeOf(codigo: string): string {
  if (Object.hasOwn(PAQUETE_INVALIDO, codigo)) return `el paquete ${PAQUETE_INVALIDO[codigo as MotivoPaqueteInvalido]}`;
  return Object.hasOwn(SIN_RESPUESTA, codigo) ? SIN_RESPUESTA[codigo as MotivoSatError] : describeCodigo(codigo);
}

function finished(count: number): string {
  if (count === 0) return 'Terminó: no hay CFDI en el periodo. El ZIP trae los encabezados.';
  return Number.isSafeInteger(count)
    ? `Terminó: el ZIP tiene ${formatNumero(count)} CFDI.`
    : 'Terminó: el ZIP está listo.';
}

/** How it goes on after a change of channel; `canal` is the new one. */
const siguePor = (canal: string | null) =>
  `se sigue desde el principio con ${canal === 'portal' ? 'la CIEC en su portal' : 'la e.firma en su servicio web'}`;

const RENGLONES: Readonly<Record<TipoEvento, (evento: Evento) => Renglon>> = {
  ACEPTADA: () => ({ texto: 'Empezó el trabajo: quedó listo el periodo que se pedirá al SAT.', tono: 'neutro' }),
  SOLICITADA: ({ codigo, detalle }) =>
    withDetail(
      { texto: `El SAT aceptó la petición ${periodOf(detalle)}.`, tono: 'info' },
      codigo === null ? '' : `Folio del SAT: ${codigo}`,
    ),
  CUOTA_DEL_DIA: () => ({
    texto: 'El portal del SAT ya dio hoy los XML que da por día a este RFC: se sigue mañana.',
    tono: 'alerta',
  }),
  XML_SIN_ENTREGA: ({ codigo, detalle }) =>
    withDetail(
      {
        texto:
          detalle === 'portal'
            ? 'El servicio web del SAT no entregó los XML de un periodo: se piden a su portal.'
            : `El SAT no entregó los XML ${periodOf(detalle)}: el ZIP dirá cuáles faltan.`,
        tono: 'alerta',
      },
      codigo === null ? '' : describeCodigo(codigo),
    ),
  CAPSULA_HECHA: () => ({
    texto: 'La e.firma firmó de antemano lo que hace falta para seguir sin su llave, a lo más 72 horas.',
    tono: 'neutro',
  }),
  SIN_CFDI: ({ detalle }) => ({
    texto:
      detalle === null
        ? 'El SAT contestó que no hay CFDI en el periodo.'
        : `El SAT contestó que no hay CFDI en el periodo ${periodOf(detalle)}.`,
    tono: 'info',
  }),
  VACIA_POR_CONFIRMAR: ({ detalle }) => ({
    texto: `El SAT a veces dice por error que no hay CFDI: se le preguntará otra vez, por su ${
      detalle === 'portal' ? 'portal' : 'servicio web'
    }.`,
    tono: 'neutro',
  }),
  VACIA_CONFIRMADA: () => ({
    texto: 'El portal y el servicio web del SAT dijeron lo mismo: no hay CFDI en el periodo.',
    tono: 'info',
  }),
  VACIA_SIN_CONFIRMAR: () => ({ texto: 'Nadie más pudo confirmar que no hay CFDI en el periodo.', tono: 'alerta' }),
  REPETIDA: (evento) =>
    withDetail(
      { texto: 'El SAT ya tenía una petición igual; se pedirá con un segundo de diferencia.', tono: 'alerta' },
      said(evento),
    ),
  DIVIDIDA: ({ detalle }) => ({
    texto: `El periodo ${periodOf(detalle)} tiene más CFDI de los que el SAT da de una vez: se dividió y sigue por partes.`,
    tono: 'info',
  }),
  SAT_EN_PROCESO: () => ({ texto: 'Se preguntó al SAT: todavía lo está preparando.', tono: 'neutro' }),
  SAT_TERMINADA: ({ detalle }) => {
    const ready = Number(detalle);
    const paquetes = count(Number.isSafeInteger(ready) ? ready : 0, 'paquete', 'paquetes');
    return { texto: `El SAT terminó de preparar: hay ${paquetes} por copiar.`, tono: 'info' };
  },
  SAT_SIN_RESPUESTA: ({ codigo, detalle }) => {
    const motivo =
      detalle !== null && Object.hasOwn(SIN_RESPUESTA, detalle)
        ? SIN_RESPUESTA[detalle as MotivoSatError]
        : 'no contestó';
    const code = codigo === null || codigo === detalle ? '' : describeCodigo(codigo);
    return withDetail({ texto: `El SAT no dio respuesta: ${motivo}. Se intentará de nuevo.`, tono: 'error' }, code);
  },
  REENVIADA: (evento) =>
    withDetail({ texto: 'El SAT abandonó la petición; se le pedirá de nuevo.', tono: 'alerta' }, said(evento)),
  OTRO_CANAL: ({ codigo, detalle }) => ({
    texto: `El SAT rechazó ${detalle === 'portal' ? 'la e.firma en su servicio web' : 'la CIEC'}; ${siguePor(detalle)}.`,
    ...(codigo === null ? {} : { detalle: describeCodigo(codigo) }),
    tono: 'alerta',
  }),
  CANAL_CAIDO: ({ codigo, detalle }) =>
    withDetail(
      {
        texto: `El ${detalle === 'portal' ? 'servicio web' : 'portal'} del SAT no da respuesta; ${siguePor(detalle)}.`,
        tono: 'alerta',
      },
      codigo === null ? '' : `Lo último: ${codeOf(codigo)}.`,
    ),
  SIN_EFIRMA: ({ detalle }) => ({
    texto: `Se cumplió la hora de la llave de la e.firma; ${siguePor(detalle)}.`,
    tono: 'alerta',
  }),
  PAQUETE_GUARDADO: ({ codigo }) =>
    withDetail({ texto: 'Se copió un paquete del SAT.', tono: 'info' }, codigo === null ? '' : `Paquete ${codigo}`),
  PAQUETE_ILEGIBLE: ({ codigo, detalle }) => {
    const why =
      codigo !== null && Object.hasOwn(PAQUETE_INVALIDO, codigo)
        ? PAQUETE_INVALIDO[codigo as MotivoPaqueteInvalido]
        : null;
    return withDetail(
      { texto: 'Un paquete del SAT no se pudo leer; se bajará otra vez.', tono: 'error' },
      [detalle === null ? '' : `Paquete ${detalle}`, why ?? ''].filter(Boolean).join(': '),
    );
  },
  FALLO_INTERNO: ({ codigo }) =>
    withDetail(
      { texto: 'Un paso falló de nuestro lado. Se intentará de nuevo.', tono: 'error' },
      codigo === null ? '' : `Para el operador: ${codigo}`,
    ),
  ESPERA_EFIRMA: () => ({
    texto: 'Se cumplió la hora de la llave de la e.firma: la solicitud espera a que la guarde otra vez.',
    tono: 'alerta',
  }),
  REANUDADA: () => ({ texto: 'Se guardó la llave de la e.firma: la solicitud sigue donde se quedó.', tono: 'info' }),
  TERMINADA: ({ detalle }) => ({ texto: finished(Number(detalle)), tono: 'exito' }),
  ERROR: (evento) => ending(evento, 'Terminó sin paquete.'),
  RECHAZADA: (evento) => ending(evento, 'El SAT la rechazó.'),
  VENCIDA: (evento) => ending(evento, 'Venció el plazo sin que el SAT entregara todo.'),
  CANCELADA: () => ({ texto: 'Se canceló a petición de su dueño.', tono: 'neutro' }),
};

/**
 * An event as a sentence. An unknown event of a later version shows its name; it is not called progress, since it may
 * be a failure.
 */
export function describeEvento(evento: Evento & { readonly tipo: string; readonly veces?: number }): Renglon {
  const { tipo, veces = 1 } = evento;
  if (Object.hasOwn(RENGLONES, tipo)) {
    const renglon = RENGLONES[tipo as TipoEvento](evento);
    return veces === 1 ? renglon : { ...renglon, texto: `${renglon.texto} (${formatNumero(veces)} veces seguidas)` };
  }
  const texto = 'Pasó algo que esta versión del panel todavía no describe.';
  return { texto, detalle: [`Clave: ${evento.tipo}`, said(evento)].filter(Boolean).join('. '), tono: 'neutro' };
}

/** `23 de 24 meses copiados`: how much of what the SAT was asked for is in our storage. */
export function describePartes({ unidad, total, listas }: PartesSolicitud): string {
  const [una, varias] = unidad === 'mes' ? ['mes', 'meses'] : ['parte', 'partes'];
  const [cosa, hecha] = [total === 1 ? una : varias, unidad === 'mes' ? 'copiado' : 'copiada'];
  return `${formatNumero(listas)} de ${formatNumero(total)} ${cosa} ${total === 1 ? hecha : `${hecha}s`}`;
}

/** Sentences for several events of a kind; other kinds repeat their sentence with a count. */
const JUNTOS: Readonly<Partial<Record<TipoEvento, (veces: string) => string>>> = {
  SOLICITADA: (veces) => `El SAT aceptó ${veces} peticiones.`,
  SIN_CFDI: (veces) => `El SAT contestó que en ${veces} periodos no hay CFDI.`,
  REPETIDA: (veces) => `El SAT ya tenía ${veces} peticiones iguales; se pidieron con un segundo de diferencia.`,
  DIVIDIDA: (veces) => `${veces} periodos tenían más CFDI de los que el SAT da de una vez: se dividieron.`,
  SAT_EN_PROCESO: (veces) => `Se preguntó al SAT ${veces} veces mientras preparaba lo pedido.`,
  SAT_TERMINADA: (veces) => `El SAT terminó de preparar ${veces} peticiones.`,
  REENVIADA: (veces) => `El SAT abandonó ${veces} peticiones; se le pidieron de nuevo.`,
};

const isTold = (tipo: string): tipo is keyof typeof JUNTOS => Object.hasOwn(JUNTOS, tipo);

/** A step of the timeline as people read it: one event, or all of its kind in one sentence. */
export function describeMilestone(hito: HitoSolicitud, partes: PartesSolicitud): Renglon {
  const { tipo, veces } = hito;
  const renglon = describeEvento({ ...hito, veces: 1 });
  if (tipo === 'PAQUETE_GUARDADO') {
    const paquetes = count(veces, 'paquete', 'paquetes');
    return { texto: `${describePartes(partes)}.`, detalle: `${paquetes} del SAT`, tono: renglon.tono };
  }
  if (veces === 1) return renglon;
  const sentence = isTold(tipo) ? JUNTOS[tipo] : undefined;
  if (sentence) return { texto: sentence(formatNumero(veces)), tono: renglon.tono };
  return { ...renglon, texto: `${renglon.texto} Pasó ${formatNumero(veces)} veces; esta fue la última.` };
}

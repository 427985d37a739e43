import { type Notificacion, SatError } from '@acuse/core';
import { readFecha } from '../../fechas.ts';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { SatHttp, SatHttpRequest } from '../../http/sat-http.ts';
import { assertCleanText, compare, ilegible, toForma, toLabel } from '../../texto.ts';
import type { PageClient } from '../page-client.ts';
import { type Etiqueta, isEntera, readTags, readTexto } from '../paginas/etiquetas.ts';
import { assertRfcNombrado } from '../paginas/pagina-portal.ts';
import { addOnce, type Fila, filasSinAviso, findColumns, readTablas, type Tabla } from '../paginas/tablas.ts';
import type { ConsultaPortal, Portal } from '../portal.ts';
import { signIn } from '../sesion/log-in.ts';
import { askFor } from '../sesion/sesion-vencida.ts';

export const HOST_NOTIFICACIONES = 'agr.siat.sat.gob.mx';
/** The one page of the mailbox that may be asked for. */
export const LISTA_NOTIFICACIONES: DireccionSat = {
  host: HOST_NOTIFICACIONES,
  path: '/PTSC/notificacionElectronica/faces/Pages/principalNotificaciones.jsf',
};

/** Where the host's own log-in lives: the session broker and the assertion consumer of SAML. */
const ACCESO = /^\/(?:app\/seg|cloudc\/saml2|cloudc\/saml2slo|saml2\/sp)(?:\/|$)/;
/** What the broker adds to the page's address on the way back. */
const SOLO_DEL_BROKER = new Set(['parametro', 'idSessionBit']);

/**
 * The HTTP layer of the log-in: on the host of the notifications it lets nothing pass but the log-in itself and the GET
 * of the list. Opening a notification makes the taxpayer count as notified (article 134 of the Código Fiscal de la
 * Federación), so a redirect or a form that would do it is refused here, whatever page it is on: PETICION_RECHAZADA.
 */
export function guardHttp(http: SatHttp): SatHttp {
  return {
    ...http,
    request<E extends 'text' | 'stream'>(peticion: SatHttpRequest<E>) {
      if (peticion.host === HOST_NOTIFICACIONES && !isPermitida(peticion)) return Promise.reject(rejectOpening());
      return http.request(peticion);
    },
  };
}

function isPermitida({ method, path }: SatHttpRequest): boolean {
  const [camino = '', query = ''] = path.split('?');
  if (camino.includes('..') || camino.includes('%')) return false;
  if (ACCESO.test(camino)) return true;
  const propia = [...new URLSearchParams(query).keys()].every((clave) => SOLO_DEL_BROKER.has(clave));
  return method === 'GET' && camino === LISTA_NOTIFICACIONES.path && propia;
}

/**
 * A browser that can do one thing: GET the list, once, without going anywhere from it. Everything else is
 * PETICION_RECHAZADA.
 */
export function createListOnlyClient(pageClient: PageClient): PageClient {
  const { resolve, cookies, signal } = pageClient;
  return {
    open: () => Promise.reject(rejectOpening()),
    submit: () => Promise.reject(rejectOpening()),
    resolve,
    cookies,
    signal,
    request(peticion) {
      const { host, path, method, body } = peticion;
      const lista = host === LISTA_NOTIFICACIONES.host && path === LISTA_NOTIFICACIONES.path;
      if (!lista || method !== 'GET' || body !== undefined) return Promise.reject(rejectOpening());
      return pageClient.request(peticion);
    },
    withSignal: (other) => createListOnlyClient(pageClient.withSignal(other)),
  };
}

function rejectOpening(): SatError {
  return new SatError('PETICION_RECHAZADA', { detalle: 'una notificación no se abre: solo se pide la lista' });
}

const HOST_ACCESO = 'login.siat.sat.gob.mx';
/**
 * The session broker asks for the log-in and comes back to the list (luffynando/sat-scrapers-auth,
 * src/Portals/SatAgrPortal.php).
 */
const ENTRY = {
  host: HOST_NOTIFICACIONES,
  path: `/app/seg/SessionBroker?url=${LISTA_NOTIFICACIONES.path}&parametro=c&idSessionBit=null`,
};

/** The electronic notifications of the mailbox. Its log-in may reach the list and no other page: see `guardHttp`. */
const PORTAL_NOTIFICACIONES: Portal = {
  nombre: 'notificaciones',
  guard: guardHttp,
  async enter(login) {
    const pagina = await signIn(login, ENTRY, HOST_ACCESO);
    assertRfcNombrado(pagina.etiquetas, login.credencial.rfc, false);
  },
  salida: { host: HOST_ACCESO, path: '/nidp/app/plogout' },
};

/**
 * Lists the notifications that wait, with one GET of the page that lists them. No link, button or form of that page is
 * ever followed, and the browser used here cannot: to open one has legal effect.
 */
export const listarNotificaciones: ConsultaPortal<'listar-notificaciones'> = {
  portal: PORTAL_NOTIFICACIONES,
  credenciales: ['ciec', 'efirma'],
  origen: { servidor: 'login.siat y agr.siat.sat.gob.mx', fuentes: ['luffynando/sat-scrapers-auth'] },
  async ask(pageClient, { rfc }) {
    const lista = createListOnlyClient(pageClient);
    const etiquetas = readTags(await askFor(lista, { ...LISTA_NOTIFICACIONES, method: 'GET' }));
    assertRfcNombrado(etiquetas, rfc, true);
    return { notificaciones: readNotificaciones(etiquetas) };
  },
};

const LABELS = {
  folio: [/\bfolio\b/],
  autoridad: [/\bautoridad\b/],
  asunto: [/^(?:tipo de )?acto(?: administrativo)?$/],
  fecha: [/^fecha(?: de(?:l)? (?:aviso|notificacion))?$/],
} as const;
type Columna = keyof typeof LABELS;
const NOMBRES = Object.keys(LABELS) as Columna[];

const NO_HAY =
  /\b(?:no (?:se )?(?:encontr\w+|exist\w+|hay|cuenta con|tiene|tienes)|sin) (?:\w+ ){0,3}(?:notificacion\w*|registros?|actos?|resultados?|datos)\b/;
const MAX_TEXTO = 500;

/**
 * Reads the list of notifications that wait, by the names of its columns: folio, authority, act and date of the notice.
 * A table of those already notified is left out. That none waits is believed when the page says so in words, and when
 * all that it lists was notified. Throws RESPUESTA_ILEGIBLE for a page that was cut, has no such table, has a row that
 * does not fit, or shows one page of several.
 */
export function readNotificaciones(etiquetas: readonly Etiqueta[]): readonly Notificacion[] {
  if (!isEntera(etiquetas)) throw ilegible('notificaciones: página incompleta');
  const listas = readTablas(etiquetas).flatMap((tabla) => {
    const columnas = columnasDe(tabla);
    return columnas === null ? [] : [{ tabla, columnas, notificada: isNotificada(tabla, columnas) }];
  });
  const pendientes = listas.filter(({ notificada }) => !notificada);
  const notificadas =
    pendientes.length > 0 ? 0 : sum(listas.map(({ tabla }) => filasSinAviso(tabla, diceQueNoHay).length));
  const notificaciones = new Map<string, Notificacion>();
  for (const { tabla, columnas } of pendientes) {
    if (!tabla.completa) throw ilegible('notificaciones: tabla incompleta');
    for (const celdas of filasSinAviso(tabla, diceQueNoHay)) {
      const notificacion = toNotificacion(celdas, columnas);
      addOnce(notificaciones, notificacion.folio, notificacion);
    }
  }
  assertOnePage(etiquetas, notificaciones.size + notificadas);
  if (notificaciones.size === 0 && notificadas === 0 && !diceQueNoHay(readTexto(etiquetas))) {
    throw ilegible('notificaciones: sin lista');
  }
  return [...notificaciones.values()].toSorted((a, b) => compare(b.fecha, a.fecha) || compare(a.folio, b.folio));
}

const sum = (numeros: readonly number[]) => numeros.reduce((total, numero) => total + numero, 0);
const diceQueNoHay = (texto: string) => NO_HAY.test(toForma(texto));

interface Columnas {
  readonly total: number;
  readonly indices: ReadonlyMap<Columna, number>;
  readonly textoFecha: string;
}

/** Null for a table about something else. */
function columnasDe({ encabezados }: Tabla): Columnas | null {
  for (const celdas of encabezados) {
    const labels = celdas.map(({ texto }) => toLabel(texto));
    const indices = findColumns({ labels }, LABELS);
    if (NOMBRES.some((columna) => !indices.has(columna))) {
      if (indices.has('folio') && (indices.has('autoridad') || indices.has('asunto')))
        throw ilegible('notificaciones: columnas');
      continue;
    }
    if (celdas.some(({ ancho }) => ancho !== 1)) throw ilegible('notificaciones: columnas unidas');
    if (new Set(indices.values()).size < NOMBRES.length) throw ilegible('notificaciones: columnas');
    return { total: celdas.length, indices, textoFecha: labels[indices.get('fecha') ?? -1] ?? '' };
  }
  return null;
}

/** A list of acts already notified has the date of that instead of the notice's, or says so in its caption. */
function isNotificada({ titulo }: Tabla, { textoFecha }: Columnas): boolean {
  const caption = toForma(titulo);
  if (/\bpendientes?\b/.test(caption)) return false;
  return /\bnotificad[oa]s?\b/.test(caption) || textoFecha.includes('notificacion');
}

function toNotificacion(celdas: Fila, { total, indices }: Columnas): Notificacion {
  if (celdas.length !== total) throw ilegible('notificaciones: fila con otras columnas');
  const texto = (columna: Columna) => {
    const valor = celdas[indices.get(columna) ?? -1]?.texto ?? '';
    assertCleanText(valor);
    if (valor === '' || valor.length > MAX_TEXTO) throw ilegible(`notificaciones: ${columna} vacía`);
    return valor;
  };
  const fecha = readFecha(texto('fecha'));
  if (fecha === null) throw ilegible('notificaciones: fecha del aviso');
  return { folio: texto('folio'), autoridad: texto('autoridad'), asunto: texto('asunto'), fecha };
}

/**
 * Another page of the list would take a postback, which is never sent: a list in several pages cannot be read whole.
 */
function assertOnePage(etiquetas: readonly Etiqueta[], leidas: number): void {
  let numeradas = 0;
  for (const etiqueta of etiquetas) {
    if (etiqueta.closes) continue;
    if (etiqueta.nombre === 'script') {
      const total = /\browCount\s*:\s*(\d{1,9})/.exec(etiqueta.texto)?.[1];
      if (total !== undefined && Number(total) > leidas) throw ilegible('notificaciones: hay más páginas');
    }
    const clase = etiqueta.attrs.get('class') ?? '';
    const numerada = etiqueta.nombre === 'a' && /^(?:[2-9]|\d{2,4})$/.test(readTexto([etiqueta]));
    if (/\bui-paginator-page\b/.test(clase)) numeradas += 1;
    else if (numerada) numeradas += 2;
  }
  if (numeradas > 1) throw ilegible('notificaciones: hay más páginas');
}

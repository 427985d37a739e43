import { type Filtros, type Periodo, SatError, type TipoDescarga } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import { ilegible } from '../../texto.ts';
import { isUnDia } from '../busqueda/gather.ts';
import type { PageClient } from '../page-client.ts';
import { type Etiqueta, isVisible, readTags } from '../paginas/etiquetas.ts';
import { encodeForm, readCampos, readForms } from '../paginas/formulario.ts';
import { openPage } from '../portal-cfdi.ts';
import { askFor, SesionVencida } from '../sesion/sesion-vencida.ts';
import { HOST_PORTAL } from '../settings.ts';

const C = 'ctl00$MainContent$';
const PANEL = `${C}UpnlBusqueda`;

/** What the search page is asked. */
interface Busqueda {
  readonly tipo: TipoDescarga;
  readonly rfc: string;
  /** See `readPeriodo`. Received CFDI over several days are asked for by their whole month. */
  readonly periodo: Periodo;
  /** Absent: `todos`. */
  readonly estado?: keyof typeof ESTADOS;
  /** RFC of the only counterpart. Absent: any. */
  readonly contraparte?: string;
  /** Absent: any, and none. */
  readonly complemento?: Filtros['complemento'];
}

/** Values of the list `DdlEstadoComprobante` (phpcfdi/cfdi-sat-scraper, StatesVoucherOption). */
const ESTADOS = { todos: '-1', CANCELADO: '0', VIGENTE: '1' } as const;

/** Values of the list `ddlComplementos` (the same, ComplementsOption), by the names of the web service. */
const COMPLEMENTOS: Readonly<Record<NonNullable<Filtros['complemento']>, string>> = {
  acreditamientoieps10: '4294967296',
  aerolineas: '8388608',
  cartaporte10: '70368744177664',
  cartaporte20: '140737488355328',
  certificadodedestruccion: '1073741824',
  comercioexterior10: '17179869184',
  comercioexterior11: '274877906944',
  consumodecombustibles: '16777216',
  consumodecombustibles11: '8796093022208',
  detallista: '32',
  divisas: '4',
  donat11: '64',
  ecc11: '8589934592',
  ecc12: '4398046511104',
  gastoshidrocarburos10: '17592186044416',
  iedu: '1024',
  implocal: '2048',
  ine11: '68719476736',
  ingresoshidrocarburos: '35184372088832',
  leyendasfisc: '4096',
  nomina11: '1048576',
  nomina12: '137438953472',
  notariospublicos: '67108864',
  obrasarteantiguedades: '536870912',
  pagoenespecie: '4194304',
  pagos10: '549755813888',
  pagos20: '1125899906842624',
  pfic: '8192',
  renovacionysustitucionvehiculos: '2147483648',
  servicioparcialconstruccion: '268435456',
  spei: '16384',
  terceros11: '32768',
  turistapasajeroextranjero: '16',
  valesdedespensa: '33554432',
  vehiculousado: '134217728',
  ventavehiculos11: '2097152',
};

/** The search page of each side (phpcfdi/cfdi-sat-scraper, src/URLS.php). */
export function direccionDe(tipo: TipoDescarga): DireccionSat {
  return { host: HOST_PORTAL, path: tipo === 'emitidos' ? '/ConsultaEmisor.aspx' : '/ConsultaReceptor.aspx' };
}

/**
 * Searches as a browser does, in three steps: the page, the choice of the date filter, the search button; the last two
 * as partial postbacks whose answers replace panels and hidden fields (phpcfdi/cfdi-sat-scraper,
 * src/Internal/QueryResolver.php, src/Inputs). Each search begins with the page, as in every public client: that a
 * second one may go on from the state of the first is not known.
 */
export async function search(pageClient: PageClient, busqueda: Busqueda): Promise<readonly RegistroDelta[]> {
  const direccion = direccionDe(busqueda.tipo);
  const pagina = await openPage(pageClient, direccion, busqueda.rfc);
  const formulario = readForms(pagina.etiquetas)
    .map((f) => readCampos(f.etiquetas))
    .find((campos) => campos.has('__VIEWSTATE'));
  if (formulario === undefined) throw ilegible('busqueda: sin formulario');

  const porFechas = new Map([...formulario, ...postback('RdoFechas')]);
  porFechas.set('__EVENTTARGET', `${C}RdoFechas`);
  const eleccion = await post(pageClient, direccion, porFechas);
  if (!eleccion.some((r) => r.tipo === 'hiddenField' && r.id === '__VIEWSTATE')) {
    throw ilegible('busqueda: sin __VIEWSTATE');
  }

  const fields = new Map([
    ...formulario,
    ...eleccion.flatMap(camposNuevos),
    ...postback('BtnBusqueda'),
    ...camposDeBusqueda(busqueda),
  ]);
  fields.set(`${C}BtnBusqueda`, 'Buscar CFDI');
  return post(pageClient, direccion, fields);
}

async function post(
  pageClient: PageClient,
  direccion: DireccionSat,
  campos: ReadonlyMap<string, string>,
): Promise<readonly RegistroDelta[]> {
  const texto = await askFor(pageClient, {
    ...direccion,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      'x-microsoftajax': 'Delta=true',
      'x-requested-with': 'XMLHttpRequest',
    },
    body: encodeForm(campos),
  });
  const delta = parseDelta(texto);
  // A partial postback never redirects by status unless the log-in module does, and otherwise so.
  if (delta.some((r) => r.tipo === 'pageRedirect')) throw new SesionVencida();
  if (delta.some((r) => r.tipo === 'error')) throw new SatError('SERVICIO_CON_ERROR', { codigo: 'AJAX' });
  return delta;
}

/** A piece of the page that an answer replaces. */
export interface Panel {
  readonly id: string;
  readonly etiquetas: readonly Etiqueta[];
}

export function readPaneles(delta: readonly RegistroDelta[]): readonly Panel[] {
  const paneles = delta.filter(({ tipo }) => tipo === 'updatePanel');
  return paneles.map(({ id, contenido }) => ({ id, etiquetas: readTags(contenido) }));
}

const UUID_SOLO = /^\s*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*$/i;

/**
 * The results panel of `ConsultaEmisor.aspx` or `ConsultaReceptor.aspx`, null when the search found nothing. That is
 * believed only when the portal shows its own panel that says so, shows no results panel and lists no folio. Throws
 * RESPUESTA_ILEGIBLE for anything in between.
 */
export function readPanelResultados(paneles: readonly Panel[]): readonly Etiqueta[] | null {
  const [panel, otro] = paneles.filter(({ id }) => id.endsWith('_UpnlResultados'));
  if (panel === undefined || otro !== undefined) throw ilegible('busqueda: sin panel de resultados');
  const { etiquetas } = panel;
  const muestraFilas = isVisible(etiquetas, /_PnlResultados$/);
  if (muestraFilas === isVisible(etiquetas, /_PnlNoResultados$/)) throw ilegible('busqueda: paneles contradictorios');
  if (muestraFilas) return etiquetas;
  if (hasFolios(etiquetas)) throw ilegible('busqueda: folios sin resultados');
  return null;
}

/** Whether a results panel lists a folio, in a text or in the box `ListaFolios` that each row has. */
export function hasFolios(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some((e) => isSelection(e) || UUID_SOLO.test(e.texto));
}

/** The box `ListaFolios` of a row, which holds its folio. */
export function isSelection({ nombre, attrs }: Etiqueta): boolean {
  return nombre === 'input' && attrs.get('name') === 'ListaFolios';
}

/** What every partial postback carries; the named control is the one that caused it. */
function postback(control: 'RdoFechas' | 'BtnBusqueda'): Array<[string, string]> {
  return [
    ['__ASYNCPOST', 'true'],
    ['__EVENTTARGET', ''],
    ['__EVENTARGUMENT', ''],
    ['__LASTFOCUS', ''],
    [`${C}FiltroCentral`, 'RdoFechas'],
    ['ctl00$ScriptManager1', `${PANEL}|${C}${control}`],
  ];
}

function camposNuevos({ tipo, id, contenido }: RegistroDelta): Array<[string, string]> {
  if (tipo === 'hiddenField') return [[id, contenido]];
  return tipo === 'updatePanel' ? [...readCampos(readTags(contenido))] : [];
}

/** The filters, and the dates in the form that each page has. */
function camposDeBusqueda(busqueda: Busqueda): Array<[string, string]> {
  const { tipo, periodo, estado = 'todos', contraparte = '', complemento } = busqueda;
  const ends = readPeriodo(tipo, periodo);
  const filtros: Array<[string, string]> = [
    [`${C}DdlEstadoComprobante`, ESTADOS[estado]],
    [`${C}ddlComplementos`, complemento === undefined ? '-1' : COMPLEMENTOS[complemento]],
    // The page of received CFDI calls its box of the issuer so, too.
    [`${C}TxtRfcReceptor`, contraparte],
    [`${C}TxtRfcTercero`, ''],
    [`${C}TxtUUID`, ''],
    [`${C}hfInicialBool`, 'false'],
  ];
  if (tipo === 'emitidos') {
    return [
      ...filtros,
      ...camposDeFecha('CldFechaInicial2', 'hfInicial', ends.inicio),
      ...camposDeFecha('CldFechaFinal2', 'hfFinal', ends.fin),
    ];
  }
  // Inside of one day with begin and end time; otherwise the whole month.
  const dia = isUnDia(periodo);
  const desde = dia ? ends.inicio : { hora: 0, minuto: 0, segundo: 0 };
  const hasta = dia ? ends.fin : { hora: 23, minuto: 59, segundo: 59 };
  return [
    ...filtros,
    [`${C}CldFecha$DdlAnio`, String(ends.inicio.anio)],
    [`${C}CldFecha$DdlMes`, String(ends.inicio.mes)],
    // Day 0 is the whole month.
    [`${C}CldFecha$DdlDia`, dia ? pad(ends.inicio.dia) : '0'],
    [`${C}CldFecha$DdlHora`, String(desde.hora)],
    [`${C}CldFecha$DdlMinuto`, String(desde.minuto)],
    [`${C}CldFecha$DdlSegundo`, String(desde.segundo)],
    [`${C}CldFecha$DdlHoraFin`, String(hasta.hora)],
    [`${C}CldFecha$DdlMinutoFin`, String(hasta.minuto)],
    [`${C}CldFecha$DdlSegundoFin`, String(hasta.segundo)],
  ];
}

function camposDeFecha(control: string, campoAnio: string, i: Instante): Array<[string, string]> {
  return [
    [`${C}${campoAnio}`, String(i.anio)],
    [`${C}${control}$Calendario_text`, `${pad(i.dia)}/${pad(i.mes)}/${i.anio}`],
    [`${C}${control}$DdlHora`, String(i.hora)],
    [`${C}${control}$DdlMinuto`, String(i.minuto)],
    [`${C}${control}$DdlSegundo`, String(i.segundo)],
  ];
}

function pad(numero: number): string {
  return String(numero).padStart(2, '0');
}

type Instante = ReturnType<typeof readInstant>;

/**
 * Both ends of a period the portal can be asked for. Throws RangeError for what no caller may ask: an end that is no
 * `yyyy-MM-ddTHH:mm:ss` instant, ends in the wrong order, or received CFDI over two calendar months (the portal's
 * page takes one day or one month, so the caller divides).
 */
export function readPeriodo(tipo: TipoDescarga, periodo: Periodo): { inicio: Instante; fin: Instante } {
  const inicio = readInstant(periodo.inicio);
  const fin = readInstant(periodo.fin);
  if (periodo.inicio > periodo.fin) throw new RangeError('The period ends before it begins');
  if (tipo === 'recibidos' && (inicio.anio !== fin.anio || inicio.mes !== fin.mes)) {
    throw new RangeError('A portal request for received CFDI cannot span two calendar months');
  }
  return { inicio, fin };
}

const INSTANTE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/;

/** Day and time of one end of a period, as numbers. */
function readInstant(texto: string) {
  const valid = INSTANTE.test(texto) ? Date.parse(`${texto}Z`) : Number.NaN;
  if (Number.isNaN(valid) || !new Date(valid).toISOString().startsWith(texto)) {
    throw new RangeError('An end of the period is no instant of the form yyyy-MM-ddTHH:mm:ss');
  }
  const [anio = 0, mes = 0, dia = 0, hora = 0, minuto = 0, segundo = 0] = texto.split(/\D/).map(Number);
  return { anio, mes, dia, hora, minuto, segundo };
}

/** One record of the answer to a partial postback of ASP.NET AJAX. */
export interface RegistroDelta {
  readonly tipo: string;
  readonly id: string;
  readonly contenido: string;
}

const MAX_CARACTERES = 24 * 1024 * 1024;
const MAX_REGISTROS = 10_000;
const LARGO = /^\d{1,9}$/;

/**
 * Reads `length|type|id|content|` records to the end of the text. The length counts the UTF-16 units of the content,
 * which may hold any character, the bar included (System.Web.UI.PageRequestManager). A text that was cut, or decoded
 * with another charset, does not add up and throws RESPUESTA_ILEGIBLE.
 */
export function parseDelta(texto: string): readonly RegistroDelta[] {
  if (texto.length > MAX_CARACTERES) throw ilegible('delta demasiado grande');
  const end = texto.trimEnd().length;
  const registros: RegistroDelta[] = [];
  let at = 0;
  while (at < end) {
    const [largo, tipo, id, from] = readCabecera(texto, at);
    const to = from + largo;
    if (to >= texto.length || texto[to] !== '|') throw ilegible('delta: los largos no cuadran');
    registros.push({ tipo, id, contenido: texto.slice(from, to) });
    if (registros.length > MAX_REGISTROS) throw ilegible('delta con demasiados registros');
    at = to + 1;
  }
  if (registros.length === 0) throw ilegible('delta vacio');
  return registros;
}

function readCabecera(texto: string, at: number): [largo: number, tipo: string, id: string, from: number] {
  const first = texto.indexOf('|', at);
  const largo = first === -1 || first - at > 9 ? '' : texto.slice(at, first);
  const second = texto.indexOf('|', first + 1);
  const third = second === -1 ? -1 : texto.indexOf('|', second + 1);
  if (!LARGO.test(largo) || third === -1) throw ilegible('delta: cabecera de registro');
  return [Number(largo), texto.slice(first + 1, second), texto.slice(second + 1, third), third + 1];
}

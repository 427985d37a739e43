import { type Periodo, SatError, type TipoDescarga } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { PageClient } from '../page-client.ts';
import { encodeFormulario } from '../paginas/cuerpo-formulario.ts';
import { parseDelta, type RegistroDelta } from '../paginas/delta.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { readCampos, readFormularios } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { type Instante, isMismoDia, readPeriodo } from '../periodo-portal.ts';
import { pedir } from '../sesion/pedir.ts';
import { SesionVencida } from '../sesion/sesion-vencida.ts';
import { HOST_PORTAL } from '../settings.ts';
import { openPagina } from './pagina-del-portal.ts';

const C = 'ctl00$MainContent$';
const PANEL = `${C}UpnlBusqueda`;

/** What the search page is asked: every complement, any counterpart. */
export interface Busqueda {
  readonly tipo: TipoDescarga;
  readonly rfc: string;
  /** See `readPeriodo`. Received CFDI over several days are asked for by their whole month. */
  readonly periodo: Periodo;
  /** Absent: `todos`. */
  readonly estado?: keyof typeof ESTADOS;
}

/** Values of the list `DdlEstadoComprobante` (phpcfdi/cfdi-sat-scraper, StatesVoucherOption). */
const ESTADOS = { todos: '-1', CANCELADO: '0', VIGENTE: '1' } as const;

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
export async function search(
  pageClient: PageClient,
  busqueda: Busqueda,
  signal: AbortSignal,
): Promise<readonly RegistroDelta[]> {
  const direccion = direccionDe(busqueda.tipo);
  const pagina = await openPagina(pageClient, direccion, busqueda.rfc, signal);
  const formulario = readFormularios(pagina.etiquetas)
    .map((f) => readCampos(f.etiquetas))
    .find((campos) => campos.has('__VIEWSTATE'));
  if (formulario === undefined) throw ilegible('busqueda: sin formulario');

  const porFechas = new Map([...formulario, ...postback('RdoFechas')]);
  porFechas.set('__EVENTTARGET', `${C}RdoFechas`);
  const eleccion = await post(pageClient, direccion, porFechas, signal);
  if (!eleccion.some((r) => r.tipo === 'hiddenField' && r.id === '__VIEWSTATE')) {
    throw ilegible('busqueda: sin __VIEWSTATE');
  }

  const buscar = new Map([
    ...formulario,
    ...eleccion.flatMap(camposNuevos),
    ...postback('BtnBusqueda'),
    ...camposDeBusqueda(busqueda),
  ]);
  buscar.set(`${C}BtnBusqueda`, 'Buscar CFDI');
  return post(pageClient, direccion, buscar, signal);
}

async function post(
  pageClient: PageClient,
  direccion: DireccionSat,
  campos: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<readonly RegistroDelta[]> {
  const texto = await pedir(
    pageClient,
    {
      ...direccion,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        'x-microsoftajax': 'Delta=true',
        'x-requested-with': 'XMLHttpRequest',
        referer: `https://${direccion.host}${direccion.path}`,
      },
      body: encodeFormulario(campos),
    },
    signal,
  );
  const delta = parseDelta(texto);
  // A partial postback never redirects by status unless the log-in module does, and otherwise so.
  if (delta.some((r) => r.tipo === 'pageRedirect')) throw new SesionVencida();
  if (delta.some((r) => r.tipo === 'error')) throw new SatError('SERVICIO_CON_ERROR', { codigo: 'AJAX' });
  return delta;
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
  return tipo === 'updatePanel' ? [...readCampos(readEtiquetas(contenido))] : [];
}

/** The filters, and the dates in the form that each page has. */
function camposDeBusqueda({ tipo, periodo, estado = 'todos' }: Busqueda): Array<[string, string]> {
  const ends = readPeriodo(tipo, periodo);
  const filtros: Array<[string, string]> = [
    [`${C}DdlEstadoComprobante`, ESTADOS[estado]],
    [`${C}ddlComplementos`, '-1'],
    [`${C}TxtRfcReceptor`, ''],
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
  const dia = isMismoDia(ends);
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

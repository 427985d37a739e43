import {
  type ListarRetenciones,
  type Periodo,
  type RespuestaListarRetenciones,
  type Retencion,
  SatError,
} from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import { compare, ilegible, toLabel } from '../../texto.ts';
import {
  collect,
  isUnDia,
  type Pregunta,
  splitDaysOrHalves,
  splitDias,
  splitHalves,
  splitMeses,
} from '../busqueda/gather.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { type Etiqueta, elementoEn, readTexto } from '../paginas/etiquetas.ts';
import { type Formulario, type Opcion, readCampos, readForms, readListas } from '../paginas/formulario.ts';
import { assertLoggedInRfc } from '../paginas/pagina-portal.ts';
import type { Portal } from '../portal.ts';
import { signIn } from '../sesion/log-in.ts';
import { assertSesionViva, submitEnSesion } from '../sesion/sesion-vencida.ts';
import { HOST_ACCESO } from '../settings.ts';
import { type FilaRetencion, isSinResultados, readResultadoRetenciones, type Side } from './resultado-retenciones.ts';

const HOST_RETENCIONES = 'prodretencioncontribuyente.clouda.sat.gob.mx';

/** The start page with the choice of consultas. The CFDI portal links to it with this parameter. */
const INICIO_RETENCIONES: DireccionSat = { host: HOST_RETENCIONES, path: '/?oculta=1' };

/**
 * The portal of CFDI de retenciones e información de pagos. Log-in on the host of the CFDI portal, by WS-Federation; a
 * session of its own. Its way out is a postback of a link (`LnkBtnCierraSesion`), no address, so its sessions end when
 * they are left idle.
 */
export const PORTAL_RETENCIONES: Portal = {
  nombre: 'retenciones',
  salida: null,
  async enter(login) {
    const pagina = await signIn(login, INICIO_RETENCIONES, HOST_ACCESO);
    assertLoggedInRfc(pagina.etiquetas, login.credencial.rfc, true);
  },
};

/** Throws RangeError for a fiscal year that is not of four digits. */
export function assertEjercicio({ ejercicio }: ListarRetenciones): void {
  if (!Number.isInteger(ejercicio) || ejercicio < 1000 || ejercicio > 9999) {
    throw new RangeError('The fiscal year is not one of four digits');
  }
}

/**
 * Lists the CFDI de retenciones of a fiscal year by date of issue, received and issued. The page of issued ones takes
 * any two dates, so a year is one search; the page of received ones takes a month where its list of days can be left
 * open, else a day. A capped answer is divided like those of the CFDI portal. The searches of one side follow each
 * other from page to page.
 */
export async function listarRetenciones(
  pageClient: PageClient,
  { rfc, ejercicio }: ListarRetenciones,
): Promise<RespuestaListarRetenciones> {
  const anio = { inicio: `${ejercicio}-01-01T00:00:00`, fin: `${ejercicio}-12-31T23:59:59` };
  const porUuid = new Map<string, Retencion>();
  for (const side of ['RECIBIDA', 'EMITIDA'] as const) {
    for (const fila of await listSide(pageClient, side, anio, rfc)) {
      const { fechaEmision, ...retencion } = fila;
      porUuid.set(fila.uuid, { ...retencion, fecha: fechaEmision.slice(0, 10) });
    }
  }
  return { retenciones: [...porUuid.values()].sort((a, b) => compare(a.fecha, b.fecha) || compare(a.uuid, b.uuid)) };
}

async function listSide(
  pageClient: PageClient,
  side: Side,
  anio: Periodo,
  rfc: string,
): Promise<readonly FilaRetencion[]> {
  let pagina = await openSearch(pageClient, side, rfc);
  // What the page says before it was asked is no answer.
  if (isSinResultados(pagina.etiquetas)) throw ilegible('retenciones: dice que no hay antes de buscar');
  const partes =
    side === 'EMITIDA'
      ? { periodos: [anio], split: splitHalves }
      : { periodos: hasMes(pagina) ? splitMeses(anio) : splitDias(anio), split: splitDaysOrHalves };
  const filas = await collect<FilaRetencion>({
    ...partes,
    maximo: Number.POSITIVE_INFINITY,
    async ask(pregunta) {
      pagina = await searchFrom(pageClient, pagina, side, pregunta, rfc);
      return readResultadoRetenciones(pagina.etiquetas, side, rfc);
    },
  });
  if (filas === null) throw ilegible('retenciones: lista sin terminar');
  return filas;
}

const RUTAS = { RECIBIDA: '/ConsultaReceptor', EMITIDA: '/ConsultaEmisor' } as const;
const ELECCIONES = { RECIBIDA: 'RdoTipoBusquedaReceptor', EMITIDA: 'RdoTipoBusquedaEmisor' } as const;
const ESTADOS = { RECIBIDA: 'DdlEstadoComprobante', EMITIDA: 'selEstadoComprobante' } as const;
const HORAS = ['selHorIni', 'selMinIni', 'selSegIni', 'selHorFin', 'selMinFin', 'selSegFin'] as const;

/**
 * Opens the search page of one side as a person does: the start page, the choice, "Continuar"; by its address when that
 * ends elsewhere. Throws SesionVencida when a log-in is due.
 */
async function openSearch(pageClient: PageClient, side: Side, rfc: string): Promise<Pagina> {
  const inicio = await pageClient.open(INICIO_RETENCIONES);
  assertOwn(inicio, rfc);
  const formulario = formWith(inicio, ELECCIONES[side]);
  if (formulario !== null) {
    const campos = new Map([
      ...readCampos(formulario.etiquetas),
      markRadio(formulario.etiquetas, ELECCIONES[side]),
      ...(pressButton(formulario.etiquetas, /continuar/i) ?? []),
    ]);
    const pagina = await send(pageClient, inicio, formulario, campos, rfc);
    if (isBusqueda(pagina, side)) return pagina;
  }
  const pagina = await pageClient.open({ host: HOST_RETENCIONES, path: RUTAS[side] });
  assertOwn(pagina, rfc);
  if (!isBusqueda(pagina, side)) throw ilegible('retenciones: sin página de búsqueda');
  return pagina;
}

/** Searches with the form of this page and gives the page of the answer. */
async function searchFrom(
  pageClient: PageClient,
  pagina: Pagina,
  side: Side,
  pregunta: Pregunta,
  rfc: string,
): Promise<Pagina> {
  const formulario = formWith(pagina, 'rbtnFiltros');
  if (formulario === null) throw ilegible('retenciones: sin formulario de búsqueda');
  const { etiquetas } = formulario;
  const boton = pressButton(etiquetas, /buscar/i);
  if (boton === null) throw ilegible('retenciones: sin botón de búsqueda');
  const { periodo, estado } = pregunta;
  const campos = new Map([
    ...readCampos(etiquetas),
    markRadio(etiquetas, 'rbtnFiltros'),
    ...(side === 'RECIBIDA' ? camposDeLista(formulario, periodo) : camposDeTexto(formulario, periodo)),
    ...camposDeHora(formulario, periodo),
    campoDeEstado(formulario, ESTADOS[side], estado),
    ...boton,
  ]);
  return send(pageClient, pagina, formulario, campos, rfc);
}

/** Whether the page of received documents can be asked for a whole month, by a day 0 or a day left open. */
function hasMes(pagina: Pagina): boolean {
  const formulario = formWith(pagina, 'rbtnFiltros');
  return formulario !== null && findDiaAbierto(formulario.etiquetas) !== null;
}

function isBusqueda(pagina: Pagina, side: Side): boolean {
  const ruta = (pagina.direccion.path.split('?')[0] ?? '').replace(/\/$/, '');
  return ruta.toLowerCase() === RUTAS[side].toLowerCase() && formWith(pagina, 'rbtnFiltros') !== null;
}

function assertOwn(pagina: Pagina, rfc: string): void {
  assertSesionViva(pagina, HOST_RETENCIONES);
  assertLoggedInRfc(pagina.etiquetas, rfc, false);
}

function formWith({ etiquetas }: Pagina, id: string): Formulario | null {
  return readForms(etiquetas).find((f) => findControl(f.etiquetas, id) !== null) ?? null;
}

async function send(
  pageClient: PageClient,
  desde: Pagina,
  formulario: Formulario,
  campos: ReadonlyMap<string, string>,
  rfc: string,
): Promise<Pagina> {
  const pagina = await submitEnSesion(pageClient, desde, formulario, campos);
  assertLoggedInRfc(pagina.etiquetas, rfc, false);
  return pagina;
}

/** Received: lists of year, month and day. */
function camposDeLista({ etiquetas }: Formulario, { inicio, fin }: Periodo): Array<[string, string]> {
  const [anio = 0, mes = 0, dia = 0] = inicio.slice(0, 10).split('-').map(Number);
  const unDia = isUnDia({ inicio, fin });
  const opcionAnio = findNumero(readOptions(etiquetas, 'selAnio'), anio);
  if (opcionAnio === undefined) throw new SatError('PETICION_RECHAZADA', { codigo: 'EJERCICIO' });
  const abierto = findDiaAbierto(etiquetas);
  if (!unDia && abierto === null) throw ilegible('retenciones: el mes no se puede consultar entero');
  return [
    [nameOf(etiquetas, 'selAnio'), opcionAnio.valor],
    [nameOf(etiquetas, 'selMes'), chooseNumero(etiquetas, 'selMes', mes)],
    [nameOf(etiquetas, 'selDia'), unDia ? chooseNumero(etiquetas, 'selDia', dia) : (abierto ?? '')],
  ];
}

/** Issued: two dates as texts. */
function camposDeTexto({ etiquetas }: Formulario, { inicio, fin }: Periodo): Array<[string, string]> {
  const mexican = (fecha: string) => `${fecha.slice(8, 10)}/${fecha.slice(5, 7)}/${fecha.slice(0, 4)}`;
  return [
    [nameOf(etiquetas, 'fecIniEmi'), mexican(inicio)],
    [nameOf(etiquetas, 'fecFinEmi'), mexican(fin)],
  ];
}

function camposDeHora({ etiquetas }: Formulario, { inicio, fin }: Periodo): Array<[string, string]> {
  const partes = [...inicio.slice(11).split(':'), ...fin.slice(11).split(':')].map(Number);
  return HORAS.map((id, i) => [nameOf(etiquetas, id), chooseNumero(etiquetas, id, partes[i] ?? 0)]);
}

function campoDeEstado({ etiquetas }: Formulario, id: string, estado: Pregunta['estado']): [string, string] {
  const opciones = readOptions(etiquetas, id);
  const opcion =
    estado === 'todos'
      ? opciones.find(({ texto }) => texto !== 'vigente' && texto !== 'cancelado')
      : opciones.find(({ texto }) => texto === estado.toLowerCase());
  if (opcion === undefined) throw ilegible(`retenciones: estado ${estado}`);
  return [nameOf(etiquetas, id), opcion.valor];
}

function chooseNumero(etiquetas: readonly Etiqueta[], id: string, numero: number): string {
  const opcion = findNumero(readOptions(etiquetas, id), numero);
  if (opcion === undefined) throw ilegible(`retenciones: ${id} sin ${numero}`);
  return opcion.valor;
}

function findDiaAbierto(etiquetas: readonly Etiqueta[]): string | null {
  const abierta = readOptions(etiquetas, 'selDia').find(
    ({ valor, texto }) => Number(valor) === 0 || !/\d/.test(`${valor}${texto}`),
  );
  return abierta?.valor ?? null;
}

/** The pages are known by the ids of their controls; the name that a browser sends is read from the page. */
function findControl(etiquetas: readonly Etiqueta[], id: string): Etiqueta | null {
  const asked = new RegExp(`(?:^|_)${id}$`);
  return etiquetas.find((e) => !e.closes && asked.test(e.attrs.get('id') ?? '')) ?? null;
}

/** The name under which a control is sent. Throws RESPUESTA_ILEGIBLE when the page has no such control. */
function nameOf(etiquetas: readonly Etiqueta[], id: string): string {
  const control = findControl(etiquetas, id);
  if (control === null) throw ilegible(`retenciones: sin ${id}`);
  return control.attrs.get('name') || control.attrs.get('id') || id;
}

/** What a radio button is sent with when it is marked. */
function markRadio(etiquetas: readonly Etiqueta[], id: string): [nombre: string, valor: string] {
  const control = findControl(etiquetas, id);
  return [nameOf(etiquetas, id), control?.attrs.get('value') ?? 'on'];
}

/**
 * The choices of a list, in order, their texts in comparable form. Throws RESPUESTA_ILEGIBLE when the page has no such
 * list.
 */
function readOptions(etiquetas: readonly Etiqueta[], id: string): readonly Opcion[] {
  const asked = new RegExp(`(?:^|_)${id}$`);
  const lista = readListas(etiquetas).find((candidate) => asked.test(candidate.id));
  if (lista === undefined) throw ilegible(`retenciones: sin lista ${id}`);
  return lista.opciones.map(({ valor, texto }) => ({ valor, texto: toLabel(texto) }));
}

/** The choice that stands for a number, whether it is written `5` or `05`; undefined when the list has none. */
function findNumero(opciones: readonly Opcion[], numero: number): Opcion | undefined {
  const isIt = (escrito: string) => /^\d{1,4}$/.test(escrito) && Number(escrito) === numero;
  return opciones.find(({ texto }) => isIt(texto)) ?? opciones.find(({ valor }) => isIt(valor.trim()));
}

/** The button with this label, as it is sent when it is pressed; null when there is none, [] for one without a name. */
function pressButton(etiquetas: readonly Etiqueta[], heading: RegExp): Array<[string, string]> | null {
  for (const [i, etiqueta] of etiquetas.entries()) {
    if (etiqueta.closes || (etiqueta.nombre !== 'button' && etiqueta.nombre !== 'input')) continue;
    const tipo = (etiqueta.attrs.get('type') ?? (etiqueta.nombre === 'button' ? 'submit' : 'text')).toLowerCase();
    const valor = etiqueta.attrs.get('value') ?? '';
    const label = etiqueta.nombre === 'button' ? readTexto(elementoEn(etiquetas, i)) : valor;
    if ((tipo !== 'submit' && tipo !== 'button') || !heading.test(label)) continue;
    const nombre = etiqueta.attrs.get('name') ?? '';
    return nombre === '' ? [] : [[nombre, valor]];
  }
  return null;
}

import { type Periodo, SatError } from '@acuse/core';
import type { Pregunta } from '../busqueda/reunir.ts';
import { enviarFormulario } from '../enviar-formulario.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { type Formulario, readCampos, readFormularios } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { assertRfcAutenticado } from '../paginas/pagina-portal.ts';
import { assertSesionViva } from '../sesion/sesion-vencida.ts';
import { findControl, findNumero, markRadio, nameOf, pressBoton, readOpciones } from './controles.ts';
import type { Lado } from './fila-retencion.ts';
import { HOST_RETENCIONES, INICIO_RETENCIONES } from './portal-retenciones.ts';

const RUTAS = { RECIBIDA: '/ConsultaReceptor', EMITIDA: '/ConsultaEmisor' } as const;
const ELECCIONES = { RECIBIDA: 'RdoTipoBusquedaReceptor', EMITIDA: 'RdoTipoBusquedaEmisor' } as const;
const ESTADOS = { RECIBIDA: 'DdlEstadoComprobante', EMITIDA: 'selEstadoComprobante' } as const;
const HORAS = ['selHorIni', 'selMinIni', 'selSegIni', 'selHorFin', 'selMinFin', 'selSegFin'] as const;

/**
 * Opens the search page of one side as a person does: the start page, the choice, "Continuar"; by its address when that
 * ends elsewhere. Throws SesionVencida when a log-in is due.
 */
export async function openBusqueda(
  pageClient: PageClient,
  lado: Lado,
  rfc: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const inicio = await pageClient.open(INICIO_RETENCIONES, signal);
  assertPropia(inicio, rfc);
  const formulario = formWith(inicio, ELECCIONES[lado]);
  if (formulario !== null) {
    const campos = new Map([
      ...readCampos(formulario.etiquetas),
      markRadio(formulario.etiquetas, ELECCIONES[lado]),
      ...(pressBoton(formulario.etiquetas, /continuar/i) ?? []),
    ]);
    const pagina = await send(pageClient, inicio, formulario, campos, rfc, signal);
    if (isBusqueda(pagina, lado)) return pagina;
  }
  const pagina = await pageClient.open({ host: HOST_RETENCIONES, path: RUTAS[lado] }, signal);
  assertPropia(pagina, rfc);
  if (!isBusqueda(pagina, lado)) throw ilegible('retenciones: sin página de búsqueda');
  return pagina;
}

/** Searches with the form of this page and gives the page of the answer. */
export async function searchFrom(
  pageClient: PageClient,
  pagina: Pagina,
  lado: Lado,
  pregunta: Pregunta,
  rfc: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const formulario = formWith(pagina, 'rbtnFiltros');
  if (formulario === null) throw ilegible('retenciones: sin formulario de búsqueda');
  const { etiquetas } = formulario;
  const boton = pressBoton(etiquetas, /buscar/i);
  if (boton === null) throw ilegible('retenciones: sin botón de búsqueda');
  const { periodo, estado } = pregunta;
  const campos = new Map([
    ...readCampos(etiquetas),
    markRadio(etiquetas, 'rbtnFiltros'),
    ...(lado === 'RECIBIDA' ? camposDeLista(formulario, periodo) : camposDeTexto(formulario, periodo)),
    ...camposDeHora(formulario, periodo),
    campoDeEstado(formulario, ESTADOS[lado], estado),
    ...boton,
  ]);
  return send(pageClient, pagina, formulario, campos, rfc, signal);
}

/** Whether the page of received documents can be asked for a whole month, by a day 0 or a day left open. */
export function hasMes(pagina: Pagina): boolean {
  const formulario = formWith(pagina, 'rbtnFiltros');
  return formulario !== null && findDiaAbierto(formulario) !== null;
}

function isBusqueda(pagina: Pagina, lado: Lado): boolean {
  const ruta = (pagina.direccion.path.split('?')[0] ?? '').replace(/\/$/, '');
  return ruta.toLowerCase() === RUTAS[lado].toLowerCase() && formWith(pagina, 'rbtnFiltros') !== null;
}

function assertPropia(pagina: Pagina, rfc: string): void {
  assertSesionViva(pagina);
  if (pagina.direccion.host !== HOST_RETENCIONES) throw ilegible('retenciones: página de otro servidor');
  assertRfcAutenticado(pagina.etiquetas, rfc, false);
}

function formWith({ etiquetas }: Pagina, id: string): Formulario | null {
  return readFormularios(etiquetas).find((f) => findControl(f.etiquetas, id) !== null) ?? null;
}

async function send(
  pageClient: PageClient,
  desde: Pagina,
  formulario: Formulario,
  campos: ReadonlyMap<string, string>,
  rfc: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const pagina = await enviarFormulario(pageClient, desde, formulario, signal, campos);
  assertPropia(pagina, rfc);
  return pagina;
}

/** Received: lists of year, month and day. */
function camposDeLista({ etiquetas }: Formulario, { inicio, fin }: Periodo): Array<[string, string]> {
  const [anio = 0, mes = 0, dia = 0] = inicio.slice(0, 10).split('-').map(Number);
  const unDia = inicio.slice(0, 10) === fin.slice(0, 10);
  const opcionAnio = findNumero(readOpciones(etiquetas, 'selAnio'), anio);
  if (opcionAnio === undefined) throw new SatError('PETICION_RECHAZADA', { codigo: 'EJERCICIO' });
  const abierto = findDiaAbierto({ etiquetas });
  if (!unDia && abierto === null) throw ilegible('retenciones: el mes no se puede consultar entero');
  return [
    [nameOf(etiquetas, 'selAnio'), opcionAnio.valor],
    [nameOf(etiquetas, 'selMes'), chooseNumero({ etiquetas }, 'selMes', mes)],
    [nameOf(etiquetas, 'selDia'), unDia ? chooseNumero({ etiquetas }, 'selDia', dia) : (abierto ?? '')],
  ];
}

/** Issued: two dates as texts. */
function camposDeTexto({ etiquetas }: Formulario, { inicio, fin }: Periodo): Array<[string, string]> {
  const mexicana = (fecha: string) => `${fecha.slice(8, 10)}/${fecha.slice(5, 7)}/${fecha.slice(0, 4)}`;
  return [
    [nameOf(etiquetas, 'fecIniEmi'), mexicana(inicio)],
    [nameOf(etiquetas, 'fecFinEmi'), mexicana(fin)],
  ];
}

function camposDeHora({ etiquetas }: Formulario, { inicio, fin }: Periodo): Array<[string, string]> {
  const partes = [...inicio.slice(11).split(':'), ...fin.slice(11).split(':')].map(Number);
  return HORAS.map((id, i) => [nameOf(etiquetas, id), chooseNumero({ etiquetas }, id, partes[i] ?? 0)]);
}

function campoDeEstado({ etiquetas }: Formulario, id: string, estado: Pregunta['estado']): [string, string] {
  const opciones = readOpciones(etiquetas, id);
  const opcion =
    estado === 'todos'
      ? opciones.find(({ texto }) => texto !== 'vigente' && texto !== 'cancelado')
      : opciones.find(({ texto }) => texto === estado.toLowerCase());
  if (opcion === undefined) throw ilegible(`retenciones: estado ${estado}`);
  return [nameOf(etiquetas, id), opcion.valor];
}

function chooseNumero({ etiquetas }: Pick<Formulario, 'etiquetas'>, id: string, numero: number): string {
  const opcion = findNumero(readOpciones(etiquetas, id), numero);
  if (opcion === undefined) throw ilegible(`retenciones: ${id} sin ${numero}`);
  return opcion.valor;
}

function findDiaAbierto({ etiquetas }: Pick<Formulario, 'etiquetas'>): string | null {
  const abierta = readOpciones(etiquetas, 'selDia').find(
    ({ valor, texto }) => Number(valor) === 0 || !/\d/.test(`${valor}${texto}`),
  );
  return abierta?.valor ?? null;
}

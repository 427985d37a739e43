import {
  type FacturaRecibida,
  type ListarFacturas,
  type Periodo,
  type RespuestaListarFacturas,
  SatError,
  type TipoDescarga,
} from '@acuse/core';
import { ilegible } from '../../texto.ts';
import {
  collect,
  type Hallazgo,
  isUnDia,
  isWithin,
  type Pregunta,
  splitDaysOrHalves,
  splitMeses,
} from '../busqueda/gather.ts';
import {
  isSelection,
  type Panel,
  type RegistroDelta,
  readPaneles,
  readPanelResultados,
  search,
} from '../consultas/busqueda.ts';
import type { PageClient } from '../page-client.ts';
import { type Etiqueta, isVisible, readTextoVisible } from '../paginas/etiquetas.ts';
import { readEstado, readImporte, readInstant, readRfc, readUuid } from '../paginas/tablas/valores.ts';
import { type Fila, needColumns, readTabla } from '../paginas/tablas.ts';

/**
 * Lists every CFDI received in a period. The page takes one day with its hours, or a whole month (day 0), and shows at
 * most 500 rows; so a part of the period inside of one month is one search, which is divided into its days when capped,
 * and those into halves. Rows of the month that lie outside of the period are left out; a row outside of the month or
 * day asked for is RESPUESTA_ILEGIBLE.
 *
 * The searches run one after the other: ASP.NET makes the requests of a session wait for each other anyway, and the
 * SAT's portal is shared.
 */
export async function listarFacturas(
  pageClient: PageClient,
  { rfc, periodo, maximo }: ListarFacturas,
): Promise<RespuestaListarFacturas> {
  const facturas = await collect<FacturaRecibida>({
    periodos: splitMeses(periodo),
    ask: (pregunta) => ask(pageClient, rfc, pregunta),
    split: splitDaysOrHalves,
    maximo,
  });
  return facturas === null ? { resultado: 'DEMASIADAS' } : { resultado: 'LISTA', facturas };
}

async function ask(
  pageClient: PageClient,
  rfc: string,
  { periodo, estado }: Pregunta,
): Promise<Hallazgo<FacturaRecibida>> {
  const delta = await search(pageClient, { tipo: 'recibidos', rfc, periodo, estado });
  const { filas, topada } = readResultadoFacturas(delta, rfc);
  return { filas: cutToPeriodo(filas, 'recibidos', periodo), topada };
}

/**
 * The rows of a period. For several days of received CFDI the page was asked for the whole month, whose other rows are
 * left out; a row that the page was not asked for is RESPUESTA_ILEGIBLE.
 */
export function cutToPeriodo<F extends { readonly fechaEmision: string }>(
  filas: readonly F[],
  tipo: TipoDescarga,
  periodo: Periodo,
): readonly F[] {
  const own = filas.filter(({ fechaEmision }) => isWithin(fechaEmision, periodo));
  const mes = periodo.inicio.slice(0, 7);
  const asked =
    tipo === 'emitidos' || isUnDia(periodo) ? own : filas.filter(({ fechaEmision }) => fechaEmision.startsWith(mes));
  if (asked.length < filas.length) throw ilegible('busqueda: fila de otra fecha');
  return own;
}

/** "La consulta realizada solo muestra los primeros 500 registros." */
const TOPE = 500;

/** Reads the CFDI of an answer to a search of received ones: see {@link readResultado}. */
export function readResultadoFacturas(delta: readonly RegistroDelta[], rfc: string): Hallazgo<FacturaRecibida> {
  return readResultado(readPaneles(delta), REQUIRED, (_fila, texto) => readFactura(texto, rfc));
}

/** The text under a heading of a row; '' where the table has no such column. */
export type TextoDe = (columna: Columna) => string;

/**
 * Reads the answer to a search: the table `tblResult` inside the results panel, its columns by their headings, each row
 * by `readFila`. It is capped when the portal shows its panel that says so (`PnlLimiteRegistros`) or the table has as
 * many rows as it ever shows.
 *
 * "No rows" is believed as by {@link readPanelResultados}, or when it shows a table with all the headings and nothing
 * else. Throws SERVICIO_CON_ERROR for a shown error panel and
 * RESPUESTA_ILEGIBLE for everything else.
 */
export function readResultado<F extends { readonly uuid: string }>(
  paneles: readonly Panel[],
  required: readonly Columna[],
  readFila: (fila: Fila, texto: TextoDe) => F,
): Hallazgo<F> {
  for (const panel of paneles) assertSinError(panel.etiquetas);
  const etiquetas = readPanelResultados(paneles);
  if (etiquetas === null) return { filas: [], topada: false };
  const tabla = readTabla(etiquetas, /_tblResult$/);
  if (tabla === null) throw ilegible('busqueda: sin tabla');
  const columnas = needColumns(tabla, LABELS, required);
  const filas = tabla.filas.map((fila) =>
    readFila(fila, (columna) => fila[columnas.get(columna) ?? -1]?.textoEntero ?? ''),
  );
  const folios = new Set(filas.map(({ uuid }) => uuid));
  // A folio that can be chosen but has no row means that rows were lost.
  if (readSelections(etiquetas).some((uuid) => !folios.has(uuid))) throw ilegible('busqueda: folio sin fila');
  const saysLimit = isVisible(etiquetas, /_PnlLimiteRegistros$/);
  if (saysLimit && filas.length === 0) throw ilegible('busqueda: tope sin filas');
  return { filas, topada: saysLimit || filas.length >= TOPE };
}

/** What the page says went wrong: its validators' list and its own panel of errors. */
function assertSinError(etiquetas: readonly Etiqueta[]): void {
  for (const id of [/_PnlErrores$/, /_ValidationSummary\d*$/]) {
    if (readTextoVisible(etiquetas, id) !== '') throw new SatError('SERVICIO_CON_ERROR', { codigo: 'BUSQUEDA' });
  }
}

function readSelections(etiquetas: readonly Etiqueta[]): string[] {
  return etiquetas.filter(isSelection).map((e) => readUuid((e.attrs.get('value') ?? '').trim()));
}

/**
 * Headings of the columns that are read, in their comparable form. Of those about a cancellation the portal showed the
 * date of its process until May 2025 and has shown the dates of request and of cancellation since
 * (phpcfdi/cfdi-sat-scraper, MetadataExtractor and pull request 87). Third party, motive and substitute, which came in
 * January 2023, are not read, nor is any column that may come.
 */
const LABELS = {
  uuid: ['folio fiscal'],
  emisorRfc: ['rfc emisor'],
  emisorNombre: ['nombre o razon social del emisor'],
  receptorRfc: ['rfc receptor'],
  receptorNombre: ['nombre o razon social del receptor'],
  fechaEmision: ['fecha de emision'],
  fechaCertificacion: ['fecha de certificacion'],
  pacRfc: ['pac que certifico'],
  total: ['total'],
  efecto: ['efecto del comprobante'],
  estado: ['estado del comprobante'],
  estadoCancelacion: ['estatus de proceso de cancelacion'],
  fechaProceso: ['fecha de proceso de cancelacion'],
  fechaCancelacion: ['fecha de cancelacion'],
} as const;

type Columna = keyof typeof LABELS;

/** Without these a row is not known. */
const REQUIRED = ['uuid', 'emisorRfc', 'receptorRfc', 'fechaEmision', 'total', 'estado'] as const;

/**
 * Reads one row. Throws RESPUESTA_ILEGIBLE for a cell that does not hold what its heading says, and for a CFDI whose
 * receiver is another RFC than `rfc`: the page was not asked for it.
 */
function readFactura(texto: TextoDe, rfc: string): FacturaRecibida {
  const optional = <T>(columna: Columna, read: (texto: string) => T): T | null => {
    const valor = texto(columna);
    return valor === '' ? null : read(valor);
  };
  const receptorRfc = readRfc(texto('receptorRfc'));
  if (receptorRfc !== rfc.toUpperCase()) throw ilegible('busqueda: CFDI de otro receptor');
  const estado = readEstado(texto('estado'));
  const fechaProceso = estado === 'CANCELADO' ? optional('fechaProceso', readInstant) : null;
  return {
    uuid: readUuid(texto('uuid')),
    emisorRfc: readRfc(texto('emisorRfc')),
    emisorNombre: optional('emisorNombre', same),
    receptorRfc,
    receptorNombre: optional('receptorNombre', same),
    fechaEmision: readInstant(texto('fechaEmision')),
    fechaCertificacion: optional('fechaCertificacion', readInstant),
    pacRfc: optional('pacRfc', same),
    total: readImporte(texto('total')),
    efecto: optional('efecto', same),
    estado,
    estadoCancelacion: optional('estadoCancelacion', same),
    fechaCancelacion: optional('fechaCancelacion', readInstant) ?? fechaProceso,
  };
}

function same(texto: string): string {
  return texto;
}

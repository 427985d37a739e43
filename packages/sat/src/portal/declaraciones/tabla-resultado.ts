import { type Declaracion, SatError } from '@acuse/core';
import { readFecha } from '../../fechas.ts';
import { assertCleanText, compare, ilegible, toForma, toLabel } from '../../texto.ts';
import { type Etiqueta, readTexto } from '../paginas/etiquetas.ts';
import type { Lista, Opcion } from '../paginas/formulario.ts';
import { type Fila, filasSinAviso, needColumns, readTablas, type Tabla } from '../paginas/tablas.ts';

const LABELS = {
  numeroOperacion: [/^(?:no|num|numero)\.? ?de ?operacion$/],
  tipo: [/^tipo(?: de)? declaracion$/],
  tipoComplementaria: [/^tipo(?: de)? complementaria$/],
  lineaCaptura: [/^linea(?: de)? captura$/],
  fecha: [/^fecha(?: y hora)? de (?:presentacion|recepcion)$/],
  periodicidad: [/^periodicidad$/],
  periodo: [/^periodo$/],
  estado: [/^(?:estado|estatus|situacion)$/],
} as const;
type Columna = keyof typeof LABELS;

/** Where one of the portals shows its results, and the columns that its table always has. */
interface FormaResultado {
  readonly id: RegExp;
  readonly required: readonly Columna[];
}

const NO_HAY =
  /\b(?:no (?:se )?(?:encontr\w+|localiz\w+|exist\w+|hay|hubo|cuenta con|tiene)|sin) (?:\w+ ){0,3}(?:declaraci\w+|registros?|informacion|resultados?|datos)\b/;

/**
 * Reads the answer to a search: the table by the names of its columns, in any order. Only an explicit sentence means no
 * returns: the page of the form has an empty table too. Throws RESPUESTA_ILEGIBLE for a truncated table, a missing
 * column or a row that does not fit.
 */
export function readTablaResultado(
  etiquetas: readonly Etiqueta[],
  ejercicio: number,
  forma: FormaResultado,
): readonly Declaracion[] {
  const tablas = readTablas(etiquetas).filter(({ id }) => forma.id.test(id));
  const [tabla] = tablas;
  if (tablas.length > 1) throw ilegible('declaraciones: dos tablas de resultado');
  const filas = tabla === undefined ? [] : filasSinAviso(tabla, diceQueNoHay);
  if (tabla === undefined || filas.length === 0) {
    if (tabla?.completa === false) throw ilegible('declaraciones: tabla incompleta');
    if (!diceQueNoHay(readTexto(etiquetas))) throw ilegible('declaraciones: sin resultado');
    return [];
  }
  if (!tabla.completa) throw ilegible('declaraciones: tabla incompleta');
  const columnas = columnasDe(tabla, forma.required);
  return filas.map((celdas) => toDeclaracion(celdas, columnas, ejercicio));
}

/** By date of filing, then by number. */
export function byFecha(a: Declaracion, b: Declaracion): number {
  return compare(a.fecha, b.fecha) || compare(a.numeroOperacion, b.numeroOperacion);
}

const diceQueNoHay = (texto: string) => NO_HAY.test(toForma(texto));

interface Columnas {
  readonly total: number;
  readonly indices: ReadonlyMap<Columna, number>;
}

function columnasDe({ encabezados }: Tabla, required: readonly Columna[]): Columnas {
  const fila = encabezados.find((celdas) =>
    celdas.some(({ texto }) => LABELS.numeroOperacion.some((heading) => heading.test(toLabel(texto)))),
  );
  if (fila === undefined || fila.some(({ ancho }) => ancho !== 1)) throw ilegible('declaraciones: sin encabezados');
  const labels = fila.map(({ texto }) => toLabel(texto));
  return { total: fila.length, indices: needColumns({ labels }, LABELS, required) };
}

function toDeclaracion(celdas: Fila, { total, indices }: Columnas, ejercicio: number): Declaracion {
  // The sister portal of the DIOT has ten cells under nine headings (soycontadorAI/sat-dm, diot_consulta.py): extra
  // cells belong to no column.
  if (celdas.length < total) throw ilegible('declaraciones: fila con menos columnas');
  const optional = (columna: Columna) => {
    const texto = celdas[indices.get(columna) ?? -1]?.texto ?? '';
    assertCleanText(texto);
    return /^(?:|-+|n\/?a)$/i.test(texto) ? null : texto;
  };
  const texto = (columna: Columna) => {
    const valor = optional(columna);
    if (valor === null || valor.length > 500) throw ilegible(`declaraciones: ${columna} vacía`);
    return valor;
  };
  /** Null when the table of this portal has no such column. */
  const siLaHay = (columna: Columna) => (indices.has(columna) ? texto(columna) : null);
  const numeroOperacion = texto('numeroOperacion');
  const fecha = readFecha(texto('fecha'));
  const tipo = texto('tipo');
  if (!/^\d{5,30}$/.test(numeroOperacion)) throw ilegible('declaraciones: número de operación');
  if (fecha === null) throw ilegible('declaraciones: fecha de presentación');
  return {
    numeroOperacion,
    tipo,
    tipoComplementaria: optional('tipoComplementaria'),
    lineaCaptura: optional('lineaCaptura'),
    // With its number in front: `1-Mensual`.
    periodicidad: siLaHay('periodicidad')?.replace(/^\d{1,2}\s?-\s?(?=\S)/, '') ?? null,
    periodo: texto('periodo'),
    ejercicio,
    fecha,
    complementaria: /complementaria/.test(toForma(tipo)),
    estado: siLaHay('estado'),
  };
}

/** Options that choose nothing, or everything. */
const WILDCARD_VALUE = /^(?:|-1|0+)$/;
const WILDCARD_TEXT = /^(?:-*|-*\s*(?:seleccion|elija|elige|escoge|sin seleccion|tod[oa]s?\b).*)$/;

/** For a year that a portal does not have. */
export function rejectEjercicio(ejercicio: number): SatError {
  return new SatError('PETICION_RECHAZADA', { codigo: 'EJERCICIO', detalle: `el portal no tiene ${ejercicio}` });
}

/** The choices that choose something. */
export function realRows({ opciones }: Lista): readonly Opcion[] {
  return opciones.filter(isReal);
}

function isReal({ valor, texto }: Opcion): boolean {
  return !WILDCARD_VALUE.test(valor) && !WILDCARD_TEXT.test(toForma(texto));
}

import type { Notificacion } from '@acuse/core';
import { toForma, toRotulo } from '../../texto/forma.ts';
import { assertTextoSano } from '../../texto/sano.ts';
import { type Etiqueta, readTexto } from '../paginas/etiquetas.ts';
import { readFecha } from '../paginas/fechas.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { addOnce } from '../paginas/tablas/filas-unicas.ts';
import { findColumnas } from '../paginas/tablas/tabla.ts';
import { type Fila, filasSinAviso, readTablas, type Tabla } from '../paginas/tablas/tablas.ts';
import { isEntera } from './bloques.ts';

const ROTULOS = {
  folio: [/\bfolio\b/],
  autoridad: [/\bautoridad\b/],
  asunto: [/^(?:tipo de )?acto(?: administrativo)?$/],
  fecha: [/^fecha(?: de(?:l)? (?:aviso|notificacion))?$/],
} as const;
type Columna = keyof typeof ROTULOS;
const NOMBRES = Object.keys(ROTULOS) as Columna[];

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
  assertUnaPagina(etiquetas, notificaciones.size + notificadas);
  if (notificaciones.size === 0 && notificadas === 0 && !diceQueNoHay(readTexto(etiquetas))) {
    throw ilegible('notificaciones: sin lista');
  }
  return [...notificaciones.values()].toSorted(newestFirst);
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
    const rotulos = celdas.map(({ texto }) => toRotulo(texto));
    const indices = findColumnas({ rotulos }, ROTULOS);
    if (NOMBRES.some((columna) => !indices.has(columna))) {
      if (indices.has('folio') && (indices.has('autoridad') || indices.has('asunto')))
        throw ilegible('notificaciones: columnas');
      continue;
    }
    if (celdas.some(({ ancho }) => ancho !== 1)) throw ilegible('notificaciones: columnas unidas');
    if (new Set(indices.values()).size < NOMBRES.length) throw ilegible('notificaciones: columnas');
    return { total: celdas.length, indices, textoFecha: rotulos[indices.get('fecha') ?? -1] ?? '' };
  }
  return null;
}

/** A list of acts already notified has the date of that instead of the notice's, or says so in its caption. */
function isNotificada({ titulo }: Tabla, { textoFecha }: Columnas): boolean {
  const leyenda = toForma(titulo);
  if (/\bpendientes?\b/.test(leyenda)) return false;
  return /\bnotificad[oa]s?\b/.test(leyenda) || textoFecha.includes('notificacion');
}

function toNotificacion(celdas: Fila, { total, indices }: Columnas): Notificacion {
  if (celdas.length !== total) throw ilegible('notificaciones: fila con otras columnas');
  const texto = (columna: Columna) => {
    const valor = celdas[indices.get(columna) ?? -1]?.texto ?? '';
    assertTextoSano(valor);
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
function assertUnaPagina(etiquetas: readonly Etiqueta[], leidas: number): void {
  let numeradas = 0;
  for (const etiqueta of etiquetas) {
    if (etiqueta.cierra) continue;
    if (etiqueta.nombre === 'script') {
      const total = /\browCount\s*:\s*(\d{1,9})/.exec(etiqueta.texto)?.[1];
      if (total !== undefined && Number(total) > leidas) throw ilegible('notificaciones: hay más páginas');
    }
    const clase = etiqueta.atributos.get('class') ?? '';
    const numerada = etiqueta.nombre === 'a' && /^(?:[2-9]|\d{2,4})$/.test(readTexto([etiqueta]));
    if (/\bui-paginator-page\b/.test(clase)) numeradas += 1;
    else if (numerada) numeradas += 2;
  }
  if (numeradas > 1) throw ilegible('notificaciones: hay más páginas');
}

function newestFirst(a: Notificacion, b: Notificacion): number {
  if (a.fecha !== b.fecha) return a.fecha < b.fecha ? 1 : -1;
  return a.folio < b.folio ? -1 : 1;
}

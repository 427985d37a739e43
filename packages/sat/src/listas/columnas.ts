import type { SituacionEfos } from '@acuse/core';
import { toForma } from '../texto/forma.ts';
import { listaIlegible } from './ilegible.ts';

/** A stage's columns, by position. */
interface ColumnasPaso {
  readonly situacion: SituacionEfos;
  /** Global notice as told on the SAT's page and in the DOF. */
  readonly oficios: readonly number[];
  readonly fechaSat: number;
  readonly fechaDof: number;
}

/** Where each thing stands in a row. */
export interface Columnas {
  /** How many fields a row has. */
  readonly cuantas: number;
  readonly rfc: number;
  readonly nombre: number;
  readonly situacion: number;
  readonly pasos: readonly ColumnasPaso[];
}

/** Lower case, without accents, marks and double spaces: how headers and situations are compared. */
function plain(text: string): string {
  return toForma(text)
    .replace(/[^a-z0-9&]+/g, ' ')
    .trim();
}

const RFC = new Set(['rfc', 'rfc del contribuyente']);
const NOMBRE = new Set([
  'nombre del contribuyente',
  'nombre',
  'razon social',
  'nombre denominacion o razon social',
  'nombre o razon social',
]);
const SITUACION = new Set(['situacion del contribuyente', 'situacion', 'supuesto']);

/** The word of a header that tells its stage, in whatever number and gender. */
const PASOS: readonly (readonly [SituacionEfos, RegExp])[] = [
  ['PRESUNTO', /\bpresun(cion|tos?)\b/],
  ['DESVIRTUADO', /\bdesvirtu(ados?|aron|o)\b/],
  ['DEFINITIVO', /\bdefinitiv[oa]s?\b/],
  ['SENTENCIA_FAVORABLE', /\bsentencias? favorables?\b/],
];

/** Whether a record is the header: a list's other lines have no cell that says just `RFC`. */
export function isHeader(cells: readonly string[]): boolean {
  return cells.some((cell) => RFC.has(plain(cell))) && cells.some((cell) => SITUACION.has(plain(cell)));
}

/**
 * Finds the columns by their names, in whatever order. Throws RESPUESTA_ILEGIBLE for a header that is not the one of
 * the list.
 */
export function readColumnas(header: readonly string[]): Columnas {
  const names = header.map(plain);
  const cuantas = names.findLastIndex((name) => name !== '') + 1;
  const one = (what: string, test: (name: string) => boolean): number => {
    const found = names.flatMap((name, index) => (test(name) ? [index] : []));
    const [index] = found;
    if (index === undefined || found.length > 1) throw listaIlegible(`encabezado sin columna única: ${what}`);
    return index;
  };
  const pasos = PASOS.map(([situacion, pattern]): ColumnasPaso => {
    const of = (test: (name: string) => boolean) => (name: string) => pattern.test(name) && test(name);
    const isOficio = (name: string) => name.includes('oficio');
    const oficio = (end: string) =>
      one(
        `oficio ${situacion} ${end}`,
        of((name) => isOficio(name) && name.endsWith(end)),
      );
    return {
      situacion,
      oficios: [oficio(' sat'), oficio(' dof')],
      fechaSat: one(
        `página ${situacion}`,
        of((name) => !isOficio(name) && /^publicacion (en )?pagina( del)? sat\b/.test(name)),
      ),
      fechaDof: one(
        `DOF ${situacion}`,
        of((name) => !isOficio(name) && /^publicacion (en )?(el )?dof\b/.test(name)),
      ),
    };
  });
  return {
    cuantas,
    rfc: one('RFC', (name) => RFC.has(name)),
    nombre: one('nombre', (name) => NOMBRE.has(name)),
    situacion: one('situación', (name) => SITUACION.has(name)),
    pasos,
  };
}

const SITUACIONES: Readonly<Record<string, SituacionEfos>> = {
  presunto: 'PRESUNTO',
  presuntos: 'PRESUNTO',
  desvirtuado: 'DESVIRTUADO',
  desvirtuados: 'DESVIRTUADO',
  definitivo: 'DEFINITIVO',
  definitivos: 'DEFINITIVO',
  'sentencia favorable': 'SENTENCIA_FAVORABLE',
  'sentencias favorables': 'SENTENCIA_FAVORABLE',
};

/** Null for a word that the list does not use: guessing would call somebody guilty or clean. */
export function readSituacion(cell: string): SituacionEfos | null {
  const word = plain(cell);
  return Object.hasOwn(SITUACIONES, word) ? (SITUACIONES[word] ?? null) : null;
}

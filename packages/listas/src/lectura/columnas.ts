import { readMes, toDia, toForma } from '@acuse/sat';
import type { SituacionEfos } from '../listas.ts';
import { listaIlegible } from './decode.ts';

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

/** Whether a record is the header of 69-B or 69-B Bis: their other lines have no cell that says just `RFC`. */
export function isHeader69B(cells: readonly string[]): boolean {
  return cells.some((cell) => RFC.has(plain(cell))) && cells.some((cell) => SITUACION.has(plain(cell)));
}

/** The names of a header, how many there are, and the only one that is meant. */
function readNames(header: readonly string[]) {
  const names = header.map(plain);
  const find = (test: (name: string) => boolean) => names.flatMap((name, index) => (test(name) ? [index] : []));
  return {
    cuantas: names.findLastIndex((name) => name !== '') + 1,
    find,
    one(what: string, test: (name: string) => boolean): number {
      const [index, ...others] = find(test);
      if (index === undefined || others.length > 0) throw listaIlegible(`encabezado sin columna única: ${what}`);
      return index;
    },
  };
}

/**
 * Finds the columns by their names, in whatever order; `situaciones`: those whose columns the list has. Throws
 * RESPUESTA_ILEGIBLE for a header that is not the one of the list.
 */
export function readColumns(header: readonly string[], situaciones: readonly SituacionEfos[]): Columnas {
  const { cuantas, one } = readNames(header);
  const pasos = PASOS.filter(([situacion]) => situaciones.includes(situacion)).map(
    ([situacion, pattern]): ColumnasPaso => {
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
    },
  );
  return {
    cuantas,
    rfc: one('RFC', (name) => RFC.has(name)),
    nombre: one('nombre', (name) => NOMBRE.has(name)),
    situacion: one('situación', (name) => SITUACION.has(name)),
    pasos,
  };
}

/** Where each thing stands in a row of the lists of article 69 and of the seals without effect. */
interface ColumnasListado {
  readonly cuantas: number;
  readonly rfc: number;
  readonly nombre: number;
  /** Null: the file has no such column. */
  readonly supuesto: number | null;
  readonly publicada: number | null;
  /** A reason as reasons are compared. */
  wordOf(supuesto: string): string;
}

const NOMBRE_LISTADO = /^(nombre|razon social|denominacion)\b/;
const SUPUESTO = /^(supuesto|motivo)\b/;
/** Which date says since when: the first of these that the header has. */
const PUBLICADA: readonly RegExp[] = [
  /\bprimera publicacion\b/,
  /\bpublicacion\b/,
  /^fechas? de cancelacion\b/,
  /^fechas?\b/,
];

/** Whether a record is the header of such a file. */
export function isHeaderListado(cells: readonly string[]): boolean {
  return cells.some((cell) => RFC.has(plain(cell))) && cells.some((cell) => NOMBRE_LISTADO.test(plain(cell)));
}

/**
 * Finds the columns by their names, which differ from file to file (`RAZON SOCIAL`, `RAZÓN SOCIAL`, `NOMBRE O RAZON
 * SOCIAL`; `SUPUESTO`, `SUPUESTO DE CANCELACION CSD`). Throws RESPUESTA_ILEGIBLE where one is there twice.
 */
export function readListColumns(header: readonly string[]): ColumnasListado {
  const { cuantas, find, one } = readNames(header);
  const optional = (what: string, pattern: RegExp | undefined) =>
    pattern === undefined || find((name) => pattern.test(name)).length === 0
      ? null
      : one(what, (name) => pattern.test(name));
  return {
    cuantas,
    rfc: one('RFC', (name) => RFC.has(name)),
    nombre: one('nombre', (name) => NOMBRE_LISTADO.test(name)),
    supuesto: optional('supuesto', SUPUESTO),
    publicada: optional(
      'fecha',
      PUBLICADA.find((pattern) => find((name) => pattern.test(name)).length > 0),
    ),
    wordOf: plain,
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

/** Null for a word that the list does not use: a guess would call a taxpayer guilty or clean. */
export function readSituacion(cell: string): SituacionEfos | null {
  const word = plain(cell);
  return Object.hasOwn(SITUACIONES, word) ? (SITUACIONES[word] ?? null) : null;
}

/** Day 1 of Excel's count as its 1900 system has it for every date after February 1900. */
const EXCEL_EPOCH_MS = Date.UTC(1899, 11, 30);
const DAY_MS = 86_400_000;
/** The list begins in 2014; what lies outside is no date of it. */
const FIRST_YEAR = 2_010;
const LAST_YEAR = 2_099;

function dayOf(year: number, month: number, day: number): string | null {
  if (year < FIRST_YEAR || year > LAST_YEAR) return null;
  return toDia(year, month, day);
}

/**
 * The day, `yyyy-MM-dd`, in the prose at the head of the list: `Información actualizada al 31 de julio de 2026; …`.
 * Null when it has none or more than one.
 */
export function readFechaCorte(prose: string): string | null {
  const text = prose.slice(0, 2_000).toLowerCase();
  const pattern = /(?<!\d)(\d{1,2})º?\s+de\s+(\p{L}{4,10})\s+(?:de|del)\s+(\d{4})(?!\d)/gu;
  const days = new Set<string>();
  for (const [, day, name, year] of text.matchAll(pattern)) {
    const month = readMes(name ?? '');
    const found = month === null ? null : dayOf(Number(year), month, Number(day));
    if (found !== null) days.add(found);
  }
  const [only] = days;
  return days.size === 1 && only !== undefined ? only : null;
}

/** A cell of publication: `vacia`, the day it says, or `ilegible`. */
type CeldaFecha = { readonly tipo: 'vacia' | 'ilegible' } | { readonly tipo: 'dia'; readonly dia: string };

/**
 * Reads `dd/mm/yyyy`. Some cells of the real list hold two of them (published again: the newer one is taken), some are
 * written with dashes, and some are the number of days that a spreadsheet shows as a date.
 */
export function readDateCell(cell: string): CeldaFecha {
  const text = cell.trim();
  if (text === '') return { tipo: 'vacia' };
  if (text.length > 64) return { tipo: 'ilegible' };
  if (/^\d{5}$/.test(text)) {
    const date = new Date(EXCEL_EPOCH_MS + Number(text) * DAY_MS);
    return asCell([dayOf(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())]);
  }
  const pattern = /(?<!\d)(\d{1,2})([/-])(\d{1,2})\2(\d{4})(?!\d)/g;
  const found = [...text.matchAll(pattern)];
  const rest = text.replace(pattern, '').replace(/[\s,;.yY-]/g, '');
  if (found.length === 0 || rest !== '') return { tipo: 'ilegible' };
  return asCell(found.map(([, day, , month, year]) => dayOf(Number(year), Number(month), Number(day))));
}

function asCell(days: readonly (string | null)[]): CeldaFecha {
  const real = days.filter((day) => day !== null).sort();
  const newest = real.at(-1);
  return newest === undefined || real.length !== days.length ? { tipo: 'ilegible' } : { tipo: 'dia', dia: newest };
}

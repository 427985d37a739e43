import { MAGIAS } from '../magia/catalogo.ts';
import type { Listado69B, Situacion69B } from '../magia.ts';
import { keyOf, mix, word } from '../taxpayers/mix.ts';
import { checkDigit, generateRfc } from '../taxpayers/rfc.ts';
import { mesDe } from '../texts.ts';
import { DAY, formatWallTime, parseWallTime, type WallTime } from '../wall-time.ts';
import type { Paso, Registro } from './registro.ts';

export type GenerateOptions = {
  semilla: string;
  /** How many proceedings have begun by the end of {@link BASE}. */
  filas: number;
  nombreDe(rfc: string): string;
};

/** Day up to which `filas` proceedings have begun; after it {@link MONTHLY} begin each month. */
const BASE = '2026-10-31';
const MONTHLY = 40;
const MONTHS_AFTER = 60;
const FIRST_DAY = day('2014-01-01');
const MONTH = 30 * DAY;

/** Which outcome a proceeding has in the end, of a hundred. */
const OUTCOMES: readonly (readonly [until: number, outcome: readonly Situacion69B[]])[] = [
  [2, ['Presunto']],
  [5, ['Presunto', 'Desvirtuado']],
  [17, ['Presunto', 'Definitivo', 'Sentencia Favorable']],
  [100, ['Presunto', 'Definitivo']],
];
/** Days between a stage and the one before it: at least, and by chance as many more. */
const WAITS: Record<Situacion69B, readonly [number, number]> = {
  Presunto: [0, 0],
  Desvirtuado: [120, 200],
  Definitivo: [120, 200],
  'Sentencia Favorable': [400, 900],
};

/**
 * Every proceeding there will ever be, by RFC; `asOf` tells which the list of a day shows. Generated ones have the odds
 * of the public list: RFCs with Ñ and &, a second proceeding of the same RFC, masked ones, names with commas, line
 * breaks and typographic quotes.
 */
export function generateRegistros({ semilla, filas, nombreDe }: GenerateOptions): Registro[] {
  const key = keyOf(semilla, 'listado 69-B');
  const magic = MAGIAS.flatMap(({ moral, fisica, listado69b = [] }) =>
    [moral, fisica].flatMap((rfc) => listado69b.map((listado, n) => magicRegistro(rfc, nombreDe(rfc), listado, n))),
  );
  const base = day(BASE);
  const isBefore = Math.max(0, filas - magic.length);
  const registros = [...magic];
  for (let n = 0; n < isBefore + MONTHLY * MONTHS_AFTER; n++) {
    const inicio =
      n < isBefore
        ? FIRST_DAY + (random(key, 0, n) % ((base - FIRST_DAY) / DAY)) * DAY
        : base + DAY + Math.floor(((n - isBefore) * MONTH) / MONTHLY / DAY) * DAY;
    registros.push(generated(key, n, inicio, nombreDe));
  }
  return registros.sort((a, b) => (a.rfc < b.rfc ? -1 : a.rfc > b.rfc ? 1 : a.pasos[0].fechaSat - b.pasos[0].fechaSat));
}

function generated(key: Uint32Array, n: number, inicio: WallTime, nombreDe: (rfc: string) => string): Registro {
  // One in fifty is another proceeding of the taxpayer before it.
  const person = n % 50 === 49 ? n - 1 : n;
  const isMoral = random(key, 1, person) % 100 < 77;
  const rfc = withOddLetter(generateRfc(key, person, isMoral), person);
  const outcome = OUTCOMES.find(([until]) => random(key, 2, n) % 100 < until)?.[1] ?? ['Presunto'];
  return {
    rfc,
    nombre: nameOf(nombreDe(rfc), isMoral, person),
    isMasked: n % 160 === 3,
    pasos: pasosOf(outcome, inicio, (slot) => random(key, 3 + slot, n), n % 200 === 11),
  };
}

/**
 * A magic RFC's record: one stage each hundred days up to where it stands; its second proceeding six years after the
 * first.
 */
function magicRegistro(rfc: string, nombre: string, { situacion, antes, isMasked }: Listado69B, n: number): Registro {
  const inicio = day('2017-03-06') + n * 6 * 365 * DAY;
  return {
    rfc,
    nombre: nameOf(nombre, rfc.length === 12, 1),
    isMasked,
    pasos: pasosOf([...antes, situacion], inicio, () => 100, false),
  };
}

function pasosOf(
  situaciones: readonly Situacion69B[],
  inicio: WallTime,
  chance: (slot: number) => number,
  isDofMissing: boolean,
): [Paso, ...Paso[]] {
  let fecha = inicio;
  const [first = paso('Presunto', inicio, chance(0), isDofMissing), ...rest] = situaciones.map((situacion, i) => {
    const [least, more] = WAITS[situacion];
    if (i > 0) fecha += (least + (more === 0 ? 0 : chance(i) % more)) * DAY;
    return paso(situacion, fecha, chance(i), isDofMissing && i === situaciones.length - 1);
  });
  return [first, ...rest];
}

/** Three ways of writing a notice's number stand side by side in the public list. */
function paso(situacion: Situacion69B, fechaSat: WallTime, chance: number, isDofMissing: boolean): Paso {
  const [year = '', month = '', date = ''] = formatWallTime(fechaSat).slice(0, 10).split('-');
  const number = 1000 + (chance % 39_000);
  const forms = [
    `500-05-${year}-${number}`,
    `500-05-${year}-${number}`,
    `500 05 ${year} ${number}`,
    `500-05-00-00-00-${year}-${number}`,
  ];
  const oficio = `${forms[chance % forms.length]} de fecha ${date} de ${mesDe(month)} de ${year}`;
  return {
    situacion,
    oficio,
    fechaSat,
    fechaDof: isDofMissing ? null : fechaSat + (10 + (chance % 25)) * DAY,
  };
}

function nameOf(nombre: string, isMoral: boolean, n: number): string {
  if (!isMoral) return nombre;
  if (n % 97 === 5) return `${nombre}, \nS.A. DE C.V.`;
  if (n % 97 === 6) return `“${nombre}” – SERVICIOS, S.C.`;
  if (n % 97 === 7) return `GRUPO "${nombre}", S.A.P.I. DE C.V.`;
  return `${nombre}, S.A. DE C.V.`;
}

function withOddLetter(rfc: string, n: number): string {
  const letter = n % 150 === 20 ? 'Ñ' : n % 60 === 21 ? '&' : '';
  if (letter === '') return rfc;
  const base = rfc.charAt(0) + letter + rfc.slice(2, -1);
  return base + checkDigit(base);
}

function random(key: Uint32Array, slot: number, n: number): number {
  return mix(word(key, slot) ^ Math.imul(slot, 0x9e3779b1), n);
}

function day(text: string): WallTime {
  const time = parseWallTime(text);
  if (time === null) throw new RangeError(`"${text}" is no day`);
  return time;
}

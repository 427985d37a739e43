import type { Clock } from './clock.ts';
import { type Aparicion69B, MAGIAS, type Situacion69B } from './magia/catalogo.ts';
import type { Settings } from './settings.ts';
import { keyOf, mix, word } from './taxpayers/mix.ts';
import { checkDigit, generateRfc } from './taxpayers/persona.ts';
import { dayInWords } from './texts.ts';
import { DAY, formatWallTime, parseWallTime, type WallTime } from './wall-time.ts';

/** A state of the list: its rows by RFC, the day of its cut, and when it was put where it is read. */
export type Edicion = { corte: WallTime; registros: readonly Registro[]; publicada: Date };

/** Day of the cut at the old address (antonio10024/Lista69B and others saw it stay there). */
const FROZEN = '2025-12-31';
/** The public list appeared 17 days after its cut in June 2026. */
const DELAY = 17;

/** Creates the list of article 69-B as the SAT knows and publishes it; its rows are made at the first use (14,500 in less than a second) and after a change. */
export function createListado69B(deps: {
  clock: Clock;
  settings: Pick<Settings, 'semilla' | 'filas_69b' | 'corte_69b'>;
  nombreDe(rfc: string): string;
}) {
  const { settings, clock, nombreDe } = deps;
  let replaced = new Map<string, readonly Registro[]>();
  let replacedAt: Date | null = null;
  let version = 0;
  let all = { key: '', registros: [] as Registro[] };
  let current: { key: string; edicion: Edicion; adverse: ReadonlySet<string> } | null = null;

  const generated = (): Registro[] => {
    const { semilla, filas_69b: filas } = settings;
    const key = JSON.stringify([semilla, filas]);
    if (all.key !== key) all = { key, registros: generateRegistros({ semilla, filas, nombreDe }) };
    return all.registros;
  };

  const edition = (corte: string, replacements: ReadonlyMap<string, readonly Registro[]>): Edicion => {
    const until = parseWallTime(corte) ?? 0;
    const kept = generated().filter(({ rfc }) => !replacements.has(rfc));
    const registros = [...kept, ...[...replacements.values()].flat()]
      .map((registro) => asOf(registro, until))
      .filter((registro) => registro !== null)
      .sort((a, b) => (a.rfc < b.rfc ? -1 : a.rfc > b.rfc ? 1 : 0));
    const appeared = Date.parse(`${corte}T18:00:00-06:00`) + DELAY * 86_400_000;
    return { corte: until, registros, publicada: new Date(appeared) };
  };

  const state = () => {
    const { semilla, filas_69b, corte_69b } = settings;
    const key = JSON.stringify([semilla, filas_69b, corte_69b, version]);
    if (current?.key !== key) {
      const edicion = edition(corte_69b, replaced);
      if (replacedAt) edicion.publicada = replacedAt;
      const adverse = edicion.registros.filter((registro) => ADVERSE.has(situacionOf(registro)));
      current = { key, edicion, adverse: new Set(adverse.map(({ rfc }) => rfc)) };
    }
    return current;
  };

  return {
    /** The list now: what the settings and the changes say. The same object until something changes. */
    vigente: () => state().edicion,
    /** The list at the old address, which nothing changes. */
    congelada: () => edition(FROZEN, new Map()),
    /** Rows that replace all of the same RFCs from now on; an RFC without rows is taken out. */
    replace: (rows: ReadonlyMap<string, readonly Registro[]>) => {
      for (const [rfc, registros] of rows) replaced.set(rfc, registros);
      replacedAt = clock.now();
      version += 1;
    },
    /** Forgets the replacements. */
    reset: () => {
      replaced = new Map();
      replacedAt = null;
      version += 1;
    },
    /** Whether a taxpayer stands as Presunto or Definitivo in some proceeding, masked or not. */
    isAdverse: (rfc: string) => state().adverse.has(rfc),
  };
}

const ADVERSE: ReadonlySet<string> = new Set(['Presunto', 'Definitivo']);

/**
 * A stage of a proceeding: the global notice and when it was published, on the SAT's page and in the DOF. Days, wall
 * clock.
 */
export type Paso = {
  situacion: Situacion69B;
  oficio: string;
  fechaSat: WallTime;
  /** Null: the list leaves the columns of the DOF empty. */
  fechaDof: WallTime | null;
};

/** A proceeding of the list of article 69-B. */
export type Registro = {
  rfc: string;
  nombre: string;
  /** The list shows X in place of the RFC and no name. */
  isMasked: boolean;
  /** Oldest first, at least one; the last one is where the taxpayer stands. */
  pasos: readonly [Paso, ...Paso[]];
};

/** Where a proceeding stands. */
export function situacionOf({ pasos }: Registro): Situacion69B {
  return (pasos.at(-1) ?? pasos[0]).situacion;
}

/** The proceeding as it stood at the end of a day; null when it had not begun. */
function asOf(registro: Registro, corte: WallTime): Registro | null {
  const [first, ...rest] = registro.pasos.filter(({ fechaSat }) => fechaSat <= corte);
  return first ? { ...registro, pasos: [first, ...rest] } : null;
}

type GenerateOptions = {
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
function generateRegistros({ semilla, filas, nombreDe }: GenerateOptions): Registro[] {
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
function magicRegistro(rfc: string, nombre: string, { situacion, antes, isMasked }: Aparicion69B, n: number): Registro {
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
  const day = formatWallTime(fechaSat);
  const year = day.slice(0, 4);
  const number = 1000 + (chance % 39_000);
  const forms = [
    `500-05-${year}-${number}`,
    `500-05-${year}-${number}`,
    `500 05 ${year} ${number}`,
    `500-05-00-00-00-${year}-${number}`,
  ];
  const oficio = `${forms[chance % forms.length]} de fecha ${dayInWords(day)}`;
  return { situacion, oficio, fechaSat, fechaDof: isDofMissing ? null : fechaSat + (10 + (chance % 25)) * DAY };
}

/** A legal person's name with its regime, now and then with what makes a CSV awkward. */
export function nameOf(nombre: string, isMoral: boolean, n: number): string {
  if (!isMoral) return nombre;
  if (n % 97 === 5) return `${nombre}, \nS.A. DE C.V.`;
  if (n % 97 === 6) return `“${nombre}” – SERVICIOS, S.C.`;
  if (n % 97 === 7) return `GRUPO "${nombre}", S.A.P.I. DE C.V.`;
  return `${nombre}, S.A. DE C.V.`;
}

/** One RFC in some with Ñ or &. */
export function withOddLetter(rfc: string, n: number): string {
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

import { magiaDe } from '../world/magia.ts';
import { keyOf, mix, word } from '../world/taxpayers/mix.ts';
import { DAY, parseWallTime, type WallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import { ANUAL, MENSUAL, type Periodicidad, type Periodo } from './periodos.ts';

/** A return as it was filed. */
export type Declaracion = {
  /** Twelve digits, of which the first two are the year of filing. */
  numeroOperacion: string;
  tipo: 'Normal' | 'Complementaria';
  /** Empty for a normal one. */
  tipoComplementaria: string;
  /** Twenty signs in groups of four; empty when there was nothing to pay. */
  lineaCaptura: string;
  presentacion: WallTime;
  ejercicio: number;
  periodicidad: Periodicidad;
  periodo: Periodo;
  /** Whether a later one took its place. */
  isReplaced: boolean;
  /** What was declared; in whole pesos. */
  conceptos: readonly { nombre: string; importe: number }[];
};

/** The portal knows nothing older; the old portal (`ptscdecprov`) knows nothing younger. */
export const PRIMER_EJERCICIO = 2022;
/** The years of the old portal, newest first; which one is its first is a choice. */
export const EJERCICIOS_ANTERIORES: readonly number[] = Array.from({ length: 8 }, (_, n) => PRIMER_EJERCICIO - 1 - n);

const SIN_DECLARACIONES = ['INSCRITO_SIN_OBLIGACIONES', 'NO_INSCRITO', 'EN_SUSPENSION'];
const COMPLEMENTARIAS = ['Modificación de Declaración', 'Obligación no presentada'] as const;
const SIGNS = '0123456789ABCDEFGHIJKLMNPQRSTUVWXYZ';

/**
 * The returns of a taxpayer for a fiscal year that were filed up to now, by filing. They follow from the seed and the
 * RFC: one a month, one for the year, and of every six about one is amended. What its opinion names as missing was not
 * filed.
 */
export function declaracionesOf(world: World, rfc: string, ejercicio: number): Declaracion[] {
  return ejercicio >= PRIMER_EJERCICIO ? presentadas(world, rfc, ejercicio) : [];
}

/** The same of a year that the old portal has. */
export function declaracionesAnterioresOf(world: World, rfc: string, ejercicio: number): Declaracion[] {
  return EJERCICIOS_ANTERIORES.includes(ejercicio) ? presentadas(world, rfc, ejercicio) : [];
}

function presentadas(world: World, rfc: string, ejercicio: number): Declaracion[] {
  const now = wallTimeOf(world.clock.now());
  const { opinion, inicioOperaciones } = world.taxpayers.profile(rfc);
  if (SIN_DECLARACIONES.includes(opinion.sentido) || magiaDe(rfc)?.filas?.length === 0) return [];
  const isMissing = ({ nombre }: Periodo) =>
    opinion.obligacionesOmitidas.some((omitida) => omitida.ejercicio === ejercicio && omitida.periodo === nombre);
  return [MENSUAL, ANUAL]
    .flatMap((periodicidad) => periodicidad.periodos.map((periodo) => ({ periodicidad, periodo })))
    .filter(({ periodo }) => !isMissing(periodo) && endOf(ejercicio, periodo) > dayOf(inicioOperaciones))
    .flatMap(({ periodicidad, periodo }) => filed(world, rfc, ejercicio, periodicidad, periodo, now))
    .sort((a, b) => a.presentacion - b.presentacion);
}

/** The return of a period and its amendments, as far as they were filed up to `now`. */
function filed(
  world: World,
  rfc: string,
  ejercicio: number,
  periodicidad: Periodicidad,
  periodo: Periodo,
  now: WallTime,
): Declaracion[] {
  const key = keyOf(world.settings.semilla, rfc, 'declaracion', ejercicio, periodo.clave);
  const chance = (slot: number, size: number) => mix(word(key, slot), slot) % size;
  const first = endOf(ejercicio, periodo) + (4 + chance(0, periodo.plazoDias - 4)) * DAY + chance(1, DAY);
  const amendments = chance(2, 6) === 0 ? 1 + Number(chance(3, 4) === 0) : 0;
  const times = [first];
  for (let n = 0; n < amendments; n++)
    times.push((times.at(-1) ?? first) + (10 + chance(4 + n, 50)) * DAY + chance(6 + n, 3600));
  const inTime = times.filter((time) => time <= now);
  return inTime.map((presentacion, n) => {
    const conceptos = periodo.conceptos.map((nombre, i) => {
      const slot = 8 + n * 8 + i * 2;
      return { nombre, importe: chance(slot, 3) === 0 ? 0 : 1_000 + chance(slot + 1, 90_000) };
    });
    return {
      numeroOperacion: operationNumber(key, n, presentacion),
      tipo: n === 0 ? 'Normal' : 'Complementaria',
      tipoComplementaria: n === 0 ? '' : COMPLEMENTARIAS[chance(20 + n, 4) === 0 ? 1 : 0],
      lineaCaptura: conceptos.every(({ importe }) => importe === 0) ? '' : captureLine(key, n),
      presentacion,
      ejercicio,
      periodicidad,
      periodo,
      isReplaced: n < inTime.length - 1,
      conceptos,
    };
  });
}

function operationNumber(key: Uint32Array, n: number, presentacion: WallTime): string {
  const year = String(new Date(presentacion * 1000).getUTCFullYear() % 100).padStart(2, '0');
  return year + String(mix(word(key, 7), 100 + n)).padStart(10, '0');
}

function captureLine(key: Uint32Array, n: number): string {
  const signs = Array.from({ length: 20 }, (_, i) =>
    SIGNS.charAt(mix(word(key, i), 200 + n * 32 + i) % SIGNS.length),
  ).join('');
  return signs.replace(/(.{4})(?=.)/g, '$1 ');
}

/** The first instant after a period. */
function endOf(ejercicio: number, { ultimoMes }: Periodo): WallTime {
  return Date.UTC(ejercicio, ultimoMes, 1) / 1000;
}

function dayOf(day: string): WallTime {
  return parseWallTime(day) ?? 0;
}

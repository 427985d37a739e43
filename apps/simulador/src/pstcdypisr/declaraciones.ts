import { createSheet, LEFT } from '../web/pdf.ts';
import { magiaDe } from '../world/magia.ts';
import { keyOf, mix, word } from '../world/taxpayers/mix.ts';
import { dayFirst, MESES, pesos } from '../world/texts.ts';
import { DAY, formatWallTime, parseWallTime, type WallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';
import type { TipoDocumento } from './pstcdypisr.ts';

/** A return as it was filed. */
export type Declaracion = {
  /** Twelve digits; the first two are the year of filing. */
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
  /** Declared amounts, in whole pesos. */
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
  return formatWallTime(presentacion).slice(2, 4) + String(mix(word(key, 7), 100 + n)).padStart(10, '0');
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

type Periodo = {
  /** Three digits, the value of its option. */
  clave: string;
  nombre: string;
  /** Its last month, 1 to 12. */
  ultimoMes: number;
  /** Days after its end within which taxpayers of the simulator file. */
  plazoDias: number;
  conceptos: readonly string[];
};

type Periodicidad = {
  /** The value of its option. */
  clave: string;
  nombre: string;
  /** How the table of results words it. */
  celda: string;
  periodos: readonly Periodo[];
};

/** M with 001 to 012: as a public client of the portal sends them. */
const MENSUAL: Periodicidad = {
  clave: 'M',
  nombre: 'Mensual',
  celda: '1-Mensual',
  periodos: MESES.map((mes, i) => ({
    clave: String(i + 1).padStart(3, '0'),
    nombre: mes.charAt(0).toUpperCase() + mes.slice(1),
    ultimoMes: i + 1,
    plazoDias: 20,
    conceptos: ['ISR', 'IVA'],
  })),
};

/** The whole year; its option values are ours. */
const ANUAL: Periodicidad = {
  clave: 'A',
  nombre: 'Del Ejercicio',
  celda: '5-Del Ejercicio',
  periodos: [{ clave: '035', nombre: 'Del Ejercicio', ultimoMes: 12, plazoDias: 110, conceptos: ['ISR'] }],
};

export const PERIODICIDADES: readonly Periodicidad[] = [MENSUAL, ANUAL];

const TITULOS: Readonly<Record<TipoDocumento, string>> = {
  1: 'Declaración provisional o definitiva de impuestos federales',
  3: 'Acuse de recibo. Declaración provisional o definitiva de impuestos federales',
};

/** The document of a return, or its receipt: labels, values, declared amounts. The layout is ours. */
export function declaracionPdf(
  declaracion: Declaracion,
  tipo: TipoDocumento,
  owner: { rfc: string; nombre: string },
): Promise<Buffer> {
  const sheet = createSheet(TITULOS[tipo], new Date(declaracion.presentacion * 1000));
  const datum = (label: string, value: string) =>
    sheet.row([
      [LEFT, label],
      [220, value],
    ]);
  const [day = '', hour = ''] = formatWallTime(declaracion.presentacion).split(' ');
  sheet.heading('Servicio de Administración Tributaria');
  sheet.title(TITULOS[tipo]);
  datum('RFC:', owner.rfc);
  datum('Nombre:', owner.nombre);
  datum('Tipo de declaración:', declaracion.tipo);
  if (declaracion.tipoComplementaria !== '') datum('Tipo de complementaria:', declaracion.tipoComplementaria);
  datum('Período de la declaración:', declaracion.periodo.nombre);
  datum('Ejercicio:', String(declaracion.ejercicio));
  datum('Fecha y hora de presentación:', `${dayFirst(day)} ${hour.slice(0, 5)}`);
  datum('Número de operación:', declaracion.numeroOperacion);
  if (declaracion.lineaCaptura !== '') datum('Línea de captura:', declaracion.lineaCaptura);
  sheet.y += 8;
  sheet.heading('Impuestos que declara');
  for (const { nombre, importe } of declaracion.conceptos) datum(nombre, pesos(importe));
  return sheet.finish();
}

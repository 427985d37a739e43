import { z } from 'zod';
import { SENTIDOS, type SentidoOpinion } from '../magia/catalogo.ts';
import { magiaDe } from '../magia.ts';
import { DAY, formatWallTime, parseWallTime, type WallTime } from '../wall-time.ts';
import {
  LUGARES,
  REGIMENES_FISICA,
  REGIMENES_MORAL,
  type Regimen,
  SIN_OBLIGACIONES,
  TIPOS_VIALIDAD,
  VIALIDADES,
} from './catalogos.ts';
import { keyOf, mix, word } from './mix.ts';

const dia = z.iso.date();

/** An obligation or an activity runs from `desde` to `hasta`; null: still. Dates are `yyyy-MM-dd`. */
const vigencia = { desde: dia, hasta: dia.nullable() };

const opinionSchema = z.strictObject({
  sentido: z.enum(SENTIDOS),
  /** Returns that were not filed; only a negative opinion has some. */
  obligacionesOmitidas: z.array(z.strictObject({ descripcion: z.string(), ejercicio: z.int(), periodo: z.string() })),
  /** Tax debts without guarantee; `importe` in pesos. */
  creditos: z.array(z.strictObject({ numero: z.string(), autoridad: z.string(), fecha: dia, importe: z.number() })),
  /** Whether the taxpayer lets the SAT publish its opinion. */
  autorizaPublicacion: z.boolean(),
});

/**
 * What the SAT's registry says of a taxpayer; the names are those of `perfil` in the control API. Dates are
 * `yyyy-MM-dd`.
 */
export const perfilSchema = z.strictObject({
  /** As CFDI 4.0 writes it: names and both surnames, or the company's name without its capital regime. */
  nombre: z.string(),
  tipoPersona: z.enum(['fisica', 'moral']),
  /** Natural persons: names and surnames apart, CURP, day of birth. Null for legal persons. */
  nombres: z.string().nullable(),
  apellidoPaterno: z.string().nullable(),
  apellidoMaterno: z.string().nullable(),
  curp: z.string().nullable(),
  fechaNacimiento: dia.nullable(),
  /** Legal persons. Null for natural ones. */
  regimenCapital: z.string().nullable(),
  fechaConstitucion: dia.nullable(),
  /** Eleven digits. */
  idCif: z.string().regex(/^\d{11}$/),
  estatus: z.enum(['ACTIVO', 'SUSPENDIDO', 'CANCELADO']),
  inicioOperaciones: dia,
  ultimoCambio: dia,
  email: z.string(),
  domicilio: z.strictObject({
    entidad: z.string(),
    municipio: z.string(),
    localidad: z.string(),
    colonia: z.string(),
    tipoVialidad: z.string(),
    vialidad: z.string(),
    numeroExterior: z.string(),
    /** Empty when there is none. */
    numeroInterior: z.string(),
    entreCalles: z.string(),
    cp: z.string().regex(/^\d{5}$/),
    /** The SAT's local office. */
    administracion: z.string(),
  }),
  /** `clave` of the catalogue c_RegimenFiscal, `nombre` as the constancia words it. */
  regimenes: z.array(z.strictObject({ clave: z.string(), nombre: z.string(), desde: dia })),
  actividades: z.array(z.strictObject({ orden: z.int(), descripcion: z.string(), porcentaje: z.int(), ...vigencia })),
  obligaciones: z.array(z.strictObject({ descripcion: z.string(), vencimiento: z.string(), ...vigencia })),
  opinion: opinionSchema,
});

export type Perfil = z.output<typeof perfilSchema>;
export type Opinion = Perfil['opinion'];

/** What PUT /control/contribuyentes/:rfc takes as `perfil`: any part of it; within `domicilio` and `opinion` too. */
export const cambioPerfilSchema = perfilSchema
  .extend({ domicilio: perfilSchema.shape.domicilio.partial(), opinion: opinionSchema.partial() })
  .omit({ nombre: true, tipoPersona: true })
  .partial();

export type CambioPerfil = z.output<typeof cambioPerfilSchema>;

/** A profile with some parts replaced. */
export function changeProfile(perfil: Perfil, cambio: CambioPerfil): Perfil {
  const given = <T extends object>(change: T) =>
    Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return {
    ...perfil,
    ...given(cambio),
    domicilio: { ...perfil.domicilio, ...given(cambio.domicilio ?? {}) },
    opinion: { ...perfil.opinion, ...given(cambio.opinion ?? {}) },
  };
}

const YEAR = 365.25 * DAY;
const ADULT = 18 * YEAR;
const CAPITALES = ['SOCIEDAD ANONIMA DE CAPITAL VARIABLE', 'SOCIEDAD DE RESPONSABILIDAD LIMITADA', 'SOCIEDAD ANONIMA'];

/**
 * The profile of a taxpayer; follows from the seed, the RFC, its name and the sense of its opinion (by default its
 * magic's) alone.
 */
export function generateProfile(
  seed: string,
  rfc: string,
  nombre: string,
  sentido: SentidoOpinion = magiaDe(rfc)?.opinion ?? 'POSITIVO',
): Perfil {
  const key = keyOf(seed, rfc, 'perfil');
  const isMoral = rfc.length === 12;
  const chance = (slot: number, size: number) => mix(word(key, slot), slot) % size;
  const pick = <T>(slot: number, list: readonly [T, ...T[]]): T => list[chance(slot, list.length)] ?? list[0];
  const origen = dateOfRfc(rfc);
  const inicio = isMoral ? origen + chance(0, 30) * DAY : origen + ADULT + chance(0, 300) * DAY;
  const opinion = opinionOf(key, sentido);
  const isWithoutObligations = opinion.sentido === 'INSCRITO_SIN_OBLIGACIONES';
  const regimenes: readonly Regimen[] = isWithoutObligations
    ? [SIN_OBLIGACIONES]
    : pick(1, isMoral ? REGIMENES_MORAL : REGIMENES_FISICA);
  const lugar = pick(2, LUGARES);
  const estatus = { EN_SUSPENSION: 'SUSPENDIDO', NO_INSCRITO: 'CANCELADO' } as const;
  const begin = (regimen: Regimen) => Math.max(inicio, parseWallTime(regimen.existeDesde) ?? 0);
  const since = (regimen: Regimen) => dayText(begin(regimen));
  return {
    nombre,
    tipoPersona: isMoral ? 'moral' : 'fisica',
    ...(isMoral ? moralOf(origen, pick(3, CAPITALES as [string, ...string[]])) : fisicaOf(key, rfc, nombre, origen)),
    idCif: `${10 + chance(4, 16)}${String(chance(5, 1_000_000_000)).padStart(9, '0')}`,
    estatus: opinion.sentido in estatus ? estatus[opinion.sentido as keyof typeof estatus] : 'ACTIVO',
    inicioOperaciones: dayText(inicio),
    ultimoCambio: dayText(Math.max(...regimenes.map(begin)) + chance(6, 300) * DAY),
    email: `${rfc.toLowerCase().replaceAll('ñ', 'n').replaceAll('&', 'y')}@contribuyente.invalid`,
    domicilio: {
      ...lugar,
      tipoVialidad: pick(7, TIPOS_VIALIDAD),
      vialidad: pick(8, VIALIDADES),
      numeroExterior: String(1 + chance(9, 1900)),
      numeroInterior: chance(10, 3) === 0 ? String(1 + chance(11, 40)) : '',
      entreCalles: `${pick(12, VIALIDADES)} Y ${pick(13, VIALIDADES)}`,
    },
    regimenes: regimenes.map((regimen) => ({ clave: regimen.clave, nombre: regimen.nombre, desde: since(regimen) })),
    actividades: regimenes.map((regimen, i) => ({
      orden: i + 1,
      descripcion: regimen.actividad,
      porcentaje: Math.round((100 * (i + 1)) / regimenes.length) - Math.round((100 * i) / regimenes.length),
      desde: since(regimen),
      hasta: null,
    })),
    obligaciones: regimenes.flatMap((regimen) =>
      regimen.obligaciones.map(([descripcion, vencimiento]) => ({
        descripcion,
        vencimiento,
        desde: since(regimen),
        hasta: null,
      })),
    ),
    opinion,
  };
}

function moralOf(origen: WallTime, regimenCapital: string) {
  return {
    nombres: null,
    apellidoPaterno: null,
    apellidoMaterno: null,
    curp: null,
    fechaNacimiento: null,
    regimenCapital,
    fechaConstitucion: dayText(origen),
  };
}

/** The last two words of a name are the surnames. */
function fisicaOf(key: Uint32Array, rfc: string, nombre: string, origen: WallTime) {
  const words = nombre.split(' ').filter((part) => part !== '');
  const apellidos = words.length > 2 ? words.splice(-2) : words.splice(1);
  return {
    nombres: words.join(' '),
    apellidoPaterno: apellidos[0] ?? '',
    apellidoMaterno: apellidos[1] ?? '',
    curp: curpOf(key, rfc, dayText(origen)),
    fechaNacimiento: dayText(origen),
    regimenCapital: null,
    fechaConstitucion: null,
  };
}

/**
 * The day that an RFC's six digits write; years from 10 (natural persons) or 30 (legal ones) on are of the last
 * century.
 */
function dateOfRfc(rfc: string): WallTime {
  const [, yy = '', mm = '', dd = ''] = /(\d{2})(\d{2})(\d{2}).{3}$/.exec(rfc) ?? [];
  const century = Number(yy) >= (rfc.length === 12 ? 30 : 10) ? '19' : '20';
  return parseWallTime(`${century}${yy}-${mm}-${dd}`) ?? parseWallTime('1990-01-01') ?? 0;
}

function dayText(time: WallTime): string {
  return formatWallTime(Math.floor(time)).slice(0, 10);
}

/** One taxpayer in this many does not let the SAT publish its opinion. */
const UNPUBLISHED = 8;

/**
 * The opinion of a taxpayer: what a negative one names, and whether it is public (seven in eight are, and all that are
 * not positive).
 */
function opinionOf(key: Uint32Array, sentido: SentidoOpinion): Opinion {
  const chance = (slot: number, size: number) => mix(word(key, slot), slot) % size;
  const isNegative = sentido === 'NEGATIVO';
  return {
    sentido,
    obligacionesOmitidas: isNegative
      ? [
          { descripcion: 'Pago definitivo mensual de IVA.', ejercicio: 2026, periodo: 'Marzo' },
          { descripcion: 'Pago definitivo mensual de IVA.', ejercicio: 2026, periodo: 'Abril' },
          { descripcion: 'Declaración anual de ISR', ejercicio: 2025, periodo: 'Del Ejercicio' },
        ]
      : [],
    creditos: isNegative
      ? [
          {
            numero: String(1_000_000 + chance(24, 9_000_000)),
            autoridad: 'SAT',
            fecha: '2025-08-14',
            importe: (100_000 + chance(25, 90_000_000)) / 100,
          },
        ]
      : [],
    autorizaPublicacion: sentido !== 'POSITIVO' || chance(26, UNPUBLISHED) !== 0,
  };
}

const ORDER = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ';
const CONSONANTS = 'BCDFGHJKLMNPQRSTVWXYZ';
const ENTIDADES = ['AS', 'BC', 'CL', 'CS', 'DF', 'GT', 'JC', 'MC', 'NL', 'OC', 'PL', 'YN'];

/**
 * A CURP for a natural person: the RFC's first ten signs (N for Ñ, X for &), sex, state, three consonants, the sign of
 * the century and the check digit (weights 18 to 2, modulo 10), as the "Instructivo normativo para la asignación de la
 * CURP" forms it.
 */
function curpOf(key: Uint32Array, rfc: string, fechaNacimiento: string): string {
  const pick = (slot: number, signs: string | readonly string[]) =>
    signs[mix(word(key, slot), slot) % signs.length] ?? '';
  const head = rfc.slice(0, 10).replaceAll('Ñ', 'N').replaceAll('&', 'X');
  const consonants = pick(16, CONSONANTS) + pick(17, CONSONANTS) + pick(18, CONSONANTS);
  const century = fechaNacimiento >= '2000' ? 'A' : '0';
  const base = `${head}${pick(19, 'HM')}${pick(20, ENTIDADES)}${consonants}${century}`;
  const sum = [...base].reduce((total, sign, i) => total + ORDER.indexOf(sign) * (18 - i), 0);
  return `${base}${(10 - (sum % 10)) % 10}`;
}

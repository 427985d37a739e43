import { magiaDe, type SentidoOpinion } from '../../magia.ts';
import { DAY, formatWallTime, parseWallTime, type WallTime } from '../../wall-time.ts';
import { keyOf, mix, word } from '../mix.ts';
import type { Perfil } from '../perfil.ts';
import { curpOf } from './curp.ts';
import { LUGARES, TIPOS_VIALIDAD, VIALIDADES } from './lugares.ts';
import { opinionOf } from './opinion.ts';
import { REGIMENES_FISICA, REGIMENES_MORAL, type Regimen, SIN_OBLIGACIONES } from './regimenes.ts';

const YEAR = 365.25 * DAY;
const ADULT = 18 * YEAR;
const CAPITALES = ['SOCIEDAD ANONIMA DE CAPITAL VARIABLE', 'SOCIEDAD DE RESPONSABILIDAD LIMITADA', 'SOCIEDAD ANONIMA'];

/**
 * The profile of a taxpayer; follows from the seed, the RFC, its name and the sense of its opinion (by default its
 * magic's) alone.
 */
export function generatePerfil(
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
    regimenes: regimenes.map((regimen) => ({
      clave: regimen.clave,
      nombre: regimen.nombre,
      desde: since(regimen),
    })),
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

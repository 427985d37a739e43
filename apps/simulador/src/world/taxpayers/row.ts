import { formatWallTime, type WallTime } from '../wall-time.ts';
import { mix, word } from './mix.ts';
import { generateName, generateRfc } from './persona.ts';

export type Tipo = 'emitidos' | 'recibidos';
export type Documento = 'cfdi' | 'retenciones';
type Efecto = 'I' | 'E' | 'P' | 'N' | 'T';
export type Persona = { rfc: string; nombre: string };

/** One CFDI as the SAT's metadata shows it. Dates are `yyyy-MM-dd HH:mm:ss`, wall clock of central Mexico. */
export type Row = {
  uuid: string;
  rfcEmisor: string;
  nombreEmisor: string;
  rfcReceptor: string;
  nombreReceptor: string;
  rfcPac: string;
  emision: WallTime;
  fechaEmision: string;
  fechaCertificacionSat: string;
  /** Plain decimal, for instance `1160.5`. */
  monto: string;
  efecto: Efecto;
  estatus: 'Vigente' | 'Cancelado';
  /** Empty for a valid one. */
  fechaCancelacion: string;
  /** Name of the complement as the bulk service's filter has it (`pagos20`), or empty. */
  complemento: string;
  tercero: (Persona & { uuid: string }) | null;
};

type RowFamily = { key: Uint32Array; titular: Persona; tipo: Tipo; contrapartes: readonly Persona[] };

const PACS = ['SAT970701NN3', 'SPR190613I52', 'LSO1306189R5'];
const EFECTOS: readonly Efecto[] = ['I', 'I', 'I', 'I', 'I', 'I', 'E', 'P', 'N', 'T'];
const COMPLEMENTOS: Record<Efecto, string> = { I: '', E: '', P: 'pagos20', N: 'nomina12', T: 'cartaporte31' };
const DAY = 86_400;
/**
 * Rows emitted from 2023 on are CFDI 4.0 with payments 2.0, older ones 3.3. In 2022 both were valid (4.0 became compulsory on 1 April
 * 2023); one rule by year keeps it plain.
 */
export const FIRST_DAY_OF_40 = '2023-01-01';

/** The fixed places: of every 50 rows, those with these numbers are awkward in the way named. */
const AWKWARD_NAMES: Record<number, string> = {
  1: 'GRUPO CON\nSALTO DE LÍNEA',
  2: 'EL "ENTRECOMILLADO"',
  3: '"COMAS, PUNTOS, Y COMILLAS',
  4: 'PEÑA & ÑANDÚ',
  6: '',
};
const CANCELLED_PLACE = 5;
const THIRD_PARTY_PLACE = 7;

/** The people a taxpayer trades with: 40, among them RFCs with Ñ and & and the general public. */
export function generateContrapartes(key: Uint32Array): Persona[] {
  const fixed = [
    { rfc: 'XAXX010101000', nombre: 'PUBLICO EN GENERAL' },
    { rfc: 'ÑAM9207103I4', nombre: 'ÑAMERÍA DEL SURESTE' },
    { rfc: 'H&O8805197Q2', nombre: 'HERRAJES & OCHOA' },
  ];
  const generated = Array.from({ length: 37 }, (_, n) => {
    const isMoral = n % 3 !== 0;
    return { rfc: generateRfc(key, n, isMoral), nombre: generateName(key, n, isMoral) };
  });
  return [...fixed, ...generated];
}

/** Makes row `n` of a family: the same family and number always give the same row. */
export function createRow(family: RowFamily, n: number, emision: WallTime): Row {
  const { key, titular, tipo, contrapartes } = family;
  const place = n % 50;
  const known = contrapartes[random(key, 0, n) % contrapartes.length] ?? titular;
  const nombre = AWKWARD_NAMES[place] ?? known.nombre;
  const isEmitido = tipo === 'emitidos';
  const efecto = EFECTOS[random(key, 1, n) % EFECTOS.length] ?? 'I';
  const certificacion = emision + (random(key, 2, n) % 600);
  const isCancelled = place === CANCELLED_PLACE || (place > THIRD_PARTY_PLACE && random(key, 3, n) % 20 === 0);
  const uuid = createUuid(key, n);
  const fechaEmision = formatWallTime(emision);
  return {
    uuid,
    rfcEmisor: isEmitido ? titular.rfc : known.rfc,
    nombreEmisor: isEmitido ? titular.nombre : nombre,
    rfcReceptor: isEmitido ? known.rfc : titular.rfc,
    nombreReceptor: isEmitido ? nombre : titular.nombre,
    rfcPac: PACS[random(key, 4, n) % PACS.length] ?? '',
    emision,
    fechaEmision,
    fechaCertificacionSat: formatWallTime(certificacion),
    monto: efecto === 'P' || efecto === 'T' ? '0' : formatCentavos(random(key, 5, n) % 5_000_000),
    efecto,
    estatus: isCancelled ? 'Cancelado' : 'Vigente',
    fechaCancelacion: isCancelled ? formatWallTime(certificacion + (random(key, 6, n) % (3 * DAY))) : '',
    complemento: efecto === 'P' && fechaEmision < FIRST_DAY_OF_40 ? 'pagos10' : COMPLEMENTOS[efecto],
    tercero: createTercero(family, n, uuid),
  };
}

/** Pesos as a plain decimal without zeros at its end, as `String` would write the quotient in eight times the time. */
function formatCentavos(centavos: number): string {
  const pesos = Math.trunc(centavos / 100);
  const rest = centavos % 100;
  if (rest === 0) return `${pesos}`;
  return rest % 10 === 0 ? `${pesos}.${rest / 10}` : `${pesos}.${rest < 10 ? '0' : ''}${rest}`;
}

function random(key: Uint32Array, slot: number, n: number): number {
  return mix(word(key, 4 + (slot & 3)) ^ Math.imul(slot, 0x9e3779b1), n);
}

function createTercero({ key, contrapartes }: RowFamily, n: number, uuid: string): Row['tercero'] {
  const place = n % 50;
  const chance = mix(word(key, 7), n);
  if (place !== THIRD_PARTY_PLACE && (place < THIRD_PARTY_PLACE || chance % 64 !== 0)) return null;
  const persona = contrapartes[3 + (chance % 37)];
  return persona ? { ...persona, uuid: place === THIRD_PARTY_PLACE ? uuid.toLowerCase() : uuid } : null;
}

/** The first eight digits are `mix` of the number, so that they are unique and lead back to it. */
function createUuid(key: Uint32Array, n: number): string {
  const a = mix(word(key, 0), n);
  const b = (mix(word(key, 1), n) & 0xffff_0fff) | 0x4000;
  const c = (mix(word(key, 2), n) & 0x0fff_ffff) | 0xa000_0000;
  const d = mix(word(key, 3), n);
  // One call for all of it: a text joined of pieces costs twice the time.
  // biome-ignore format: as the UUID is read
  return String.fromCharCode(
    hex(a, 28), hex(a, 24), hex(a, 20), hex(a, 16), hex(a, 12), hex(a, 8), hex(a, 4), hex(a, 0), DASH,
    hex(b, 28), hex(b, 24), hex(b, 20), hex(b, 16), DASH, hex(b, 12), hex(b, 8), hex(b, 4), hex(b, 0), DASH,
    hex(c, 28), hex(c, 24), hex(c, 20), hex(c, 16), DASH, hex(c, 12), hex(c, 8), hex(c, 4), hex(c, 0),
    hex(d, 28), hex(d, 24), hex(d, 20), hex(d, 16), hex(d, 12), hex(d, 8), hex(d, 4), hex(d, 0),
  );
}

const DASH = 0x2d;
const HEX = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));

/** Character code of the digit at a bit. */
function hex(value: number, bit: number): number {
  return HEX[(value >>> bit) & 0x0f] ?? 0;
}

/** What the SAT says of a CFDI's cancellation, in its words. */
type Cancelacion = {
  esCancelable: 'No cancelable' | 'Cancelable sin aceptación' | 'Cancelable con aceptación';
  /** Empty without a request. */
  estatus:
    | ''
    | 'En proceso'
    | 'Plazo vencido'
    | 'Cancelado sin aceptación'
    | 'Cancelado con aceptación'
    | 'Solicitud rechazada';
};

/** An income CFDI above this many pesos needs the receiver's acceptance (rule 2.7.1.35 of the RMF). */
const WITHOUT_ACCEPTANCE = 1000;

/** The cancellation of a row, which follows from the row alone. */
export function cancelacionOf(row: Row): Cancelacion {
  const chance = Number.parseInt(row.uuid.slice(9, 13), 16);
  const isAsked = row.efecto === 'I' && Number(row.monto) > WITHOUT_ACCEPTANCE;
  if (row.estatus === 'Cancelado') {
    if (!isAsked) return { esCancelable: 'Cancelable sin aceptación', estatus: 'Cancelado sin aceptación' };
    const estatus = chance % 3 === 0 ? 'Plazo vencido' : 'Cancelado con aceptación';
    return { esCancelable: 'Cancelable con aceptación', estatus };
  }
  if (chance % 25 === 0) return { esCancelable: 'No cancelable', estatus: '' };
  if (!isAsked) return { esCancelable: 'Cancelable sin aceptación', estatus: '' };
  const estatus = ({ 1: 'En proceso', 2: 'Solicitud rechazada' } as const)[chance % 25] ?? '';
  return { esCancelable: 'Cancelable con aceptación', estatus };
}

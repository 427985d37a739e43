import { type Paso, type Registro, situacionOf } from '../world/listado69b/registro.ts';
import { SITUACIONES_69B } from '../world/magia.ts';
import { dayFirst, mesDe } from '../world/texts.ts';
import { formatWallTime, type WallTime } from '../world/wall-time.ts';

const COLUMNS = [
  'RFC',
  'Nombre del Contribuyente',
  'Situación del contribuyente',
  'Número y fecha de oficio global de presunción SAT',
  'Publicación página SAT presuntos',
  'Número y fecha de oficio global de presunción DOF',
  'Publicación DOF presuntos',
  'Número y fecha de oficio global de contribuyentes que desvirtuaron SAT',
  'Publicación página SAT desvirtuados',
  'Número y fecha de oficio global de contribuyentes que desvirtuaron DOF',
  'Publicación DOF desvirtuados',
  'Número y fecha de oficio global de definitivos SAT',
  'Publicación página SAT definitivos',
  'Número y fecha de oficio global de definitivos DOF',
  'Publicación DOF definitivos',
  'Número y fecha de oficio global de sentencia favorable SAT',
  'Publicación página SAT sentencia favorable',
  'Número y fecha de oficio global de sentencia favorable DOF',
  'Publicación DOF sentencia favorable',
];
const WIDTH = COLUMNS.length + 1;
const EOL = '\r\n';
const MASK = 'XXXXXXXXXXXX';
const MASKED_NAME = 'Información suprimida por orden de autoridad competente';
/** Lines of commas alone that the public file has after its rows. */
const FILLERS = 3;

export type CsvOptions = {
  titulo: string;
  corte: WallTime;
  registros: readonly Registro[];
  /** Heading of the first column, `No` or `No.`. */
  numero: string;
  /** Empty columns after the twentieth. */
  vacias: number;
};

/**
 * A file of the list as the SAT writes it: windows-1252, CRLF, two lines of preamble, 20 columns, the situation
 * Desvirtuado now and then with a blank behind it, and lines of commas alone at the end. Source: descriptions of the
 * files of August 2026 in public repositories.
 */
export function writeCsv({ titulo, corte, registros, numero, vacias }: CsvOptions): Buffer {
  const tail = ','.repeat(vacias);
  const preamble = `Información actualizada al ${dayInWords(corte)}; los listados son públicos, y se consultan en el portal.`;
  const commas = ','.repeat(WIDTH - 1);
  const lines = [
    field(preamble) + commas + tail,
    titulo + commas + tail,
    [numero, ...COLUMNS].map(field).join(',') + tail,
    ...registros.map((registro, i) => lineOf(registro, i + 1) + tail),
    ...Array.from({ length: FILLERS }, () => commas + tail),
  ];
  return encode(lines.join(EOL) + EOL);
}

/** `31 de octubre de 2026`. */
export function dayInWords(time: WallTime): string {
  const [year = '', month = '', date = ''] = formatWallTime(time).slice(0, 10).split('-');
  return `${Number(date)} de ${mesDe(month)} de ${year}`;
}

function lineOf(registro: Registro, number: number): string {
  const { rfc, nombre, isMasked, pasos } = registro;
  const situacion = situacionOf(registro);
  const blank = situacion === 'Desvirtuado' && number % 4 === 0 ? ' ' : '';
  const groups = SITUACIONES_69B.flatMap((each) => groupOf(pasos.find((paso) => paso.situacion === each)));
  const cells = [String(number), isMasked ? MASK : rfc, isMasked ? MASKED_NAME : nombre, situacion + blank, ...groups];
  return cells.map(field).join(',');
}

function groupOf(paso: Paso | undefined): string[] {
  if (!paso) return ['', '', '', ''];
  const { oficio, fechaSat, fechaDof } = paso;
  const dof = fechaDof === null ? ['', ''] : [oficio, dayFirst(formatWallTime(fechaDof))];
  return [oficio, dayFirst(formatWallTime(fechaSat)), ...dof];
}

function field(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The signs of windows-1252 between 0x80 and 0x9F that the list uses; the others are those of latin-1. */
const WINDOWS_1252: Readonly<Record<string, string>> = {
  '€': '\u0080',
  '‘': '\u0091',
  '’': '\u0092',
  '“': '\u0093',
  '”': '\u0094',
  '–': '\u0096',
  '—': '\u0097',
};

function encode(text: string): Buffer {
  return Buffer.from(
    text.replace(/[€‘’“”–—]/g, (sign) => WINDOWS_1252[sign] ?? sign),
    'latin1',
  );
}

import { type ClaveListado, LISTADOS } from '../listados.ts';
import { type FilaEfos, type FilaListado, PALABRAS_EFOS, type PasoEfos, type SituacionEfos } from '../listas.ts';
import {
  type Columnas,
  isHeader69B,
  isHeaderListado,
  readColumns,
  readDateCell,
  readListColumns,
  readSituacion,
} from './columnas.ts';
import { listaIlegible } from './decode.ts';

/** A row, and how sure it is. */
export interface Renglon<F> {
  readonly fila: F;
  /** The list hides whose it is. */
  readonly isHidden: boolean;
  /** It may have been cut in its last cells. */
  readonly hasDoubt: boolean;
  /** It has more or fewer cells than the header: what it says is not certain. */
  readonly isOdd: boolean;
}

/** How the files of one kind are read. */
export interface Formato<F> {
  /** Whether its head has to tell the day of the cut; otherwise the day of its source serves. */
  readonly needsFecha: boolean;
  isHeader(cells: readonly string[]): boolean;
  /** From the header to its rows. Throws RESPUESTA_ILEGIBLE for another header. */
  open(header: readonly string[]): {
    read(record: readonly string[], row: number): Renglon<F>;
    /** After the last row: throws RESPUESTA_ILEGIBLE when all of them together are no such list. */
    finish(): void;
  };
}

/** Of a name or a notice, that many characters are kept. */
const CELL_CHARACTERS = 4_096;
/** Letters, date and three characters; Ñ and & are letters. */
const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/;
/** The list hides an RFC, by order of a court, behind a row of X. */
const HIDDEN = /^[X*]+$|X{6}|\*{3}/;

/** One line of printable text: the database refuses NUL, and line breaks of a spreadsheet mean nothing. */
function tidy(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, CELL_CHARACTERS)
    .replace(/[\ud800-\udbff]$/, '');
}

function readRfc(cell: string): { rfc: string | null; isHidden: boolean } {
  const rfc = cell
    .normalize('NFC')
    .toUpperCase()
    .replace(/[\s-]+/g, '');
  return { rfc: RFC.test(rfc) ? rfc : null, isHidden: HIDDEN.test(rfc) };
}

const isWhole = (record: readonly string[], cuantas: number) =>
  record.length >= cuantas && record.slice(cuantas).every((cell) => cell.trim() === '');

function readRecord(record: readonly string[], columnas: Columnas, row: number): Renglon<FilaEfos> {
  if (!isWhole(record, columnas.cuantas)) throw listaIlegible(`renglón ${row}: ${record.length} columnas`);
  const cell = (index: number) => record[index] ?? '';
  const situacion = readSituacion(cell(columnas.situacion));
  if (situacion === null) throw listaIlegible(`renglón ${row}: situación desconocida`);
  let hasDoubt = false;
  const day = (index: number): string | null => {
    const fecha = readDateCell(cell(index));
    if (fecha.tipo === 'ilegible') hasDoubt = true;
    return fecha.tipo === 'dia' ? fecha.dia : null;
  };
  const historial = columnas.pasos.flatMap((paso): PasoEfos[] => {
    const oficio = paso.oficios.map((index) => tidy(cell(index))).find((text) => text !== '') ?? null;
    const [fechaSat, fechaDof] = [day(paso.fechaSat), day(paso.fechaDof)];
    const isGiven = [...paso.oficios, paso.fechaSat, paso.fechaDof].some((index) => cell(index).trim() !== '');
    return isGiven ? [{ situacion: paso.situacion, oficio, fechaSat, fechaDof }] : [];
  });
  const { rfc, isHidden } = readRfc(cell(columnas.rfc));
  return { fila: { rfc, nombre: tidy(cell(columnas.nombre)), situacion, historial }, isHidden, hasDoubt, isOdd: false };
}

/** The complete list of article 69-B: a row a proceeding, with all its stages. */
export const FORMATO_69B: Formato<FilaEfos> = {
  needsFecha: true,
  isHeader: isHeader69B,
  open(header) {
    const columnas = readColumns(header, ['PRESUNTO', 'DESVIRTUADO', 'DEFINITIVO', 'SENTENCIA_FAVORABLE']);
    return { read: (record, row) => readRecord(record, columnas, row), finish: () => {} };
  },
};

/** The list of article 69-B Bis has the columns of two stages, and of each row what it says today. */
const FORMATO_69B_BIS: Formato<FilaListado> = {
  needsFecha: true,
  isHeader: isHeader69B,
  open(header) {
    const columnas = readColumns(header, ['DEFINITIVO', 'SENTENCIA_FAVORABLE']);
    return {
      read(record, row) {
        const { fila, ...sure } = readRecord(record, columnas, row);
        const { rfc, nombre, situacion, historial } = fila;
        return {
          ...sure,
          fila: { rfc, nombre, supuesto: PALABRAS_EFOS[situacion], publicada: lastOf(historial, situacion) },
        };
      },
      finish: () => {},
    };
  },
};

const lastOf = (historial: readonly PasoEfos[], situacion: SituacionEfos): string | null =>
  historial
    .filter((paso) => paso.situacion === situacion)
    .map(({ fechaSat, fechaDof }) => fechaSat ?? fechaDof)
    .reduce((last, day) => (day !== null && (last === null || day > last) ? day : last), null);

/** What the rows of a file say of themselves, so that one that was put in the place of another is noticed. */
const PROPIAS: readonly (readonly [ClaveListado, RegExp])[] = [
  ['firmes', /^(creditos )?firmes?$/],
  ['exigibles', /^(creditos )?exigibles?$/],
  ['no-localizados', /^no localizad[oa]s?$/],
  ['cancelados', /^cancelad[oa]s?\b/],
  ['csd', /^fraccion\b/],
];

/**
 * The files of article 69 and of the seals without effect: no prose, a header whose words differ from file to file, and
 * a row a reason. A row with cells too many or too few still names who stands on the list.
 */
function formatoDe(clave: ClaveListado): Formato<FilaListado> {
  const { supuesto: suyo } = LISTADOS[clave];
  return {
    needsFecha: false,
    isHeader: isHeaderListado,
    open(header) {
      const columnas = readListColumns(header);
      const said = new Map<ClaveListado, number>();
      let rows = 0;
      return {
        read(record) {
          rows += 1;
          const cell = (index: number) => record[index] ?? '';
          const { rfc, isHidden } = readRfc(cell(columnas.rfc));
          const nombre = tidy(cell(columnas.nombre));
          const isOdd = !isWhole(record, columnas.cuantas);
          if (isOdd) return { fila: { rfc, nombre, supuesto: suyo, publicada: null }, isHidden, hasDoubt: true, isOdd };
          const supuesto = columnas.supuesto === null ? '' : tidy(cell(columnas.supuesto));
          const whose = columnas.wordOf(supuesto);
          for (const [other, word] of PROPIAS) if (word.test(whose)) said.set(other, (said.get(other) ?? 0) + 1);
          const fecha = readDateCell(columnas.publicada === null ? '' : cell(columnas.publicada));
          return {
            fila: { rfc, nombre, supuesto: supuesto || suyo, publicada: fecha.tipo === 'dia' ? fecha.dia : null },
            isHidden,
            hasDoubt: fecha.tipo === 'ilegible',
            isOdd,
          };
        },
        finish() {
          if (!PROPIAS.some(([propia]) => propia === clave)) return;
          const [other] = [...said].find(([each, times]) => each !== clave && times > rows / 2) ?? [];
          if (other !== undefined) throw listaIlegible(`es otra lista: ${other}`);
        },
      };
    },
  };
}

/** The format of every file but that of article 69-B. */
export const formatoDeListado = (clave: Exclude<ClaveListado, '69-b'>): Formato<FilaListado> =>
  clave === '69-b-bis' ? FORMATO_69B_BIS : formatoDe(clave);

import type { Column as CfdiColumn } from '@acuse/cfdi';
import type { PlanEnsamble } from '@acuse/core';
import { ESTATUS } from '../metadata/record-reader.ts';

export type Formato = PlanEnsamble['formato'];

/** What a value is, whatever it is written as. */
export type ColumnType = 'texto' | 'fecha_hora' | 'decimal' | 'entero' | 'booleano';

export interface Column {
  readonly nombre: string;
  readonly tipo: ColumnType;
  readonly significado: string;
  /** When there is no value; null when there always is one. */
  readonly vacio: string | null;
  /** Of a decimal: its places in the formats that have types. Absent: those of an amount. */
  readonly places?: number;
}

const texto = (nombre: string, significado: string, vacio: string | null = 'si el SAT no lo da'): Column => ({
  nombre,
  tipo: 'texto',
  significado,
  vacio,
});
const fecha = (nombre: string, significado: string, vacio: string | null = 'si el SAT no la da'): Column => ({
  nombre,
  tipo: 'fecha_hora',
  significado,
  vacio,
});

/** The columns of every format in their order; those of `metadata.csv` are the first {@link CSV_COLUMNS} of them. */
export const COLUMNS: readonly Column[] = [
  texto('uuid', 'Folio fiscal del CFDI, en mayúsculas y con guiones.', null),
  texto('rfc_emisor', 'RFC de quien emitió el CFDI.'),
  texto('nombre_emisor', 'Nombre de quien lo emitió, como lo da el SAT.'),
  texto('rfc_receptor', 'RFC de quien lo recibió.'),
  texto('nombre_receptor', 'Nombre de quien lo recibió, como lo da el SAT.'),
  texto('rfc_pac', 'RFC del proveedor que certificó el CFDI.'),
  fecha('fecha_emision', 'Cuándo se emitió, hora del reloj del comprobante, sin zona.', null),
  fecha('fecha_certificacion_sat', 'Cuándo se certificó, hora del centro de México, sin zona.'),
  {
    nombre: 'monto',
    tipo: 'decimal',
    significado: 'Total del CFDI en su moneda, que la metadata del SAT no dice.',
    vacio: 'si el SAT no lo da',
  },
  texto('efecto_comprobante', 'I ingreso, E egreso, T traslado, N nómina, P pago.'),
  texto('estatus', 'VIGENTE o CANCELADO cuando el SAT preparó los datos.', null),
  fecha('fecha_cancelacion', 'Cuándo se canceló, hora del centro de México, sin zona.', 'si no está cancelado'),
  texto(
    'rfc_a_cuenta_terceros',
    'RFC del tercero a cuya cuenta se emitió; varios van unidos con |.',
    'si no hay terceros',
  ),
  texto(
    'nombre_a_cuenta_terceros',
    'Nombre del tercero; el enésimo nombre es el del enésimo RFC.',
    'si no hay terceros',
  ),
  { nombre: 'vigente', tipo: 'booleano', significado: 'Si estatus es VIGENTE.', vacio: null },
];

/** Columns of `metadata.csv`: `vigente` says again what `estatus` does, in the formats that have booleans. */
export const CSV_COLUMNS = 14;

/** A file of rows: the fields of its CSV, and its columns in the formats that have types. */
export interface Layout {
  readonly fields: readonly Column[];
  /** Each with the place of the field that it is read from; a booleano is true when that begins with V. */
  readonly columns: readonly (Column & { readonly field: number })[];
}

/** Layout of the metadata; with `xml`, a last column has the path of the XML. */
export function metadataLayout(xml: boolean): Layout {
  const path = texto('xml', 'Ruta del XML dentro del paquete.', 'si el XML falta; faltantes.csv dice por qué');
  const more = xml ? [path] : [];
  const fields = [...COLUMNS.slice(0, CSV_COLUMNS), ...more];
  const columns = [...COLUMNS, ...more].map((column) => {
    const field = column.tipo === 'booleano' ? ESTATUS : fields.indexOf(column);
    return { ...column, field };
  });
  return { fields, columns };
}

/** Layout of a table of the CFDI themselves. */
export const tableLayout = (fields: readonly CfdiColumn[]): Layout => ({
  fields,
  columns: fields.map((column, field) => ({ ...column, field })),
});

/** Digits of an amount before and after its point, in the formats that have types. */
export const AMOUNT_DIGITS = { integer: 12, fraction: 6 } as const;
/** Digits of any decimal together: what 64 bits hold. */
export const DECIMAL_PRECISION = AMOUNT_DIGITS.integer + AMOUNT_DIGITS.fraction;

/** Digits before the point of a number with so many places. */
export const integerDigits = (places: number) => Math.min(AMOUNT_DIGITS.integer, DECIMAL_PRECISION - places);

/** Places that a number of the column may have. */
export const placesOf = ({ tipo, places = AMOUNT_DIGITS.fraction }: Column) => (tipo === 'entero' ? 0 : places);

const REPRESENTATIONS: Readonly<Record<Formato, Readonly<Record<ColumnType, string>>>> = {
  csv: {
    texto: 'texto',
    fecha_hora: 'AAAA-MM-DDThh:mm:ss',
    decimal: 'decimal con punto, como lo da el SAT',
    entero: 'entero, como lo da el SAT',
    booleano: '',
  },
  xlsx: {
    texto: 'celda de texto',
    fecha_hora: 'celda de fecha y hora; de texto si el SAT da una que no existe',
    decimal: 'celda numérica; de texto si no es un importe o pasa de 15 cifras',
    entero: 'celda numérica; de texto si no es un entero',
    booleano: 'celda VERDADERO o FALSO',
  },
  ndjson: {
    texto: 'cadena',
    fecha_hora: 'cadena AAAA-MM-DDThh:mm:ss',
    decimal: 'número',
    entero: 'número',
    booleano: 'true o false',
  },
  parquet: {
    texto: 'BYTE_ARRAY (STRING)',
    fecha_hora: 'INT64 (TIMESTAMP MILLIS, sin zona)',
    decimal: 'INT64 (DECIMAL 18,6)',
    entero: 'INT64',
    booleano: 'BOOLEAN',
  },
};

const EMPTY: Readonly<Record<Formato, string>> = {
  csv: 'campo vacío',
  xlsx: 'celda vacía',
  ndjson: 'null',
  parquet: 'NULL',
};

/** Description of a column in the manifest. */
export interface ColumnDescription {
  readonly nombre: string;
  readonly tipo: ColumnType;
  readonly representacion: string;
  readonly significado: string;
  readonly nulo: string;
}

/** Every column of a format: its name, what it is, how it is written, what it means, and when it has no value. */
export function describeColumns(formato: Formato, layout: Layout): ColumnDescription[] {
  const columns = formato === 'csv' ? layout.fields : layout.columns;
  return columns.map((column) => {
    const { nombre, tipo, significado } = column;
    const representacion = REPRESENTATIONS[formato][tipo].replace('18,6', `${DECIMAL_PRECISION},${placesOf(column)}`);
    return { nombre, tipo, representacion, significado, nulo: nullRule(formato, column) };
  });
}

function nullRule(formato: Formato, column: Column): string {
  const { tipo, vacio } = column;
  const places = placesOf(column);
  const strict = formato === 'ndjson' || formato === 'parquet';
  const misfit =
    strict && tipo === 'fecha_hora'
      ? 'si el SAT da una fecha que no existe'
      : strict && tipo === 'decimal'
        ? `si el SAT da algo que no es un importe de a lo más ${integerDigits(places)} enteros y ${places} decimales`
        : strict && tipo === 'entero' && vacio !== null
          ? `si el SAT da algo que no es un entero de a lo más ${integerDigits(places)} cifras`
          : null;
  const cases = [vacio, misfit].filter((each) => each !== null);
  return cases.length === 0 ? 'nunca' : `${EMPTY[formato]} ${cases.join(', o ')}`;
}

/**
 * How many values of each column are not all that the SAT gave: no date, no amount, or longer than a cell may be. What
 * the SAT gave is in `originales/`.
 */
export class Incomplete {
  readonly #counts = new Map<number, number>();
  readonly #columns: readonly Column[];

  constructor({ columns }: Layout) {
    this.#columns = columns;
  }

  add(column: number): void {
    this.#counts.set(column, (this.#counts.get(column) ?? 0) + 1);
  }

  /** By name, in the order of the columns; none that has none. */
  get total(): Readonly<Record<string, number>> {
    return Object.fromEntries(
      this.#columns.flatMap(({ nombre }, column) => {
        const count = this.#counts.get(column);
        return count === undefined ? [] : [[nombre, count]];
      }),
    );
  }
}

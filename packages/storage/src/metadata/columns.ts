import type { InvalidText } from './record-reader.ts';

/** The first line of `metadata.csv`. */
export const CSV_HEADER =
  'uuid,rfc_emisor,nombre_emisor,rfc_receptor,nombre_receptor,rfc_pac,fecha_emision,fecha_certificacion_sat,' +
  'monto,efecto_comprobante,estatus,fecha_cancelacion,rfc_a_cuenta_terceros,nombre_a_cuenta_terceros\r\n';

/**
 * The columns of the SAT's metadata file in the order in which we write them, in lower case; where a column has been
 * seen under more than one name, all of them (phpcfdi/sat-ws-descarga-masiva, src/PackageReader and its fixtures).
 */
export const METADATA_COLUMNS: readonly (readonly string[])[] = [
  ['uuid'],
  ['rfcemisor'],
  ['nombreemisor'],
  ['rfcreceptor'],
  ['nombrereceptor'],
  ['rfcpac', 'paccertifico'],
  ['fechaemision'],
  ['fechacertificacionsat'],
  ['monto'],
  ['efectocomprobante'],
  ['estatus'],
  ['fechacancelacion'],
];

/** Positions in {@link METADATA_COLUMNS} of the columns that are more than text. */
export const UUID = 0;
export const FECHA_EMISION = 6;
export const FECHA_CERTIFICACION = 7;
export const EFECTO = 9;
export const ESTATUS = 10;
export const FECHA_CANCELACION = 11;

/** The columns of the file of third parties that a CFDI was issued on account of. */
export const TERCEROS_COLUMNS: readonly (readonly string[])[] = [
  ['uuid'],
  ['rfcacuentaterceros'],
  ['nombreacuentaterceros'],
];

export interface ColumnPlaces {
  /** For each known column, the index of its field in a record. */
  readonly places: Int32Array;
  /** Names in the header that no known column has, as written. */
  readonly extra: readonly string[];
}

/**
 * Finds the known columns in a header, whatever their order and letter case. Throws COLUMNAS when one is missing or
 * there twice, SIN_METADATA when even the first one, which names the CFDI, is missing: then the text is about something
 * else.
 */
export function placeColumns(
  names: readonly string[],
  known: readonly (readonly string[])[],
  invalid: InvalidText,
): ColumnPlaces {
  const lower = names.map((name) => name.toLowerCase());
  if (!known[0]?.some((alias) => lower.includes(alias)))
    throw invalid('SIN_METADATA', `falta la columna ${known[0]?.[0]}`);
  const places = known.map((aliases) => {
    const found = lower.flatMap((name, index) => (aliases.includes(name) ? [index] : []));
    const [place] = found;
    if (place === undefined) throw invalid('COLUMNAS', `falta la columna ${aliases[0]}`);
    if (found.length > 1) throw invalid('COLUMNAS', `la columna ${aliases[0]} está ${found.length} veces`);
    return place;
  });
  const extra = names.filter((_, index) => !places.includes(index));
  return { places: Int32Array.from(places), extra };
}

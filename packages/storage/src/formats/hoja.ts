import { toCsv } from '../metadata/csv-bytes.ts';
import { Incomplete, metadataLayout } from './columns.ts';
import { RowCursor, SHEET_LIMITS, sheetOf } from './sheet.ts';
import { workbookOf } from './xlsx.ts';

/** A CFDI as a row of `metadata.csv` tells it; null where there is nothing. */
export interface RenglonCfdi {
  readonly uuid: string;
  readonly emisor: { readonly rfc: string; readonly nombre: string | null };
  readonly receptor: { readonly rfc: string; readonly nombre: string | null };
  readonly rfcPac: string | null;
  /** `yyyy-MM-ddTHH:mm:ss`, wall clock of central Mexico, as the two others. */
  readonly emitidaEn: string;
  readonly certificadaEn: string | null;
  /** Decimal. */
  readonly monto: string | null;
  readonly efecto: string;
  readonly estatus: string;
  readonly canceladaEn: string | null;
  readonly tercero: { readonly rfc: string; readonly nombre: string } | null;
}

const LEVEL = 6;

/** The line of `metadata.csv`, in the order of its columns. */
const lineOf = ({ emisor, receptor, tercero, ...row }: RenglonCfdi) =>
  [
    ...[row.uuid, emisor.rfc, emisor.nombre, receptor.rfc, receptor.nombre, row.rfcPac, row.emitidaEn],
    ...[row.certificadaEn, row.monto, row.efecto, row.estatus, row.canceladaEn, tercero?.rfc, tercero?.nombre],
  ]
    .map((text) => toCsv(text ?? ''))
    .join(',');

/**
 * The bytes of a workbook with these rows, one lot after the other, as `metadata.xlsx` has them: every text is a cell
 * of text, so that none is a formula. Memory does not grow with the rows; more than a sheet has are left out.
 */
export async function* xlsxOf(lots: AsyncIterable<readonly RenglonCfdi[]>): AsyncGenerator<Buffer, void, undefined> {
  async function* rows() {
    for await (const lot of lots)
      if (lot.length > 0) yield Buffer.from(lot.map((row) => `${lineOf(row)}\r\n`).join(''));
  }
  const cursor = new RowCursor(rows());
  const layout = metadataLayout(false);
  try {
    yield* workbookOf(sheetOf(cursor, layout, SHEET_LIMITS, new Incomplete(layout)), LEVEL);
  } finally {
    await cursor.close();
  }
}

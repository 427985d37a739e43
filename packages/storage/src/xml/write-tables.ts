import { createRowsReader, type Row, type Rows, TABLES, type Table, XmlIlegible } from '@acuse/cfdi';
import type { ZipWriter } from '../assemble/zip-writer.ts';
import { type Formato, type Layout, tableLayout } from '../formats/columns.ts';
import { type RowsWritten, writeRows } from '../formats/write-rows.ts';
import { toCsv } from '../metadata/csv-bytes.ts';
import type { ObjectStore } from '../object-store.ts';
import type { PaqueteLimits } from '../zip/sat-package.ts';
import { inflateMember, openXmlPackage } from '../zip/xml-package.ts';
import type { PaqueteXmlLeido, XmlDelivery } from './deliver-xml.ts';

const CHUNK_CHARACTERS = 65_536;

export interface TableWritten extends RowsWritten {
  readonly table: Table;
  readonly layout: Layout;
  readonly filas: number;
  /** CFDI in the ZIP with more rows than are read of one. */
  readonly omitidos: number;
}

interface TableDeps {
  readonly store: ObjectStore;
  readonly limits: PaqueteLimits;
  readonly level: number;
  readonly writer: ZipWriter;
  readonly formato: Formato;
  readonly signal: AbortSignal;
}

/** A bit for each table: members of a package whose rows of it are read. */
const BITS = new Map([...TABLES.keys()].map((table, at) => [table, 1 << at]));

/**
 * Writes the rows of the CFDI that are in the ZIP, in its order, a file for each table. The packages are read once more
 * for each, since rows that waited for their table would need a disk, or memory that grows with them; after the first
 * table, only members with rows are inflated.
 */
export async function writeTables(deps: TableDeps, xml: XmlDelivery): Promise<TableWritten[]> {
  const paquetes = xml.partes.flatMap((parte) => parte.paquetes);
  const written: TableWritten[] = [];
  for (const [table, columns] of TABLES) {
    const file = { name: table, formato: deps.formato, layout: tableLayout(columns) };
    const rows = new TableRows(deps, table);
    const { entries, incomplete } = await writeRows(deps.writer, file, rows.read(paquetes), deps.level);
    written.push({ table, layout: file.layout, entries, incomplete, filas: rows.filas, omitidos: rows.omitidos });
  }
  return written;
}

/** The rows of one table as CSV. */
class TableRows {
  filas = 0;
  omitidos = 0;
  readonly #deps: TableDeps;
  readonly #table: Table;
  readonly #reader = createRowsReader();

  constructor(deps: TableDeps, table: Table) {
    this.#deps = deps;
    this.#table = table;
  }

  async *read(paquetes: readonly PaqueteXmlLeido[]): AsyncGenerator<Buffer, void, undefined> {
    const { store, limits, signal } = this.#deps;
    const bit = BITS.get(this.#table) ?? 0;
    let chunk = '';
    for (const { objectKey, tables } of paquetes) {
      const isWanted = (index: number) => ((tables[index] as number) & bit) !== 0;
      if (!tables.some((_, index) => isWanted(index))) continue;
      const { read } = await openXmlPackage(store, objectKey, limits, signal);
      for await (const [member, data, index] of read(isWanted, signal)) {
        if (data === null) continue;
        const rows = this.#rowsIn(inflateMember(member, data, objectKey).content);
        if (rows === null) continue;
        tables[index] = 0;
        for (const [table, its] of BITS) if (rows[table].length > 0) tables[index] |= its;
        for (const row of rows[this.#table]) {
          chunk += lineOf(row);
          this.filas++;
          if (chunk.length < CHUNK_CHARACTERS) continue;
          yield Buffer.from(chunk);
          chunk = '';
        }
      }
    }
    if (chunk !== '') yield Buffer.from(chunk);
  }

  #rowsIn(content: Buffer): Rows | null {
    try {
      this.#reader.write(content);
      return this.#reader.end().rows;
    } catch (error) {
      if (!(error instanceof XmlIlegible)) throw error;
      this.omitidos++;
      return null;
    }
  }
}

const lineOf = (row: Row) => `${row.map((value) => toCsv(value ?? '')).join(',')}\r\n`;

import { createZipWriter, type EntryWritten, type ZipWriter } from '../assemble/zip-writer.ts';
import type { Incomplete, Layout } from './columns.ts';
import { RowCursor, SHEET_LIMITS, type SheetLimits, STYLES, sheetOf } from './sheet.ts';

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Everything of a workbook but its sheet (ECMA-376, part 1, 18.2, and part 2). It says no time and no author. */
const PARTS: readonly (readonly [string, string])[] = [
  [
    '[Content_Types].xml',
    `${XML}<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Default Extension="xml" ContentType="application/xml"/>' +
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
      `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  ],
  [
    '_rels/.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
      `<Relationship Id="rId1" Type="${DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  ],
  [
    'xl/workbook.xml',
    `${XML}<workbook xmlns="${MAIN}" xmlns:r="${DOCUMENT}">` +
      '<sheets><sheet name="CFDI" sheetId="1" r:id="rId1"/></sheets></workbook>',
  ],
  [
    'xl/_rels/workbook.xml.rels',
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
      `<Relationship Id="rId1" Type="${DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/>` +
      `<Relationship Id="rId2" Type="${DOCUMENT}/styles" Target="styles.xml"/></Relationships>`,
  ],
  ['xl/styles.xml', STYLES],
];

/**
 * Writes chunks of rows of CSV as `<name>.xlsx` and, when one sheet does not hold them all, `<name>-2.xlsx` and so on:
 * files rather than sheets, since a spreadsheet opens a whole file or none of it.
 */
export async function writeXlsx(
  writer: ZipWriter,
  rows: AsyncIterable<Buffer>,
  { name, layout }: { readonly name: string; readonly layout: Layout },
  incomplete: Incomplete,
  { level, limits = SHEET_LIMITS }: { level: number; limits?: SheetLimits },
): Promise<EntryWritten[]> {
  const cursor = new RowCursor(rows);
  const entries: EntryWritten[] = [];
  try {
    do {
      const nombre = entries.length === 0 ? `${name}.xlsx` : `${name}-${entries.length + 1}.xlsx`;
      entries.push(await writer.addStored(nombre, workbookOf(sheetOf(cursor, layout, limits, incomplete), level)));
    } while (await cursor.hasRow());
  } finally {
    await cursor.close();
  }
  return entries;
}

/** The bytes of a workbook of one sheet. */
export async function* workbookOf(
  sheet: AsyncIterable<Buffer>,
  level: number,
): AsyncGenerator<Buffer, void, undefined> {
  const zip = createZipWriter(level);
  const written = writeWorkbook(zip, sheet);
  written.catch(zip.fail);
  let isWhole = false;
  try {
    for await (const chunk of zip.output) yield chunk as Buffer;
    await written;
    isWhole = true;
  } finally {
    if (!isWhole) {
      // The reader has left: everything that still waits for it has to end.
      zip.fail(new Error('the workbook was given up'));
      await written.catch(() => undefined);
    }
  }
}

async function writeWorkbook(zip: ZipWriter, sheet: AsyncIterable<Buffer>): Promise<void> {
  for (const [nombre, text] of PARTS) await zip.add(nombre, [Buffer.from(text)]);
  await zip.add('xl/worksheets/sheet1.xml', sheet);
  await zip.finish();
}

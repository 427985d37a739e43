import { LEFT, RIGHT, type Sheet } from './sheet.ts';

const CELL = { size: 7.9 } as const;
const GAP = 14;
const HEAD = { size: 7.9, bold: true } as const;

/** A column: its heading and its share of the width. */
export type Columna = { titulo: string; ancho: number };

/**
 * A heading of the section, a line of headings, and the rows. Cells wrap; a row is never divided, so it may begin on
 * the next page while its headings stay behind, and they are not repeated there.
 */
export function writeTable(
  sheet: Sheet,
  titulo: string,
  columnas: readonly Columna[],
  filas: readonly (readonly string[])[],
): void {
  sheet.reserve(36);
  sheet.band(12);
  sheet.write(titulo, LEFT + 2, RIGHT - LEFT, { size: 8.5, bold: true });
  sheet.y += 16;
  writeRow(
    sheet,
    columnas,
    columnas.map(({ titulo: text }) => text),
    HEAD,
  );
  for (const fila of filas) writeRow(sheet, columnas, fila, CELL);
  sheet.y += 10;
}

function writeRow(
  sheet: Sheet,
  columnas: readonly Columna[],
  textos: readonly string[],
  style: typeof CELL | typeof HEAD,
): void {
  const total = columnas.reduce((sum, { ancho }) => sum + ancho, 0);
  const widths = columnas.map(({ ancho }) => ((RIGHT - LEFT) * ancho) / total);
  const texto = (i: number) => textos[i] ?? '';
  const height = Math.max(...widths.map((width, i) => sheet.measure(texto(i), width - GAP, style)));
  sheet.reserve(height);
  let x = LEFT + 2;
  for (const [i, width] of widths.entries()) {
    sheet.write(texto(i), x, width - GAP, style);
    x += width;
  }
  sheet.y += height + 4;
}

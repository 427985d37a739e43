import { once } from 'node:events';
import PDFDocument from 'pdfkit';

/** Points of a letter-size page that text may use. */
export const LEFT = 43;
export const RIGHT = 569;
const TOP = 60;
const BOTTOM = 735;

export type Style = { size: number; bold?: boolean; align?: 'left' | 'center' };
export type Cell = readonly [left: number, text: string];
/** A document while it is written; `y` is where text goes, grows downwards and runs over pages. Measures are points. */
export type Sheet = ReturnType<typeof createSheet>;

/**
 * Starts a letter-sized document made at `created`, which its metadata says. Its standard fonts keep the text readable
 * (WinAnsi), as in the SAT's PDF.
 */
export function createSheet(titulo: string, created: Date) {
  const info = { Title: titulo, Creator: 'SIMULADOR', CreationDate: created, ModDate: created };
  const doc = new PDFDocument({ size: 'LETTER', bufferPages: true, margin: 0, info });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const use = ({ size, bold = false }: Style) =>
    doc
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .fillColor('black');

  const sheet = {
    y: TOP,
    /** Writes in a box of some width, wrapped; gives the height used. Does not move `y`. */
    write: (text: string, x: number, width: number, style: Style): number => {
      const height = use(style).heightOfString(text, { width });
      if (text !== '') doc.text(text, x, sheet.y, { width, align: style.align ?? 'left' });
      return height;
    },
    /** The width of a text on one line. */
    widthOf: (text: string, style: Style): number => use(style).widthOfString(text),
    /** Goes to a new page when less than `height` is left. */
    reserve: (height: number) => {
      if (sheet.y + height <= BOTTOM) return;
      doc.addPage();
      sheet.y = TOP;
    },
    band: (height: number) => {
      doc.rect(LEFT, sheet.y - 2, RIGHT - LEFT, height).fill('#c9c9c9');
    },
    /** Writes a text that no page divides, and goes `gap` below it. */
    block: (text: string, style: Style, gap: number, width = RIGHT - LEFT) => {
      sheet.reserve(use(style).heightOfString(text, { width }));
      sheet.y += sheet.write(text, LEFT, width, style) + gap;
    },
    title: (text: string) => sheet.block(text, { size: 14, bold: true }, 8),
    heading: (text: string) => sheet.block(text, { size: 10, bold: true }, 2),
    paragraph: (text: string) => sheet.block(text, { size: 9 }, 6),
    small: (text: string) => sheet.block(text, { size: 7 }, 4),
    /** One line of cells, each at its left edge; a cell too long for its column goes on below. No page divides it. */
    row: (cells: readonly Cell[], style: Style = { size: 9 }, gap = 6) => {
      const widths = cells.map(([left], i) => (cells[i + 1]?.[0] ?? RIGHT) - left - gap);
      const heights = cells.map(([, text], i) => use(style).heightOfString(text, { width: widths[i] ?? 0 }));
      const height = Math.max(...heights);
      sheet.reserve(height);
      for (const [i, [left, text]] of cells.entries()) sheet.write(text, left, widths[i] ?? 0, style);
      sheet.y += height + 4;
    },
    numberPages: () => {
      const { count } = doc.bufferedPageRange();
      for (let page = 0; page < count; page++) {
        doc.switchToPage(page);
        use({ size: 8 }).text(`Página [${page + 1}] de [${count}]`, LEFT, 765, { width: RIGHT - LEFT, align: 'right' });
      }
    },
    /** Ends the document and gives its bytes. */
    finish: async (): Promise<Buffer> => {
      const ended = once(doc, 'end');
      doc.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
  return sheet;
}

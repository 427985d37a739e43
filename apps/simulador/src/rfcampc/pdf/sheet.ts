import { once } from 'node:events';
import PDFDocument from 'pdfkit';

/** Points of a letter-size page that text may use. */
export const LEFT = 43;
export const RIGHT = 569;
const TOP = 60;
const BOTTOM = 735;

type Style = { size: number; bold?: boolean; color?: string };

/** Where text goes; `y` grows downwards and runs over pages. */
export type Sheet = {
  y: number;
  /** Writes in a box of some width, wrapped; gives the height used. Does not move `y`. */
  write(text: string, x: number, width: number, style: Style & { align?: 'left' | 'center' }): number;
  /** The height that a text would take. */
  measure(text: string, width: number, style: Style): number;
  /** The width of a text on one line. */
  widthOf(text: string, style: Style): number;
  /** Goes to a new page when less than `height` is left. */
  reserve(height: number): void;
  band(height: number): void;
  /** Numbers the pages, ends the document and gives its bytes. */
  finish(): Promise<Buffer>;
};

/** Creates an empty document. Its standard fonts keep the text readable (WinAnsi), as in the SAT's PDF. */
export function createSheet(info: { title: string; date: Date }): Sheet {
  const doc = new PDFDocument({
    size: 'LETTER',
    bufferPages: true,
    margin: 0,
    info: { Title: info.title, Producer: 'Simulador', CreationDate: info.date },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const use = ({ size, bold = false, color = 'black' }: Style) =>
    doc
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .fillColor(color);

  const sheet: Sheet = {
    y: TOP,
    write: (text, x, width, style) => {
      const height = use(style).heightOfString(text, { width });
      if (text !== '') doc.text(text, x, sheet.y, { width, align: style.align ?? 'left' });
      return height;
    },
    measure: (text, width, style) => use(style).heightOfString(text, { width }),
    widthOf: (text, style) => use(style).widthOfString(text),
    reserve: (height) => {
      if (sheet.y + height <= BOTTOM) return;
      doc.addPage();
      sheet.y = TOP;
    },
    band: (height) => {
      doc.rect(LEFT, sheet.y - 2, RIGHT - LEFT, height).fill('#c9c9c9');
    },
    finish: async () => {
      const { count } = doc.bufferedPageRange();
      for (let page = 0; page < count; page++) {
        doc.switchToPage(page);
        use({ size: 8 }).text(`Página [${page + 1}] de [${count}]`, LEFT, 765, {
          width: RIGHT - LEFT,
          align: 'right',
        });
      }
      const ended = once(doc, 'end');
      doc.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
  return sheet;
}

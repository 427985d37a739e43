import { once } from 'node:events';
import PDFDocument from 'pdfkit';

/** A letter-sized document that is written from top to bottom; positions and widths in points. */
export type Sheet = {
  title(text: string): void;
  heading(text: string): void;
  paragraph(text: string): void;
  /** One line of cells, each at its left edge; a cell too long for its column goes on below. */
  row(cells: readonly Cell[], font?: 'bold' | 'plain'): void;
  small(text: string): void;
  gap(points: number): void;
  /** Ends the document. */
  finish(): Promise<Buffer>;
};

type Cell = readonly [left: number, text: string];

const MARGIN = 40;
const RIGHT = 572;
const BOTTOM = 740;

/** Starts a document made at `created`, which its metadata says. */
export function createSheet(titulo: string, created: Date): Sheet {
  const info = { Title: titulo, Creator: 'SIMULADOR', CreationDate: created, ModDate: created };
  const document = new PDFDocument({ size: 'LETTER', margin: MARGIN, info });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(document, 'end');

  const write = (text: string, size: number, font: string, gap: number) => {
    document
      .font(font)
      .fontSize(size)
      .text(text, MARGIN, document.y, { width: RIGHT - MARGIN });
    document.y += gap;
  };

  return {
    title: (text) => write(text, 14, 'Helvetica-Bold', 8),
    heading: (text) => write(text, 10, 'Helvetica-Bold', 2),
    paragraph: (text) => write(text, 9, 'Helvetica', 6),
    small: (text) => write(text, 7, 'Helvetica', 4),
    gap: (points) => {
      document.y += points;
    },
    row: (cells, font = 'plain') => {
      document.font(font === 'bold' ? 'Helvetica-Bold' : 'Helvetica').fontSize(9);
      const widths = cells.map(([left], i) => (cells[i + 1]?.[0] ?? RIGHT) - left - 6);
      const heights = cells.map(([, text], i) => document.heightOfString(text, { width: widths[i] ?? 0 }));
      const height = Math.max(...heights);
      if (document.y + height > BOTTOM) document.addPage();
      const top = document.y;
      for (const [i, [left, text]] of cells.entries()) {
        document.text(text, left, top, { width: widths[i] ?? 0 });
      }
      document.y = top + height + 3;
    },
    finish: async () => {
      document.end();
      await ended;
      return Buffer.concat(chunks);
    },
  };
}

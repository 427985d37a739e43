import { inflateSync } from 'node:zlib';

// A single line feed precedes the keyword: a carriage return is the last compressed byte.
const STREAM = /stream\r?\n([\s\S]*?)\nendstream/g;
const SHOWN = /\[([^\]]*)\] TJ/g;

/**
 * The lines of text of a PDF whose fonts are the standard ones, one for each line that was drawn: reads the content
 * streams without the help of the library that wrote them.
 */
export function pdfLines(pdf: Buffer): string[] {
  const lines: string[] = [];
  for (const [, body = ''] of pdf.toString('latin1').matchAll(STREAM)) {
    const content = inflateSync(Buffer.from(body, 'latin1')).toString('latin1');
    for (const [, shown = ''] of content.matchAll(SHOWN)) {
      const hex = [...shown.matchAll(/<([0-9a-fA-F]*)>/g)].map(([, part = '']) => part).join('');
      lines.push(Buffer.from(hex, 'hex').toString('latin1'));
    }
  }
  return lines;
}

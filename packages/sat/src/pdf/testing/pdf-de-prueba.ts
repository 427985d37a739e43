import { PassThrough } from 'node:stream';
import PDFDocument from 'pdfkit';

/** Draws on a PDF; pages are letter size, 612 by 792 points. */
type Dibujo = (documento: PDFKit.PDFDocument) => void;

/** The bytes of a PDF made with pdfkit. */
export async function makePdf(dibujo: Dibujo, options: PDFKit.PDFDocumentOptions = {}): Promise<Buffer> {
  const documento = new PDFDocument({ size: 'LETTER', margin: 0, ...options });
  const salida = documento.pipe(new PassThrough());
  dibujo(documento);
  documento.end();
  const chunks: Buffer[] = [];
  for await (const chunk of salida) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * A PDF written by hand: objects in order from 1, object 1 is the catalogue. Streams are given with their dictionary.
 */
export function writePdf(objetos: readonly (string | Buffer)[], trailer = ''): Buffer {
  const partes: Buffer[] = [Buffer.from('%PDF-1.7\n', 'latin1')];
  const offsets: number[] = [];
  let at = partes[0]?.length ?? 0;
  for (const [i, objeto] of objetos.entries()) {
    offsets.push(at);
    const cuerpo = typeof objeto === 'string' ? Buffer.from(objeto, 'latin1') : objeto;
    const parte = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), cuerpo, Buffer.from('\nendobj\n')]);
    partes.push(parte);
    at += parte.length;
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objetos.length + 1;
  partes.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(partes);
}

/** A stream object. */
export function streamOf(dictionary: string, bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${bytes.length}>>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ]);
}

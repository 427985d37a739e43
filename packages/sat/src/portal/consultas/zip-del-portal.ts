import { Readable } from 'node:stream';
import { ilegible } from '../paginas/ilegible.ts';

/** Either the ZIP or the page that came in its place (its first 256 KiB). */
export type CuerpoDelPortal =
  | { readonly zip: Readable; readonly pagina: null }
  | { readonly zip: null; readonly pagina: string };

const MAX_PAGINA = 256 * 1024;
/** An end record is 22 bytes, followed by a comment of at most 65,535 (APPNOTE.TXT, 4.3.16). */
const MAX_QUEUED = 22 + 65_535;
const FIRMA_FIN = Buffer.from('PK\x05\x06', 'latin1');
const FIRMAS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'];

/**
 * Decides by the first bytes, whatever the headers say, whether a body is a ZIP. The stream ends with
 * RESPUESTA_ILEGIBLE when the ZIP has no end record: a body that was cut at the other side of a proxy comes with a
 * complete HTTP answer.
 */
export async function openZip(body: Readable): Promise<CuerpoDelPortal> {
  const source = body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  const head = await readHead(source, 4);
  if (!FIRMAS.includes(head.subarray(0, 4).toString('latin1'))) {
    const pagina = Buffer.concat([head, await readHead(source, MAX_PAGINA)]).toString();
    body.destroy();
    return { zip: null, pagina };
  }
  const zip = Readable.from(watchEnd(head, source), { objectMode: false });
  zip.on('error', () => {});
  zip.once('close', () => body.destroy());
  return { zip, pagina: null };
}

async function readHead(source: AsyncIterableIterator<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let size = 0; size < bytes; ) {
    const next = await source.next();
    if (next.done === true) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  return Buffer.concat(chunks);
}

async function* watchEnd(head: Buffer, source: AsyncIterableIterator<Buffer>): AsyncGenerator<Buffer> {
  let tail = head;
  yield head;
  for await (const chunk of source) {
    tail =
      chunk.length >= MAX_QUEUED ? chunk : Buffer.concat([tail.subarray(-MAX_QUEUED), chunk]).subarray(-MAX_QUEUED);
    yield chunk;
  }
  if (!tail.includes(FIRMA_FIN)) throw ilegible('ZIP sin final');
}

import type { EntryWritten, ZipWriter } from '../assemble/zip-writer.ts';
import type { XmlDelivery } from './deliver-xml.ts';
import { KNOWN } from './xml-index.ts';

const CHUNK_CHARACTERS = 65_536;

/** Lines in chunks of some size. */
function* chunksOf(header: string, lines: Iterable<string>): Generator<Buffer, void, undefined> {
  let chunk = `${header}\r\n`;
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/** Names and contents of the files that follow the metadata: which XML is missing, and which the metadata lacks. */
export function filesAfterRows(xml: XmlDelivery): readonly (readonly [string, Iterable<Buffer>])[] {
  const { index, sinMetadata } = xml;
  function* faltantes() {
    for (let place = 0; place < index.length; place++) {
      const motivo = index.motivoOf(place);
      if (motivo !== null) yield `${index.uuidAt(place)},${motivo}\r\n`;
    }
  }
  function* unknown() {
    for (let place = 0; place < index.length; place++) {
      const isUnknown = index.has(place, KNOWN.delivered) && !index.has(place, KNOWN.row);
      if (isUnknown) yield `${index.uuidAt(place)},${index.pathAt(place)}\r\n`;
    }
  }
  return [
    ['faltantes.csv', chunksOf('uuid,motivo', faltantes())],
    ...(sinMetadata > 0 ? [['sin-metadata.csv', chunksOf('uuid,xml', unknown())] as const] : []),
  ];
}

/**
 * Writes `entradas-cfdi.csv`: size and SHA-256 of each entry of `cfdi/` and `apartados/`, which are too many for the
 * manifest.
 */
export function writeHashes(xml: XmlDelivery, writer: ZipWriter): Promise<EntryWritten> {
  const { index, keptAside } = xml;
  function* hashes() {
    for (let place = 0; place < index.length; place++) {
      if (!index.has(place, KNOWN.delivered)) continue;
      yield `${index.pathAt(place)},${index.bytesAt(place)},${index.sha256At(place)}\r\n`;
    }
    for (const { nombre, bytes, sha256 } of keptAside) yield `${nombre},${bytes},${sha256}\r\n`;
  }
  return writer.add('entradas-cfdi.csv', chunksOf('nombre,bytes,sha256', hashes()));
}

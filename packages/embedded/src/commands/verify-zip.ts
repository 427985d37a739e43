import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yauzl, { type Entry, type ZipFile } from 'yauzl';

export interface Downloaded {
  readonly bytes: number;
  readonly sha256: string;
}

/** Fetches a URL to a file without further credentials, counting and hashing on the way. */
export async function download(url: string, path: string): Promise<Downloaded> {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new Error(`La URL del paquete respondió ${response.status}.`);
  const hash = createHash('sha256');
  let bytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response.body), count, createWriteStream(path));
  return { bytes, sha256: hash.digest('hex') };
}

interface Manifest {
  readonly registros: number;
  readonly entradas: readonly { readonly nombre: string; readonly bytes: number; readonly sha256: string }[];
}

/**
 * Checks a package as its receiver can: every entry inflates to the size and hash that the manifest names, and
 * `metadata.csv` has as many rows as the manifest says. Gives the number of rows. @throws an Error that names the first
 * entry that does not fit.
 */
export async function verifyZip(path: string): Promise<{ registros: number; entradas: number }> {
  const zip = await open(path);
  const found = new Map<string, Downloaded>();
  let manifest: Manifest | undefined;
  await eachEntry(zip, async (entry, stream) => {
    const hash = createHash('sha256');
    const kept: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      if (entry.fileName === 'manifest.json') kept.push(chunk);
    }
    if (entry.fileName === 'manifest.json') manifest = JSON.parse(Buffer.concat(kept).toString());
    else found.set(entry.fileName, { bytes, sha256: hash.digest('hex') });
  });
  if (!manifest) throw new Error('El paquete no tiene manifest.json.');
  for (const { nombre, bytes, sha256 } of manifest.entradas) {
    const entry = found.get(nombre);
    if (entry?.bytes !== bytes || entry.sha256 !== sha256)
      throw new Error(`La entrada ${nombre} no es la que dice el manifiesto.`);
    found.delete(nombre);
  }
  if (found.size > 0)
    throw new Error(`El paquete trae entradas que el manifiesto no nombra: ${[...found.keys()].join(', ')}.`);
  return { registros: manifest.registros, entradas: manifest.entradas.length + 1 };
}

function open(path: string): Promise<ZipFile> {
  return new Promise((resolve, reject) =>
    yauzl.open(path, { lazyEntries: true, autoClose: true }, (error, zip) => (error ? reject(error) : resolve(zip))),
  );
}

function eachEntry(zip: ZipFile, visit: (entry: Entry, stream: Readable) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    zip.on('error', reject);
    zip.on('end', resolve);
    zip.on('entry', (entry: Entry) =>
      zip.openReadStream(entry, (error, stream) => {
        if (error) reject(error);
        else visit(entry, stream).then(() => zip.readEntry(), reject);
      }),
    );
    zip.readEntry();
  });
}

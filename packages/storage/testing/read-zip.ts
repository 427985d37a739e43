import { buffer as readAll } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** Every entry of a ZIP by name, in its order, read by yauzl. */
export async function readZip(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes);
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    entries.set(entry.fileName, await readAll(await zip.openReadStreamPromise(entry)));
  }
  return entries;
}

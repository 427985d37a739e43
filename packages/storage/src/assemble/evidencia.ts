import { buffer as readAll } from 'node:stream/consumers';
import { evidenciaPrefix } from '../keys.ts';
import type { ObjectStore } from '../object-store.ts';
import type { EntryWritten, ZipWriter } from './zip-writer.ts';

const MAX_BYTES = 1_048_576;
/** Parts of the SAT's messages that carry a token or a signature of the taxpayer. */
const SECRETS = ['access_token', 'BinarySecurityToken', 'AutenticaResult'];

/** Throws TypeError for bytes that must not be in a package: see `Paquetes.saveEvidencia`. */
export function checkEvidencia(nombre: string, bytes: Buffer): void {
  if (bytes.length > MAX_BYTES) throw new TypeError(`the evidence ${nombre} has more than ${MAX_BYTES} bytes`);
  const text = bytes.toString('latin1').toLowerCase();
  const found = SECRETS.find((secret) => text.includes(secret.toLowerCase()));
  if (found !== undefined) throw new TypeError(`the evidence ${nombre} contains a token: ${found}`);
}

/** Writes the evidence of a solicitud under `evidencia/`, in order of name. */
export async function writeEvidencia(
  store: ObjectStore,
  writer: ZipWriter,
  solicitudId: string,
  signal: AbortSignal,
): Promise<EntryWritten[]> {
  const prefix = evidenciaPrefix(solicitudId);
  const written: EntryWritten[] = [];
  for (const key of (await store.list(prefix, signal)).sort()) {
    const stat = await store.stat(key, signal);
    if (stat === null) throw new Error(`${key} was removed during the assembly`);
    const content =
      stat.bytes === 0
        ? Buffer.alloc(0)
        : await readAll(store.read(key, stat.version, { start: 0, end: stat.bytes }, signal));
    written.push(await writer.add(`evidencia/${key.slice(prefix.length)}`, [content]));
  }
  return written;
}

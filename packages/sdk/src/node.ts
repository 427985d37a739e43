import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Acuse } from './acuse.ts';
import type { OpcionesPaquete } from './paquete.ts';

/** Options of storing a package in a file. */
export interface OpcionesArchivo extends OpcionesPaquete {
  /** Takes the place of a file that is there; otherwise that is an error, `EEXIST`. */
  readonly sobrescribir?: boolean | undefined;
}

/** A package in a file. */
export interface ArchivoGuardado {
  readonly ruta: string;
  readonly bytes: number;
  /** Hexadecimal; that of the bytes in the file. */
  readonly sha256: string;
}

/**
 * Stores the package of a request that has ended in a file, for Node, Deno and Bun. The file has its name only once it
 * is whole and its SHA-256 is right: until then it is `ruta` with `.parcial`, which is removed when anything fails.
 */
export async function guardarPaquete(
  acuse: Pick<Acuse, 'abrirPaquete'>,
  solicitudId: string,
  ruta: string,
  { sobrescribir = false, ...opciones }: OpcionesArchivo = {},
): Promise<ArchivoGuardado> {
  const isThere = await access(ruta).then(
    () => true,
    () => false,
  );
  if (isThere && !sobrescribir)
    throw Object.assign(new Error(`Ya existe el archivo ${ruta}. Bórrelo o dé otro nombre.`), { code: 'EEXIST' });
  const { bytes, sha256, flujo } = await acuse.abrirPaquete(solicitudId, opciones);
  const partial = `${ruta}.${randomUUID()}.parcial`;
  try {
    const source = Readable.fromWeb(flujo as WebStream);
    await pipeline(source, createWriteStream(partial, { flags: 'wx' }), { signal: opciones.signal });
    await rename(partial, ruta);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  return { ruta, bytes, sha256 };
}

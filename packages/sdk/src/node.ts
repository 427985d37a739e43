import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import type { Acuse, Descarga, OpcionesEspera } from './acuse.ts';
import { PaqueteCfdi } from './cfdi.ts';
import type { PeticionTaxDescargaMetadata } from './generated/openapi.ts';
import type { OpcionesPaquete } from './paquete.ts';
import type { OpcionesLlamada } from './transport.ts';

export { type Cfdi, type CfdiFaltante, PaqueteCfdi } from './cfdi.ts';

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

/** A request that ended with the CFDI themselves in a file. */
export interface DescargaCfdi extends Descarga {
  readonly archivo: PaqueteCfdi;
}

/**
 * Asks for the CFDI themselves (`contenido: 'xml'`), waits until the request has ended, and stores its package in a
 * file after a check of its SHA-256. A file that exists is an error, and nothing is charged.
 *
 * @throws AcuseError as `descargarYEsperar` and {@link guardarPaquete}.
 */
export async function descargarCfdi(
  acuse: Pick<Acuse, 'descargarYEsperar' | 'abrirPaquete'>,
  peticion: Omit<PeticionTaxDescargaMetadata, 'contenido'>,
  ruta: string,
  opciones: OpcionesArchivo & OpcionesEspera & OpcionesLlamada = {},
): Promise<DescargaCfdi> {
  await checkPlace(ruta, opciones.sobrescribir);
  const descarga = await acuse.descargarYEsperar({ ...peticion, contenido: 'xml' }, opciones);
  await guardarPaquete(acuse, descarga.solicitud.solicitud_id, ruta, opciones);
  return { ...descarga, archivo: new PaqueteCfdi(ruta) };
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
  await checkPlace(ruta, sobrescribir);
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

/** @throws Error `EEXIST` for a file that is there and may not be replaced. */
async function checkPlace(ruta: string, sobrescribir = false): Promise<void> {
  const isThere = await access(ruta).then(
    () => true,
    () => false,
  );
  if (isThere && !sobrescribir)
    throw Object.assign(new Error(`Ya existe el archivo ${ruta}. Bórrelo o dé otro nombre.`), { code: 'EEXIST' });
}

import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ObjetoGuardado, PaqueteSatInvalido } from '@acuse/core';
import { satKey } from './keys.ts';
import type { PaqueteLimits } from './limits.ts';
import { Meter } from './meter.ts';
import type { ObjectStore } from './object-store.ts';

export interface OrigenSat {
  readonly solicitudId: string;
  readonly parteId: string;
  readonly paquete: string;
}

/** Stores one package of the SAT as it arrives, as `Paquetes.saveSat` says. */
export async function saveSat(
  store: ObjectStore,
  limits: PaqueteLimits,
  origen: OrigenSat,
  zip: Readable,
  signal: AbortSignal,
): Promise<ObjetoGuardado & { objectKey: string }> {
  const objectKey = satKey(origen);
  const meter = new Meter();
  const counted = new Transform({
    highWaterMark: 1_048_576,
    transform(chunk: Buffer, _encoding, callback) {
      meter.update(chunk);
      if (meter.bytes <= limits.maxPackageBytes) callback(null, chunk);
      else callback(new PaqueteSatInvalido('DEMASIADO_GRANDE', objectKey, `pasa de ${limits.maxPackageBytes} bytes`));
    },
  });
  const copied = pipeline(zip, counted, { signal });
  const stored = store.write(objectKey, counted, signal);
  stored.catch((error: Error) => counted.destroy(error));
  const [copy, put] = await Promise.allSettled([copied, stored]);
  signal.throwIfAborted();
  // A source that failed fails the upload with its own error, so the upload's error is always the first one.
  if (put.status === 'rejected') throw put.reason;
  if (copy.status === 'rejected') throw copy.reason;
  const { bytes, sha256 } = meter.finish();
  return { objectKey, bytes, sha256 };
}

/** The package that {@link saveSat} stored for the same origin, read once to hash it; null when it is not there. */
export async function findSat(
  store: ObjectStore,
  origen: OrigenSat,
  signal: AbortSignal,
): Promise<(ObjetoGuardado & { objectKey: string }) | null> {
  const objectKey = satKey(origen);
  const stat = await store.stat(objectKey, signal);
  if (stat === null) return null;
  const meter = new Meter();
  for await (const chunk of store.read(objectKey, stat.version, { start: 0, end: stat.bytes }, signal)) {
    meter.update(chunk as Buffer);
  }
  const { bytes, sha256 } = meter.finish();
  return { objectKey, bytes, sha256 };
}

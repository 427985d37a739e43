import { Readable } from 'node:stream';
import type { ObjetoGuardado } from '@acuse/core';
import { Meter } from './meter.ts';
import type { ObjectStore } from './object-store.ts';

/** Stores a document whole, as `Paquetes.saveDocumento` says. */
export async function saveDocumento(
  store: ObjectStore,
  objectKey: string,
  bytes: Buffer,
  signal: AbortSignal,
): Promise<ObjetoGuardado> {
  const meter = new Meter();
  meter.update(bytes);
  await store.write(objectKey, Readable.from([bytes]), signal);
  return meter.finish();
}

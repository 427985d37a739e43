import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import type { Paquetes } from '@acuse/core';
import type { ObjectStore } from './object-store.ts';
import { paquetesIn } from './paquetes.ts';
import { DEFAULT_LIMITS, type PaqueteLimits } from './zip/sat-package.ts';

interface PaquetesMemoriaOptions {
  readonly limits?: Partial<PaqueteLimits>;
  readonly compressionLevel?: number;
  /** What presigned URLs begin with; nothing answers there. */
  readonly publicEndpoint?: string;
  readonly now?: () => Date;
}

interface PaquetesMemoria extends Paquetes {
  /** Every object by its key, for tests to look at and to damage. */
  readonly objects: Map<string, Buffer>;
}

/** Packages in the memory of this process: the same assembly over a map. For tests. */
export function createPaquetesMemoria(options: PaquetesMemoriaOptions = {}): PaquetesMemoria {
  const objects = new Map<string, Buffer>();
  const store = createMemoryStore(objects);
  const { compressionLevel: level = 6, publicEndpoint = 'https://paquetes.invalid', now = () => new Date() } = options;
  return {
    objects,
    ...paquetesIn(store, { ...DEFAULT_LIMITS, ...options.limits }, level),
    async presign(objectKey, { filename, ttlSeconds }) {
      const signedAt = Math.floor(now().getTime() / 1000);
      const url = new URL(objectKey, `${publicEndpoint}/`);
      url.searchParams.set('X-Amz-Expires', String(ttlSeconds));
      url.searchParams.set('response-content-disposition', `attachment; filename="${filename}"`);
      return { url: url.href, expiraEn: new Date((signedAt + ttlSeconds) * 1000) };
    },
    sweepUploads: async () => 0,
    ping: async (signal) => signal.throwIfAborted(),
  };
}

/** Objects in a map, each buffer a version of its own. */
export function createMemoryStore(objects: Map<string, Buffer>): ObjectStore {
  const versions = new WeakMap<Buffer, string>();
  let last = 0;
  /** Every buffer is a version of its own: an object is written by putting another buffer in the map. */
  const versionOf = (object: Buffer): string => {
    const version = versions.get(object) ?? String(++last);
    versions.set(object, version);
    return version;
  };
  const find = (key: string): Buffer => {
    const object = objects.get(key);
    if (object === undefined) throw new Error(`there is no object ${key}`);
    return object;
  };
  return {
    async stat(key, signal) {
      signal.throwIfAborted();
      const object = objects.get(key);
      return object === undefined ? null : { bytes: object.length, version: versionOf(object) };
    },
    read: (key, version, { start, end }, signal) =>
      Readable.from(
        (async function* () {
          signal.throwIfAborted();
          const object = find(key);
          if (versionOf(object) !== version) throw new Error(`${key} was written anew`);
          yield object.subarray(start, end);
        })(),
        { objectMode: false },
      ),
    async write(key, body, signal) {
      const object = await readAll(body);
      signal.throwIfAborted();
      objects.set(key, object);
    },
    async removePrefix(prefix) {
      for (const key of [...objects.keys()]) if (key.startsWith(prefix)) objects.delete(key);
    },
  };
}

import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import type { ObjectStore } from './object-store.ts';

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
      return versionOf(object);
    },
    hold() {},
    async list(prefix, signal) {
      signal.throwIfAborted();
      return [...objects.keys()].filter((key) => key.startsWith(prefix));
    },
    async remove(keys) {
      for (const key of keys) objects.delete(key);
    },
    async removePrefix(prefix) {
      for (const key of [...objects.keys()]) if (key.startsWith(prefix)) objects.delete(key);
    },
  };
}

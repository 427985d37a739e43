import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ManifestSigner, PaqueteSatInvalido, type Paquetes, SMALL_BYTES } from '@acuse/core';
import { assemble } from './assemble/assemble.ts';
import { checkEvidencia } from './assemble/evidencia.ts';
import { readCsv } from './assemble/read-csv.ts';
import { createZipWriter } from './assemble/zip-writer.ts';
import { evidenciaKey, originalsPrefix, satKey, solicitudPrefix } from './keys.ts';
import { Meter } from './meter.ts';
import type { ObjectStore } from './object-store.ts';
import type { PaqueteLimits } from './zip/sat-package.ts';

/**
 * What packages do over any object storage, as `Paquetes` says; `level` is that of the deflate compression, 0 to 9.
 * Without `signer`, `firma.json` has no signature.
 */
export function paquetesIn(store: ObjectStore, limits: PaqueteLimits, level: number, signer?: ManifestSigner) {
  /** The source may fail at any byte: the object appears only when it ended without an error. */
  const saveSat: Paquetes['saveSat'] = async (origen, zip, signal) => {
    const objectKey = satKey(origen);
    const meter = new Meter();
    const chunks: Buffer[] = [];
    const counted = new Transform({
      highWaterMark: 1_048_576,
      transform(chunk: Buffer, _encoding, callback) {
        meter.update(chunk);
        if (meter.bytes <= SMALL_BYTES) chunks.push(chunk);
        else chunks.length = 0;
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
    if (bytes <= SMALL_BYTES) store.hold(objectKey, put.value, Buffer.concat(chunks));
    return { objectKey, bytes, sha256 };
  };
  return {
    saveSat,
    async saveXml(origen, documentos, signal) {
      const writer = createZipWriter(level);
      const saved = saveSat(origen, writer.output, signal);
      saved.catch(writer.fail);
      try {
        for await (const { uuid, xml } of documentos) await writer.add(`${uuid}.xml`, [xml]);
        await writer.finish();
      } catch (error) {
        writer.fail(error);
      }
      return saved;
    },
    async saveEvidencia(solicitudId, nombre, bytes, signal) {
      const objectKey = evidenciaKey(solicitudId, nombre);
      checkEvidencia(nombre, bytes);
      await store.write(objectKey, Readable.from([bytes]), signal);
    },
    async findSat(origen, signal) {
      const objectKey = satKey(origen);
      const stat = await store.stat(objectKey, signal);
      if (stat === null) return null;
      const meter = new Meter();
      for await (const chunk of store.read(objectKey, stat.version, { start: 0, end: stat.bytes }, signal)) {
        meter.update(chunk as Buffer);
      }
      const { bytes, sha256 } = meter.finish();
      return { objectKey, bytes, sha256 };
    },
    assemble: (plan, signal, observers) => assemble({ store, limits, level, signer }, plan, signal, observers),
    readCsv: readCsv.bind(null, store),
    removeDocumento: (objectKey) => store.remove([objectKey]),
    remove: (solicitudId, what) => {
      if (typeof what === 'object') return store.remove(what);
      return store.removePrefix(what === 'todo' ? solicitudPrefix(solicitudId) : originalsPrefix(solicitudId));
    },
  } satisfies Partial<Paquetes>;
}

import { Readable } from 'node:stream';
import type { Paquetes } from '@acuse/core';
import { Meter } from './meter.ts';
import { createS3Client, type PaquetesS3Settings, settingsS3Of } from './s3/client.ts';
import { createPresign } from './s3/presign.ts';
import { createS3Store } from './s3/s3-store.ts';

/** The store of these settings, with what needs no code for packages. */
export function openStoreS3(settings: PaquetesS3Settings, now = () => new Date()) {
  const client = createS3Client(settings, settings.endpoint);
  const publicClient =
    settings.publicEndpoint === undefined ? client : createS3Client(settings, settings.publicEndpoint);
  const store = createS3Store(client, settings);
  return {
    client,
    store,
    presign: createPresign(publicClient, settings.bucket, now),
    async saveDocumento(objectKey, bytes, signal) {
      const meter = new Meter();
      meter.update(bytes);
      await store.write(objectKey, Readable.from([bytes]), signal);
      return meter.finish();
    },
    /** Closes the connections. Nothing may be asked of it afterwards. */
    close() {
      client.destroy();
      publicClient.destroy();
    },
  } satisfies Partial<Paquetes> & Record<string, unknown>;
}

/** URLs and documents of the storage that the settings of a process name. Connects on first use. */
export const openDocumentosS3 = (...settings: Parameters<typeof settingsS3Of>) =>
  openStoreS3(settingsS3Of(...settings));

import { afterAll, afterEach, beforeAll } from 'vitest';
import { createPaquetesS3, type PaquetesS3, type PaquetesS3Settings } from '../src/index.ts';
import { type S3Server, startS3 } from './s3-server.ts';

export interface S3Fixture {
  readonly server: S3Server;
  /** Packages in the server's storage; closed after the tests. */
  open(overrides?: Partial<PaquetesS3Settings>, now?: () => Date): PaquetesS3;
  fetchObject(paquetes: PaquetesS3, objectKey: string): Promise<Response>;
  /** How many requests since the test began match, each written as `METHOD /path?query`. */
  count(pattern: RegExp): number;
}

/** A server for the tests of a file, without a memory of the tests before. */
export function useS3(): S3Fixture {
  let server: S3Server | null = null;
  const opened: PaquetesS3[] = [];
  const running = (): S3Server => {
    if (server === null) throw new Error('the server runs only while tests do');
    return server;
  };
  beforeAll(async () => {
    server = await startS3();
  });
  afterEach(() => {
    Object.assign(running(), { intercept: () => false, now: Date.now });
    running().requests.length = 0;
  });
  afterAll(async () => {
    for (const paquetes of opened) paquetes.close();
    await running().close();
  });
  return {
    get server() {
      return running();
    },
    open(overrides = {}, now) {
      const paquetes = createPaquetesS3(running().settings(overrides), now === undefined ? {} : { now });
      opened.push(paquetes);
      return paquetes;
    },
    fetchObject: async (paquetes, objectKey) =>
      fetch((await paquetes.presign(objectKey, { filename: 'x.zip', ttlSeconds: 60 })).url),
    count: (pattern) => running().requests.filter((line) => pattern.test(line)).length,
  };
}

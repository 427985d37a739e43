import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startS3 as startEmbeddedS3 } from '@acuse/embedded';
import { silentLogger } from '@acuse/runtime';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll } from 'vitest';

import { DEFAULT_S3_SETTINGS, type PaquetesS3Settings } from '../src/s3/client.ts';
import { createPaquetesS3, type PaquetesS3 } from '../src/s3/paquetes-s3.ts';

interface S3Fixture {
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

/** May answer a request itself (true), or leave it to the server behind (false). */
type Intercept = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface S3Server {
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** `METHOD /path?query` of every request so far. */
  readonly requests: string[];
  intercept: Intercept;
  /** The clock that signatures are compared with, ms since 1970. */
  now: () => number;
  settings(overrides?: Partial<PaquetesS3Settings>): PaquetesS3Settings;
  /** How many multipart uploads, of this key or of all, neither ended nor were given up. */
  openUploads(key?: string): Promise<number>;
  close(): Promise<void>;
}

const bucket = 'paquetes';
const region = 'us-east-1';

/**
 * The embedded store in a folder of its own, behind a server that keeps a list of the requests and may answer them
 * itself.
 */
export async function startS3(): Promise<S3Server> {
  const dir = await mkdtemp(join(tmpdir(), 'acuse-s3-'));
  const credentials = { accessKeyId: 'acuse-test', secretAccessKey: randomBytes(24).toString('base64url') };
  const state = { intercept: (() => false) as Intercept, now: Date.now };
  const inner = await startEmbeddedS3({ dir, buckets: [], log: silentLogger, now: () => state.now(), ...credentials });
  const client = new S3Client({ endpoint: inner.endpoint, region, forcePathStyle: true, credentials });
  const requests: string[] = [];
  const front = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`);
    if (!state.intercept(req, res)) forward(req, res, inner.port);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  return Object.assign(state, {
    endpoint,
    credentials,
    requests,
    settings: (overrides: Partial<PaquetesS3Settings> = {}) => ({
      ...DEFAULT_S3_SETTINGS,
      endpoint,
      region,
      bucket,
      createBucket: true,
      credentials,
      ...overrides,
    }),
    async openUploads(key = '') {
      const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key });
      const { Uploads = [] } = await client.send(command);
      return Uploads.length;
    },
    async close() {
      client.destroy();
      await closeServer(front);
      await inner.stop();
      await rm(dir, { recursive: true, force: true });
    },
  });
}

/** The signature covers the Host field, which goes along as it came. */
function forward(req: IncomingMessage, res: ServerResponse, port: number): void {
  const behind = request(
    { host: '127.0.0.1', port, method: req.method, path: req.url, headers: req.headers },
    (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(res);
    },
  );
  behind.on('error', () => res.destroy());
  res.on('close', () => behind.destroy());
  req.pipe(behind);
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error))));
}

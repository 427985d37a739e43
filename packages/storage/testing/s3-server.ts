import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_S3_SETTINGS, type PaquetesS3Settings } from '../src/s3/settings.ts';

interface S3rver {
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
}
const { default: S3rver } = { default: createRequire(import.meta.url)('s3rver') } as {
  default: new (options: Record<string, unknown>) => S3rver;
};

/** May answer a request itself (true), or leave it to the server behind (false). */
export type Intercept = (req: IncomingMessage, res: ServerResponse) => boolean;

export interface S3Server {
  readonly endpoint: string;
  /** `METHOD /path?query` of every request so far. */
  readonly requests: string[];
  /** Multipart uploads that neither ended nor were given up, by id. */
  readonly uploads: Map<string, { key: string; initiated: Date }>;
  intercept: Intercept;
  settings(overrides?: Partial<PaquetesS3Settings>): PaquetesS3Settings;
  close(): Promise<void>;
}

/**
 * s3rver in a folder of its own, behind a server that keeps a list of the requests and adds the two things that s3rver does not
 * have: listing multipart uploads and giving them up.
 */
export async function startS3(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'acuse-s3-'));
  const inner = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory });
  const { port } = await inner.run();
  const requests: string[] = [];
  const uploads: S3Server['uploads'] = new Map();
  const state: { intercept: Intercept } = { intercept: () => false };
  const front = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`);
    if (!state.intercept(req, res) && !answerUploads(req, res, uploads)) forward(req, res, port, uploads);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  return {
    endpoint,
    requests,
    uploads,
    get intercept() {
      return state.intercept;
    },
    set intercept(intercept) {
      state.intercept = intercept;
    },
    settings: (overrides = {}) => ({
      ...DEFAULT_S3_SETTINGS,
      endpoint,
      region: 'us-east-1',
      bucket: 'paquetes',
      createBucket: true,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      ...overrides,
    }),
    async close() {
      await closeServer(front);
      await inner.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function answerUploads(req: IncomingMessage, res: ServerResponse, uploads: S3Server['uploads']): boolean {
  const url = new URL(req.url ?? '', 'http://s3');
  if (req.method === 'DELETE' && url.searchParams.has('uploadId')) {
    const existed = uploads.delete(url.searchParams.get('uploadId') ?? '');
    res.writeHead(existed ? 204 : 404).end(existed ? '' : '<Error><Code>NoSuchUpload</Code></Error>');
    return true;
  }
  if (req.method === 'GET' && url.searchParams.has('uploads')) {
    const prefix = url.searchParams.get('prefix') ?? '';
    const all = [...uploads].filter(([, { key }]) => key.startsWith(prefix));
    // One a page, so that a client that reads only the first page is found out.
    const from = all.findIndex(([id]) => id === url.searchParams.get('upload-id-marker')) + 1;
    const [found] = all.slice(from);
    const upload =
      found === undefined
        ? ''
        : `<Upload><Key>${found[1].key}</Key><UploadId>${found[0]}</UploadId><Initiated>${found[1].initiated.toISOString()}</Initiated></Upload>
           <NextKeyMarker>${found[1].key}</NextKeyMarker><NextUploadIdMarker>${found[0]}</NextUploadIdMarker>`;
    const body = `<?xml version="1.0"?><ListMultipartUploadsResult>${upload}<IsTruncated>${from + 1 < all.length}</IsTruncated></ListMultipartUploadsResult>`;
    res.writeHead(200, { 'content-type': 'application/xml' }).end(body);
    return true;
  }
  return false;
}

function forward(
  req: IncomingMessage,
  res: ServerResponse,
  port: number,
  uploads: S3Server['uploads'],
): void {
  const url = new URL(req.url ?? '', 'http://s3');
  const behind = request(
    { host: '127.0.0.1', port, method: req.method, path: req.url, headers: req.headers },
    (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      const chunks: Buffer[] = [];
      if (req.method === 'POST') answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
        const id = /<UploadId>(.*?)<\/UploadId>/.exec(Buffer.concat(chunks).toString())?.[1];
        if (url.searchParams.has('uploads') && id !== undefined)
          uploads.set(id, { key, initiated: new Date() });
        if (req.method === 'POST') uploads.delete(url.searchParams.get('uploadId') ?? '');
      });
      answer.pipe(res);
    },
  );
  behind.on('error', () => res.destroy());
  res.on('close', () => behind.destroy());
  req.pipe(behind);
}

function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve, reject) =>
    server.close((error) => (error === undefined ? resolve() : reject(error))),
  );
}

import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32 } from 'node:zlib';
import { S3Error } from './exchange.ts';

const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024;

/**
 * Streams that give a request's body without its framing, the source first; the last one fails at its end when the body
 * differs from its announcement.
 */
export type IncomingBody = readonly [Readable, ...Transform[]];

/**
 * Reads a body as the signed payload hash and the headers say: plain or `aws-chunked`, with SHA-256, MD5 and CRC-32
 * checked.
 */
export function incomingBody(request: IncomingMessage, payloadHash: string): IncomingBody {
  const { headers } = request;
  const decoder = payloadHash.startsWith('STREAMING-') ? new AwsChunkedDecoder() : undefined;
  const length = decoder ? headers['x-amz-decoded-content-length'] : headers['content-length'];
  const verifier = new BodyVerifier({
    length: typeof length === 'string' ? Number(length) : undefined,
    sha256: /^[0-9a-f]{64}$/.test(payloadHash) ? payloadHash : undefined,
    md5: headers['content-md5']?.toString(),
    crc32: () => headers['x-amz-checksum-crc32']?.toString() ?? decoder?.trailers.get('x-amz-checksum-crc32'),
  });
  return decoder ? [request, decoder, verifier] : [request, verifier];
}

/** The whole of a small body (lists in XML) as text. */
export async function readDocument([source, ...rest]: IncomingBody): Promise<string> {
  const last = rest.reduce<Readable>((from, to) => {
    from.on('error', (error) => to.destroy(error));
    return from.pipe(to);
  }, source);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of last) {
    size += chunk.length;
    if (size > MAX_DOCUMENT_BYTES) throw new S3Error('MalformedXML', 'The document is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Announced {
  readonly length: number | undefined;
  readonly sha256: string | undefined;
  readonly md5: string | undefined;
  /** Asked at the end, since it may come in a trailer. */
  readonly crc32: () => string | undefined;
}

class BodyVerifier extends Transform {
  readonly #announced: Announced;
  readonly #sha256 = createHash('sha256');
  readonly #md5 = createHash('md5');
  #crc = 0;
  #length = 0;

  constructor(announced: Announced) {
    super();
    this.#announced = announced;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#length += chunk.length;
    if (this.#announced.sha256 !== undefined) this.#sha256.update(chunk);
    if (this.#announced.md5 !== undefined) this.#md5.update(chunk);
    this.#crc = crc32(chunk, this.#crc);
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.#fault());
  }

  #fault(): S3Error | null {
    const { length, sha256, md5, crc32: announcedCrc } = this.#announced;
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(this.#crc);
    if (length !== undefined && length !== this.#length) {
      return new S3Error('IncompleteBody', 'You did not provide the number of bytes that was announced.');
    }
    if (sha256 !== undefined && this.#sha256.digest('hex') !== sha256) {
      return new S3Error(
        'XAmzContentSHA256Mismatch',
        "The provided 'x-amz-content-sha256' does not match what was computed.",
      );
    }
    if (md5 !== undefined && this.#md5.digest('base64') !== md5) {
      return new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.');
    }
    if (![undefined, crc.toString('base64')].includes(announcedCrc())) {
      return new S3Error('BadDigest', 'The CRC32 you specified did not match the calculated checksum.');
    }
    return null;
  }
}

const MAX_LINE = 4_096;
const CRLF = '\r\n';

/**
 * Takes the framing of `aws-chunked` off a body (Amazon S3 API Reference, "Signature calculations ... multiple
 * chunks"): chunks of `size[;chunk-signature=...]`, then trailing headers. The signatures of single chunks are not
 * looked at: the request's own was. A body that ends before its last chunk is an error, not a short object.
 */
export class AwsChunkedDecoder extends Transform {
  /** The trailing headers, in lower case, complete when the stream has ended. */
  readonly trailers = new Map<string, string>();
  #state: 'size' | 'data' | 'data-end' | 'trailer' = 'size';
  #line = '';
  #left = 0;
  #finished = false;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      let rest = chunk;
      while (rest.length > 0) rest = this.#state === 'data' ? this.#takeData(rest) : this.#takeLine(rest);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    if (this.#state === 'trailer' && this.#line !== '') this.#endLine(this.#line);
    done(this.#finished ? null : new S3Error('IncompleteBody', 'The request body terminated unexpectedly.'));
  }

  #takeData(bytes: Buffer): Buffer {
    const taken = bytes.subarray(0, this.#left);
    this.push(taken);
    this.#left -= taken.length;
    if (this.#left === 0) this.#state = 'data-end';
    return bytes.subarray(taken.length);
  }

  #takeLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(10);
    this.#line += bytes.subarray(0, end === -1 ? bytes.length : end + 1).toString('latin1');
    if (this.#line.length > MAX_LINE) throw new S3Error('InvalidArgument', 'A chunk header is too long.');
    if (end === -1) return Buffer.alloc(0);
    if (!this.#line.endsWith(CRLF)) throw new S3Error('InvalidArgument', 'A chunk is malformed.');
    this.#endLine(this.#line.slice(0, -CRLF.length));
    this.#line = '';
    return bytes.subarray(end + 1);
  }

  #endLine(line: string): void {
    if (this.#state === 'data-end') {
      if (line !== '') throw new S3Error('InvalidArgument', 'A chunk is longer than it said.');
      this.#state = 'size';
    } else if (this.#state === 'size') {
      const size = /^([0-9a-f]{1,12})(;.*)?$/i.exec(line)?.[1];
      if (size === undefined) throw new S3Error('InvalidArgument', 'A chunk is malformed.');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'data';
      this.#finished = this.#left === 0;
    } else {
      const colon = line.indexOf(':');
      if (colon > 0) this.trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
    }
  }
}

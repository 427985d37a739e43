import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Readable, Transform, type TransformCallback } from 'node:stream';
import { crc32 } from 'node:zlib';
import { AwsChunkedDecoder } from './aws-chunked.ts';
import { S3Error } from './s3-error.ts';

const MAX_DOCUMENT_BYTES = 2 * 1024 * 1024;

/**
 * A request's body without its framing, whose stream fails at the end when the body is not the one that was announced.
 */
export interface IncomingBody {
  /** The streams to put one after the other; the first one is the source. */
  readonly stages: readonly [Readable, ...Transform[]];
}

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
  return { stages: decoder ? [request, decoder, verifier] : [request, verifier] };
}

/** The whole of a small body (lists in XML) as text. */
export async function readDocument(body: IncomingBody): Promise<string> {
  const [source, ...rest] = body.stages;
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

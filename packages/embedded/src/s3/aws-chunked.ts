import { Transform, type TransformCallback } from 'node:stream';
import { S3Error } from './s3-error.ts';

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

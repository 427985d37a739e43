import { once } from 'node:events';
import { PassThrough, type Readable, Transform } from 'node:stream';
import { ZipArchive } from 'archiver';
import { type Measure, Meter } from '../meter.ts';

/** The first moment that a ZIP can tell: every entry has it, so that the bytes follow from the content alone. */
const MTIME = new Date('1980-01-01T00:00:00Z');
const MODE = 0o644;

/**
 * Bytes that may wait on either side of the compression, so that making, compressing and sending go on at the same
 * time.
 */
const AHEAD_BYTES = 1_048_576;
const CHUNK_BYTES = 131_072;

export interface EntryWritten extends Measure {
  readonly nombre: string;
}

export interface ZipWriter {
  /** The bytes of the ZIP. Ends only after `finish`; every failure destroys it with that error. */
  readonly output: Readable;
  /** Writes one entry; resolves when all of it has gone into the ZIP. Entries are written one after another. */
  add(nombre: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<EntryWritten>;
  /** Writes the directory; resolves with what the whole ZIP measures when it has been read to its end. */
  finish(): Promise<Measure>;
  /** Breaks the output off with an error, so that whoever reads it cannot take it for a whole ZIP. */
  fail(error: unknown): void;
}

/**
 * A ZIP written by archiver, with fixed times and modes. archiver goes on after an error of a source as if the source
 * had ended, and ends its output as if whole when it is aborted. So it is never given a source that can fail: content
 * is copied into a plain stream that simply stops, and its output passes through a stream of ours that is destroyed
 * first.
 */
export function createZipWriter(level: number): ZipWriter {
  const failed = new AbortController();
  const total = new Meter();
  const output = new Transform({
    highWaterMark: AHEAD_BYTES,
    transform(chunk: Buffer, _encoding, callback) {
      total.update(chunk);
      callback(null, chunk);
    },
  });
  const archive = new ZipArchive({ zlib: { level, chunkSize: CHUNK_BYTES }, highWaterMark: AHEAD_BYTES });

  function fail(error: unknown): void {
    if (failed.signal.aborted) return;
    const reason = error instanceof Error ? error : new Error('the ZIP was given up', { cause: error });
    archive.unpipe(output);
    output.destroy(reason);
    failed.abort(reason);
    archive.abort();
  }

  output.on('error', fail);
  archive.on('error', fail);
  archive.on('warning', fail);
  archive.pipe(output);

  return {
    output,
    fail,
    async add(nombre, content) {
      failed.signal.throwIfAborted();
      const entry = new PassThrough({ highWaterMark: AHEAD_BYTES });
      const written = rejectOnFailure(once(archive, 'entry', { signal: failed.signal }), failed.signal);
      archive.append(entry, { name: nombre, date: MTIME, mode: MODE });
      const meter = new Meter();
      for await (const chunk of content) {
        failed.signal.throwIfAborted();
        meter.update(chunk);
        if (!entry.write(chunk)) await rejectOnFailure(once(entry, 'drain', { signal: failed.signal }), failed.signal);
      }
      failed.signal.throwIfAborted();
      entry.end();
      await written;
      return { nombre, ...meter.finish() };
    },
    async finish() {
      failed.signal.throwIfAborted();
      const ended = rejectOnFailure(once(output, 'end', { signal: failed.signal }), failed.signal);
      await archive.finalize();
      await ended;
      return total.finish();
    },
  };
}

/**
 * The reason of the failure in place of the AbortError that stands for it. Marked as handled: it may be awaited much
 * later.
 */
function rejectOnFailure(event: Promise<unknown[]>, signal: AbortSignal): Promise<unknown[]> {
  const explained = event.catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  explained.catch(() => undefined);
  return explained;
}

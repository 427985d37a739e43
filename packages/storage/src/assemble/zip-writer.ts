import { once } from 'node:events';
import { type Duplex, PassThrough, type Readable, Transform, type Writable } from 'node:stream';
import { createDeflateRaw } from 'node:zlib';
import { ZipArchive } from 'archiver';
import { type Measure, Meter } from '../meter.ts';
import { CentralRecords, DirectoryDigest, type ZipEngineEntry } from './zip-records.ts';

/** The first moment that a ZIP can tell: every entry has it, so that the bytes follow from the content alone. */
const MTIME = new Date('1980-01-01T00:00:00Z');
const MODE = 0o644;

/**
 * Bytes that may wait on either side of the compression, so that making, compressing and sending go on at the same
 * time.
 */
const AHEAD_BYTES = 1_048_576;
const CHUNK_BYTES = 131_072;
/** Event of the output for each chunk that it counted. */
const COUNTED = 'counted';

export interface EntryWritten extends Measure {
  readonly nombre: string;
}

export interface ZipWriter {
  /** The bytes of the ZIP. Ends only after `finish`; every failure destroys it with that error. */
  readonly output: Readable;
  /**
   * Writes one entry; resolves when all of it has gone into the ZIP. Entries are written one after another. `release`
   * gets each chunk that is read no more, at a level above 0.
   */
  add(
    nombre: string,
    content: AsyncIterable<Buffer> | Iterable<Buffer>,
    release?: (chunk: Buffer) => void,
  ): Promise<EntryWritten>;
  /** The same for content that is compressed already by a format of its own: it is not deflated again. */
  addStored(nombre: string, content: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<EntryWritten>;
  /** The same for content that is deflated already: its data goes in as it is, `measure` says what it inflates to. */
  addDeflated(nombre: string, data: AsyncIterable<Buffer> | Iterable<Buffer>, measure: Measure): Promise<EntryWritten>;
  /**
   * The same for one small entry that is whole in memory and deflated already. Resolves when the next may follow: small
   * ones go out together.
   */
  addSmall(nombre: string, data: Buffer, measure: Omit<Measure, 'sha256'>): Promise<void>;
  /** Bytes and SHA-256 of the ZIP up to here, between two entries; resolves when they have left for the output. */
  soFar(): Promise<Pick<Measure, 'bytes' | 'sha256'>>;
  /** Writes the directory; resolves with what the whole ZIP measures when it has been read to its end. */
  finish(): Promise<Measure>;
  /** Digest of the directory so far: names, sizes and CRC-32 of the entries in their order. */
  directory(): string;
  /** Breaks the output off with an error, so that a reader cannot take it for a whole ZIP. */
  fail(error: unknown): void;
}

/**
 * What of archiver's engine (compress-commons) stands between the content of an entry and its data in the ZIP. Neither
 * is in its types. archiver has no way to say that content is deflated already, and takes the CRC-32 in JavaScript.
 */
interface ZipEngine extends Writable {
  /** Its entries, which archiver would keep as objects of some 500 bytes each. */
  _entries: CentralRecords;
  getBytesWritten(): number;
  /** Gives the stream that takes the content and writes the data; `done` goes on to the next entry. */
  _smartStream(entry: ZipEngineEntry, done: (error: Error | null, entry: ZipEngineEntry) => void): Duplex;
  /** Writes what follows the data. */
  _afterAppend(entry: ZipEngineEntry): void;
}

/** How an entry goes in: what measures its chunks, and what turns them into its data. */
interface EntryForm {
  readonly meter: Pick<Meter, 'update' | 'finish'>;
  readonly through: Duplex;
  /** The data is the content itself. */
  readonly store: boolean;
  readonly release?: ((chunk: Buffer) => void) | undefined;
}

/** Deflate with twice the usual memory, 128 KiB more: less time for fewer bytes. */
const MEM_LEVEL = 9;

const AHEAD = { highWaterMark: AHEAD_BYTES };

const compression = (level: number): Pick<EntryForm, 'through' | 'store'> =>
  level === 0
    ? { through: new PassThrough(AHEAD), store: true }
    : { through: createDeflateRaw({ level, memLevel: MEM_LEVEL, chunkSize: CHUNK_BYTES, ...AHEAD }), store: false };

const engineOf = (archive: ZipArchive) => (archive as unknown as { _module: { engine: ZipEngine } })._module.engine;

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
      output.emit(COUNTED);
      callback(null, chunk);
    },
  });
  const archive = new ZipArchive({ zlib: { level }, highWaterMark: AHEAD_BYTES });
  const engine = engineOf(archive);
  const central = new CentralRecords((bytes) => engine.write(bytes));
  const digest = new DirectoryDigest();
  engine._entries = central;
  let small: Buffer[] = [];
  let smallBytes = 0;

  async function flush(): Promise<void> {
    if (smallBytes === 0) return;
    const bytes = Buffer.concat(small, smallBytes);
    small = [];
    smallBytes = 0;
    if (!engine.write(bytes)) await rejectOnFailure(once(engine, 'drain', { signal: failed.signal }), failed.signal);
    failed.signal.throwIfAborted();
  }

  async function addSmall(nombre: string, data: Buffer, { bytes, crc32 }: Omit<Measure, 'sha256'>): Promise<void> {
    failed.signal.throwIfAborted();
    const offset = engine.getBytesWritten() + smallBytes;
    const header = central.add({ nombre, bytes, crc32, compressedBytes: data.length, offset });
    digest.add(nombre, bytes, crc32);
    small.push(header, data);
    smallBytes += header.length + data.length;
    if (smallBytes >= CHUNK_BYTES) await flush();
  }

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

  async function write(
    nombre: string,
    chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
    { meter, through, store, release }: EntryForm,
  ): Promise<EntryWritten> {
    failed.signal.throwIfAborted();
    await flush();
    through.once('error', fail);
    const ended = rejectOnFailure(once(through, 'end', { signal: failed.signal }), failed.signal);
    const opened = new Promise<(measure: Measure) => void>((resolve) => {
      engine._smartStream = (zipEntry, done) => {
        const start = engine.getBytesWritten();
        resolve(({ bytes, crc32 }) => {
          zipEntry.setCrc(crc32);
          zipEntry.setSize(bytes);
          zipEntry.setCompressedSize(engine.getBytesWritten() - start);
          engine._afterAppend(zipEntry);
          done(null, zipEntry);
        });
        through.pipe(engine, { end: false });
        return through;
      };
    });
    const source = new PassThrough();
    archive.append(source, { name: nombre, date: MTIME, mode: MODE, store });
    for await (const chunk of chunks) {
      failed.signal.throwIfAborted();
      meter.update(chunk);
      if (!through.write(chunk, release && (() => release(chunk))))
        await rejectOnFailure(once(through, 'drain', { signal: failed.signal }), failed.signal);
    }
    failed.signal.throwIfAborted();
    source.end();
    await ended;
    const close = await opened;
    const measure = meter.finish();
    close(measure);
    digest.add(nombre, measure.bytes, measure.crc32);
    return { nombre, ...measure };
  }

  return {
    output,
    fail,
    add: (nombre, content, release) =>
      write(nombre, content, {
        meter: new Meter(),
        ...compression(level),
        release: level === 0 ? undefined : release,
      }),
    addStored: (nombre, content) => write(nombre, content, { meter: new Meter(), ...compression(0) }),
    addDeflated: (nombre, data, measure) =>
      write(nombre, data, {
        meter: { update: () => undefined, finish: () => measure },
        through: new PassThrough(AHEAD),
        store: false,
      }),
    addSmall,
    directory: () => digest.hex,
    async soFar() {
      await flush();
      const bytes = engine.getBytesWritten();
      while (total.bytes < bytes)
        await rejectOnFailure(once(output, COUNTED, { signal: failed.signal }), failed.signal);
      failed.signal.throwIfAborted();
      return total.soFar;
    },
    async finish() {
      failed.signal.throwIfAborted();
      await flush();
      const ended = rejectOnFailure(once(output, 'end', { signal: failed.signal }), failed.signal);
      void archive.finalize().catch(fail); // Stays open when the archive is aborted.
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

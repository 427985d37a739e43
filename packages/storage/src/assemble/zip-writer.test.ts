import { buffer as readAll } from 'node:stream/consumers';
import { deflateRawSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { readZip, zipBytes } from '../../testing/zip-bytes.ts';
import { createMemoryStore } from '../memoria.ts';
import { Meter } from '../meter.ts';
import { readDirectory } from '../zip/read-directory.ts';
import { CentralRecords } from './zip-records.ts';
import { createZipWriter } from './zip-writer.ts';

test('entries are whole, in order, and measured, however small or empty', async () => {
  const writer = createZipWriter(6);
  const zip = readAll(writer.output);
  const contents = new Map([
    ['empty.txt', ''],
    ['one.txt', '1'],
    ['many.txt', 'many'.repeat(100_000)],
  ]);
  for (const [name, content] of contents) {
    const written = await writer.add(name, content === '' ? [] : [Buffer.from(content)]);
    expect(written).toMatchObject({ nombre: name, bytes: content.length });
  }
  const measure = await writer.finish();
  expect(measure.bytes).toBe((await zip).length);
  expect([...(await readZip(await zip))].map(([name, content]) => [name, String(content)])).toEqual([...contents]);
});

test.each([0, 6])('deflated data goes in as it is among the other entries, at level %d', async (level) => {
  const content = Buffer.from('deflated elsewhere '.repeat(50_000));
  const meter = new Meter();
  meter.update(content);
  const measure = meter.finish();
  const data = deflateRawSync(content, { level: 9 });
  const writer = createZipWriter(level);
  const zip = readAll(writer.output);
  await writer.add('before.txt', [Buffer.from('before')]);
  expect(await writer.addDeflated('as-it-is.txt', [data.subarray(0, 10), data.subarray(10)], measure)).toEqual({
    nombre: 'as-it-is.txt',
    ...measure,
  });
  await writer.add('after.txt', [Buffer.from('after')]);
  await writer.finish();
  expect([...(await readZip(await zip)).values()].map(String)).toEqual(['before', String(content), 'after']);
  expect((await readZip(await zip, { raw: true })).get('as-it-is.txt')).toEqual(data);
});

test.each([0, 6])('a chunk may be overwritten once it is released, at level %d', async (level) => {
  const chunks = Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_000, index));
  const expected = Buffer.concat(chunks);
  const writer = createZipWriter(level);
  const zip = readAll(writer.output);
  let released = 0;
  await writer.add('rows.csv', chunks, (chunk) => {
    chunk.fill(0xff);
    released++;
  });
  await writer.finish();
  expect((await readZip(await zip)).get('rows.csv')?.equals(expected)).toBe(true);
  expect(released).toBe(level === 0 ? 0 : chunks.length);
});

test('every entry has the same time and mode, whenever and wherever it was written', async () => {
  const writer = createZipWriter(6);
  const zip = readAll(writer.output);
  await writer.add('a.txt', [Buffer.from('a')]);
  await writer.finish();
  const opened = await fromBufferPromise(await zip);
  for await (const entry of opened.eachEntry()) {
    // 1980-01-01 00:00:00 as MS-DOS writes it, and an ordinary file that its owner may write.
    expect([entry.lastModFileDate, entry.lastModFileTime]).toEqual([0x21, 0]);
    expect(entry.externalFileAttributes >>> 16).toBe(0o100644);
  }
  expect(opened.entryCount).toBe(1);
});

test('a failure of the content breaks the output off, so that it cannot be taken for a ZIP', async () => {
  const writer = createZipWriter(6);
  const read = readAll(writer.output);
  const cut = new Error('cut');
  await writer.add('whole.txt', [Buffer.from('whole')]);
  const adding = writer.add(
    'half.txt',
    (async function* () {
      yield Buffer.alloc(100_000, 'x');
      throw cut;
    })(),
  );
  await expect(adding).rejects.toBe(cut);
  writer.fail(cut);
  await expect(read).rejects.toBe(cut);
  await expect(writer.add('more.txt', [])).rejects.toBe(cut);
  await expect(writer.finish()).rejects.toBe(cut);
});

test('a failure while the end of the ZIP waits for its reader ends the waiting', async () => {
  const writer = createZipWriter(0);
  // 4.5 MB: entries end while their data still waits in the buffers before the output.
  for (let entry = 0; entry < 45; entry++) await writer.add(`${entry}.bin`, [Buffer.alloc(100_000)]);
  const finishing = writer.finish();
  const cut = new Error('cut');
  setImmediate(() => writer.fail(cut));
  await expect(finishing).rejects.toBe(cut);
});

test('waits for a reader that is slow instead of filling memory', { timeout: 120_000 }, async () => {
  const writer = createZipWriter(0);
  let given = 0;
  const adding = writer.add(
    'large.bin',
    (async function* () {
      for (; given < 100; given++) {
        yield Buffer.alloc(1_000_000, given);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })(),
  );
  for (let turn = 0; turn < 2_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(given).toBeLessThan(20);
  const read = readAll(writer.output);
  await adding;
  await writer.finish();
  expect((await read).length).toBeGreaterThan(100_000_000);
});

test('small entries go in beside others, more than 65,535 of them, and are a ZIP to other readers', async () => {
  const writer = createZipWriter(6);
  const zip = readAll(writer.output);
  const meter = new Meter();
  meter.update(Buffer.from('small'));
  const measure = meter.finish();
  const data = deflateRawSync('small');
  const names = Array.from({ length: 70_000 }, (_, index) => `cfdi/${index}.xml`);
  await writer.add('first.txt', [Buffer.from('first')]);
  for (const name of names.slice(0, 40_000)) await writer.addSmall(name, data, measure);
  await writer.add('between.txt', [Buffer.from('between')]);
  for (const name of names.slice(40_000)) await writer.addSmall(name, data, measure);
  const { bytes } = await writer.finish();
  const whole = await zip;
  expect(whole.length).toBe(bytes);
  const expected = ['first.txt', ...names.slice(0, 40_000), 'between.txt', ...names.slice(40_000)];
  const byYauzl = await readZip(whole);
  expect([...byYauzl.keys()]).toEqual(expected);
  expect(String(byYauzl.get('between.txt'))).toBe('between');
  expect(String(byYauzl.get('cfdi/69999.xml'))).toBe('small');
  const byFflate = unzipSync(whole, { filter: ({ name }) => name.endsWith('9999.xml') });
  expect(Object.values(byFflate).map((content) => Buffer.from(content).toString())).toEqual(Array(7).fill('small'));
});

test('records of small entries beyond 4 GiB have their offset in ZIP64', async () => {
  const parts: Buffer[] = [];
  const records = new CentralRecords((bytes) => parts.push(bytes));
  const entry = { nombre: 'cfdi/a.xml', bytes: 7, crc32: 0xdead_beef, compressedBytes: 9 };
  records.add({ ...entry, offset: 5 });
  records.add({ ...entry, offset: 2 ** 40 + 3 });
  records.forEach(() => {});
  const end = zipBytes([]);
  end.writeUInt16LE(2, 10);
  const store = createMemoryStore(new Map([['k', Buffer.concat([...parts, end])]]));
  const { entries } = await readDirectory(store, 'k', 2, new AbortController().signal);
  const read = [];
  for await (const { name, bytes, crc32, compressedBytes, offset } of entries()) {
    read.push({ nombre: name, bytes, crc32, compressedBytes, offset });
  }
  expect(read).toEqual([5, 2 ** 40 + 3].map((offset) => ({ ...entry, offset })));
});

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { PaqueteSatInvalido } from '@acuse/core';
import { describe, expect, test } from 'vitest';
import { satRow, satText } from '../../testing/sat-rows.ts';
import { type RawEntry, zipBytes } from '../../testing/zip-bytes.ts';
import { createMemoryStore } from '../memoria.ts';
import { DEFAULT_LIMITS, openSatPackage, type PaqueteLimits, type SatText } from './sat-package.ts';

const UUID = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
const signal = new AbortController().signal;
const content = satText(Array.from({ length: 300 }, (_, index) => satRow(index)));
const main: RawEntry = { name: `${UUID}_01.txt`, content };

/** Opens the package and reads everything in it. */
async function readPackage(zip: Buffer, limits: Partial<PaqueteLimits> = {}): Promise<Map<string, string>> {
  const store = createMemoryStore(new Map([['k', zip]]));
  const opened = await openSatPackage(store, 'k', { ...DEFAULT_LIMITS, ...limits }, signal);
  const texts = new Map<string, string>();
  for (const text of [...opened.metadata, ...opened.terceros]) {
    texts.set(text.name, (await readAll(text.open(signal))).toString());
  }
  return texts;
}

async function motivoOf(zip: Buffer, limits: Partial<PaqueteLimits> = {}): Promise<string> {
  try {
    await readPackage(zip, limits);
  } catch (error) {
    if (error instanceof PaqueteSatInvalido) return error.motivo;
    throw error;
  }
  return 'SIN_ERROR';
}

describe('a good package', () => {
  test.each([`${UUID}_01.txt`, `${UUID}-0001.txt`, `${UUID.toLowerCase()}_12.TXT`])(
    'with its text named %s',
    async (name) => {
      expect(await readPackage(zipBytes([{ ...main, name }]))).toEqual(new Map([[name, content]]));
    },
  );

  test('stored instead of deflated, with a comment, and with junk that is passed over', async () => {
    const zip = zipBytes(
      [
        { name: '__MACOSX/', content: '', method: 0 },
        { name: `__MACOSX/._${UUID}_01.txt`, content: 'junk' },
        { ...main, method: 0 },
        { name: `sub/${UUID}_02.txt`, content: 'junk' },
        { name: 'other.txt', content: 'junk', flags: 1 },
        { name: `${UUID}_03.txt`, content: '' },
      ],
      'PK as a comment',
    );
    expect([...(await readPackage(zip)).keys()]).toEqual([main.name]);
  });

  test('larger than one read of its end', async () => {
    const incompressible = {
      name: 'noise.bin',
      content: Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i) >> 3)),
      method: 0,
    };
    expect(await readPackage(zipBytes([main, incompressible]))).toEqual(new Map([[main.name, content]]));
  });
});

describe('a package that is none', () => {
  test.each<[string, Buffer, string]>([
    ['nothing', Buffer.alloc(0), 'NO_ES_ZIP'],
    ['an error page', Buffer.from('<html>503</html>'), 'NO_ES_ZIP'],
    ['noise', Buffer.alloc(200_000, 7), 'NO_ES_ZIP'],
    ['no entries', zipBytes([]), 'SIN_METADATA'],
    ['only junk', zipBytes([{ name: 'other.txt', content: 'x' }]), 'SIN_METADATA'],
    ['only an empty text', zipBytes([{ ...main, content: '' }]), 'SIN_METADATA'],
    ['only third parties', zipBytes([{ ...main, name: `${UUID}_tercero.txt` }]), 'SIN_METADATA'],
    ['a path that leads out', zipBytes([main, { name: `../${UUID}_01.txt`, content }]), 'NO_ES_ZIP'],
    ['an absolute path', zipBytes([main, { name: '/etc/passwd', content }]), 'NO_ES_ZIP'],
    ['a drive', zipBytes([main, { name: 'C:x.txt', content }]), 'NO_ES_ZIP'],
    ['a backslash', zipBytes([main, { name: '..\\x.txt', content }]), 'NO_ES_ZIP'],
    ['an encrypted text', zipBytes([{ ...main, flags: 1 }]), 'NO_ES_ZIP'],
    ['strong encryption', zipBytes([{ ...main, flags: 0x41 }]), 'NO_ES_ZIP'],
    ['another method', zipBytes([{ ...main, method: 12 }]), 'NO_ES_ZIP'],
    ['two texts of one name', zipBytes([main, { ...main, name: main.name.toLowerCase() }]), 'NO_ES_ZIP'],
    ['a wrong CRC', zipBytes([{ ...main, crc: 1 }]), 'CRC'],
    ['a wrong CRC of a stored text', zipBytes([{ ...main, method: 0, crc: 1 }]), 'CRC'],
    ['more bytes than announced', zipBytes([{ ...main, declaredBytes: 10 }]), 'DEMASIADO_GRANDE'],
    ['fewer bytes than announced', zipBytes([{ ...main, declaredBytes: content.length * 2 }]), 'TRUNCADO'],
    ['less compressed data than announced', zipBytes([{ ...main, declaredCompressedBytes: 10_000_000 }]), 'TRUNCADO'],
    ['compressed data that ends early', zipBytes([{ ...main, declaredCompressedBytes: 100 }]), 'TRUNCADO'],
    ['a text that is not where it should be', zipBytes([{ ...main, offset: 5 }]), 'NO_ES_ZIP'],
    ['a text behind the end', zipBytes([{ ...main, offset: 90_000_000 }]), 'TRUNCADO'],
  ])('%s', async (_name, zip, motivo) => {
    expect(await motivoOf(zip)).toBe(motivo);
  });

  test('one that inflates too far for its size', async () => {
    const bomb = { ...main, content: Buffer.alloc(5_000_000, 0x41) };
    expect(await motivoOf(zipBytes([bomb]))).toBe('DEMASIADO_GRANDE');
    expect(await motivoOf(zipBytes([bomb]), { maxRatio: 10_000 })).toBe('SIN_ERROR');
  });

  test('one with more bytes, or more entries, than are admitted', async () => {
    const two = zipBytes([main, { ...main, name: `${UUID}_02.txt` }]);
    expect(await motivoOf(two, { maxInflatedBytes: content.length * 2 })).toBe('DEMASIADO_GRANDE');
    expect(await motivoOf(two, { maxInflatedBytes: Buffer.byteLength(content) * 2 })).toBe('SIN_ERROR');
    expect(await motivoOf(two, { maxEntries: 1 })).toBe('DEMASIADO_GRANDE');
  });

  test('one cut anywhere', async () => {
    const whole = zipBytes([main, { ...main, name: `${UUID}_tercero.txt` }]);
    for (let at = 4; at < whole.length; at += Math.max(1, Math.floor(whole.length / 150))) {
      expect([at, await motivoOf(whole.subarray(0, at))]).toEqual([at, 'TRUNCADO']);
    }
  });

  test('one with any byte of its data changed', async () => {
    const whole = zipBytes([main]);
    const dataStart = 30 + main.name.length;
    const dataEnd = whole.length - 22 - 46 - main.name.length;
    for (let at = dataStart; at < dataEnd; at += Math.floor((dataEnd - dataStart) / 100)) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      expect([at, await motivoOf(damaged)]).not.toEqual([at, 'SIN_ERROR']);
    }
  });
});

test('an error of the storage is not the package’s fault', async () => {
  const store = createMemoryStore(new Map([['k', zipBytes([main])]]));
  const cut = new Error('connection reset');
  const broken = {
    ...store,
    read: () =>
      new Readable({
        read() {
          this.destroy(cut);
        },
      }),
  };
  await expect(openSatPackage(broken, 'k', DEFAULT_LIMITS, signal)).rejects.toBe(cut);
  await expect(openSatPackage(store, 'missing', DEFAULT_LIMITS, signal)).rejects.toMatchObject({ motivo: 'AUSENTE' });
});

test('an error of the storage at the second read is not the package’s fault either', async () => {
  // The first read is the end of the package; its text begins before that.
  const noise = { name: 'noise.bin', content: Buffer.alloc(200_000, 1), method: 0 };
  const store = createMemoryStore(new Map([['k', zipBytes([main, noise])]]));
  const cut = new Error('connection reset');
  let reads = 0;
  const broken: typeof store = {
    ...store,
    read: (...args) => (++reads === 1 ? store.read(...args) : store.read(...args).destroy(cut)),
  };
  await expect(openSatPackage(broken, 'k', DEFAULT_LIMITS, signal)).rejects.toBe(cut);
  expect(reads).toBe(2);
});

test('a package overwritten after it was opened is not read on', async () => {
  const objects = new Map([['k', zipBytes([main])]]);
  const opened = await openSatPackage(createMemoryStore(objects), 'k', DEFAULT_LIMITS, signal);
  objects.set('k', zipBytes([main]));
  await expect(readAll(opened.metadata[0]?.open(signal) ?? Readable.from([]))).rejects.toThrow('written anew');
});

describe('the data of a text, as the SAT deflated it', () => {
  async function firstText(objects: Map<string, Buffer>): Promise<SatText> {
    const [text] = (await openSatPackage(createMemoryStore(objects), 'k', DEFAULT_LIMITS, signal)).metadata;
    if (text === undefined) throw new Error('the package has no text');
    return text;
  }

  test('is there once the text was read to its end, and inflates to the same text', async () => {
    const text = await firstText(new Map([['k', zipBytes([main])]]));
    expect(text.deflated).toBeNull();
    const abandoned = text.open(signal);
    await once(abandoned, 'readable');
    abandoned.destroy();
    expect(text.deflated).toBeNull();
    await readAll(text.open(signal));
    const data = await readAll(text.deflated?.open(signal) ?? Readable.from([]));
    expect(data).toEqual(deflateRawSync(content));
    expect(text.deflated?.measure).toEqual({
      bytes: Buffer.byteLength(content),
      sha256: createHash('sha256').update(inflateRawSync(data)).digest('hex'),
      crc32: crc32(content),
    });
  });

  test.each([
    ['that is stored', { ...main, method: 0 }],
    ['with more behind it', { ...main, trailing: Buffer.from('more') }],
  ])('is not there for one %s, which is read all the same', async (_name, entry) => {
    const text = await firstText(new Map([['k', zipBytes([entry])]]));
    expect((await readAll(text.open(signal))).toString()).toBe(content);
    expect(text.deflated).toBeNull();
  });

  test('fails at the end when the storage gives other bytes than before', async () => {
    const zip = zipBytes([main]);
    const text = await firstText(new Map([['k', zip]]));
    await readAll(text.open(signal));
    // In place, so that the version of the object stays.
    const at = 30 + main.name.length + 100;
    zip[at] = (zip[at] ?? 0) ^ 1;
    await expect(readAll(text.deflated?.open(signal) ?? Readable.from([]))).rejects.toThrow('gave other bytes');
  });
});

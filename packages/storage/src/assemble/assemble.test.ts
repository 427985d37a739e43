import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32, deflateRawSync } from 'node:zlib';
import { FORMATOS, type Formato } from '@acuse/contract';
import type { PlanEnsamble } from '@acuse/core';
import { describe, expect, test } from 'vitest';
import { chunked } from '../../testing/assembled-xml.ts';
import { cfdiXml } from '../../testing/cfdi-xml.ts';
import { satRow, satText } from '../../testing/sat-rows.ts';
import { readZip, zipBytes } from '../../testing/zip-bytes.ts';
import { paqueteKey } from '../keys.ts';
import { createMemoryStore } from '../memoria.ts';
import type { ObjectStore } from '../object-store.ts';
import { DEFAULT_LIMITS } from '../zip/sat-package.ts';
import { assemble } from './assemble.ts';
import { createZipWriter } from './zip-writer.ts';

const UUID = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
const MB = 1_000_000;
const signal = new AbortController().signal;
const run = promisify(execFile);

function planOf(keys: readonly string[], formato: Formato = 'csv'): PlanEnsamble {
  return {
    solicitudId: 's1',
    rfc: 'EKU9003173C9',
    tipo: 'emitidos',
    desde: '2024-01-01',
    hasta: '2024-01-31',
    formato,
    partes: [
      {
        canal: 'portal',
        folio: null,
        periodo: { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' },
        recortar: false,
        confirmada: false,
        paquetes: keys.map((objectKey) => ({ objectKey, paquete: `${UUID}/${objectKey}` })),
      },
    ],
  };
}

const depsOf = (store: ObjectStore, level = 6) => ({ store, limits: DEFAULT_LIMITS, level });

function packageOf(from: number, to: number): Buffer {
  const rows = Array.from({ length: to - from }, (_, index) => satRow(from + index));
  return zipBytes([{ name: `${UUID}_01.txt`, content: satText(rows) }]);
}

describe('the bytes of the ZIP', { timeout: 120_000 }, () => {
  test.each(FORMATOS)(
    'do not depend on how the packages arrive, nor on the time or the zone, as %s',
    async (formato) => {
      const objects = new Map([
        ['a', packageOf(0, 4000)],
        ['b', packageOf(4000, 5000)],
      ]);
      const store = createMemoryStore(objects);
      const digests = new Set<string>();
      const zone = process.env['TZ'];
      for (const [chunkBytes, tz] of [
        [10_000_000, 'UTC'],
        [65_536, 'America/Mexico_City'],
        [997, 'Asia/Tokyo'],
        [100, 'UTC'],
      ] as const) {
        process.env['TZ'] = tz;
        digests.add((await assemble(depsOf(chunked(store, chunkBytes)), planOf(['a', 'b'], formato), signal)).sha256);
      }
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
      expect([...digests]).toHaveLength(1);
    },
  );

  test('are a ZIP to other programs too', async () => {
    const objects = new Map([['a', packageOf(0, 2000)]]);
    await assemble(depsOf(createMemoryStore(objects)), planOf(['a']), signal);
    const zip = objects.get(paqueteKey('s1')) ?? Buffer.alloc(0);
    const folder = await mkdtemp(join(tmpdir(), 'acuse-zip-'));
    try {
      const file = join(folder, 'paquete.zip');
      await writeFile(file, zip);
      const readers = [
        ['unzip', '-t', file],
        [
          'python3',
          '-c',
          'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).testzip() or "No errors detected")',
          file,
        ],
      ] as const;
      const said = await Promise.all(readers.map(([command, ...args]) => outputOf(command, args)));
      for (const output of said) expect(output === null || output).toSatisfy(isNullOr('No errors detected'));
    } finally {
      await rm(folder, { recursive: true });
    }
    expect((await readZip(zip)).size).toBe(3);
  });

  test('have the texts as the SAT deflated them, at every level of ours', async () => {
    const sat = packageOf(0, 2000);
    const [data] = (await readZip(sat, { raw: true })).values();
    for (const level of [0, 1, 9]) {
      const objects = new Map([['a', sat]]);
      await assemble(depsOf(createMemoryStore(objects), level), planOf(['a']), signal);
      const zip = await readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0), { raw: true });
      expect([...zip].find(([name]) => name.startsWith('originales/'))?.[1]).toEqual(data);
    }
  });

  test('are those of the level that was set', async () => {
    const objects = new Map([['a', packageOf(0, 2000)]]);
    const sizes: number[] = [];
    for (const level of [0, 1, 9]) {
      sizes.push((await assemble(depsOf(createMemoryStore(objects), level), planOf(['a']), signal)).bytes);
      expect((await readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0))).size).toBe(3);
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    expect(new Set(sizes).size).toBe(3);
  });
});

/**
 * 300,000 rows of some 400 bytes: either of the two texts that come of them is more than the memory that may be taken.
 */
function longPackage(): Buffer {
  const nombreEmisor = 'PROVEEDORA DEL NORTE, S.A. DE C.V. '.repeat(7);
  const texts = Array.from({ length: 30 }, (_, part) => {
    const rows = Array.from({ length: 10_000 }, (_row, index) => satRow(part * 10_000 + index, { nombreEmisor }));
    const text = satText(rows);
    return Buffer.from(part === 0 ? text : text.slice(text.indexOf('\r\n') + 2));
  });
  return zipBytes([{ name: `${UUID}_01.txt`, content: Buffer.concat(texts) }]);
}

test.each(FORMATOS)(
  'memory does not grow with the size: 300,000 rows as %s in less than 150 MB',
  { tags: ['slow'] },
  async (formato) => {
    const folder = await mkdtemp(join(tmpdir(), 'acuse-zip-'));
    try {
      const file = join(folder, 'source.zip');
      await writeFile(file, longPackage());
      const script = fileURLToPath(new URL('../../testing/assemble-file.ts', import.meta.url));
      // As workers are started.
      const options = ['--max-semi-space-size=2', '--conditions=acuse-source', '--import', 'tsx'];
      const { stdout } = await run(process.execPath, [...options, script, file, formato]);
      const { registros, grownBytes } = JSON.parse(stdout) as { registros: number; grownBytes: number };
      expect(registros).toBe(300_000);
      expect(grownBytes / MB).toBeLessThan(150);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test('memory does not grow with the XML: 150,000 of them with their tables in less than 150 MB', {
  tags: ['slow'],
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'acuse-zip-'));
  try {
    const [metadata, xml] = [join(folder, 'metadata.zip'), join(folder, 'xml.zip')];
    const count = 150_000;
    await writeFile(metadata, packageOf(0, count));
    const writer = createZipWriter(6);
    const written = pipeline(writer.output, createWriteStream(xml));
    for (let index = 0; index < count; index++) {
      const row = satRow(index);
      const document = Buffer.from(cfdiXml(row, 8));
      const measure = { bytes: document.length, crc32: crc32(document) };
      await writer.addSmall(`${row.uuid.toLowerCase()}.xml`, deflateRawSync(document), measure);
    }
    await writer.finish();
    await written;
    const script = fileURLToPath(new URL('../../testing/assemble-file.ts', import.meta.url));
    const options = ['--max-semi-space-size=2', '--conditions=acuse-source', '--import', 'tsx'];
    const { stdout } = await run(process.execPath, [...options, script, metadata, 'csv', xml]);
    const told = JSON.parse(stdout) as { registros: number; xml: { entregados: number }; grownBytes: number };
    expect([told.registros, told.xml.entregados]).toEqual([count, count]);
    expect(told.grownBytes / MB).toBeLessThan(150);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('a package with a text of another kind under the name of metadata', () => {
  const foreign = { name: `${UUID}_02.txt`, content: 'Aviso~Fecha\r\nMantenimiento~2026-11-20\r\n' };
  const manifestOf = async (zip: Buffer) =>
    JSON.parse((await readZip(zip)).get('manifest.json')?.toString() ?? '{}') as {
      registros: number;
      partes: { paquetes: { entradas_ignoradas: string[] }[] }[];
    };

  test('is read, the text noted and kept among the originals', async () => {
    const rows = { name: `${UUID}_01.txt`, content: satText([satRow(0), satRow(1)]) };
    for (const texts of [
      [rows, foreign],
      [foreign, rows],
    ]) {
      const objects = new Map([['a', zipBytes(texts)]]);
      await assemble(depsOf(createMemoryStore(objects)), planOf(['a']), signal);
      const zip = objects.get(paqueteKey('s1')) ?? Buffer.alloc(0);
      const { registros, partes } = await manifestOf(zip);
      expect([registros, partes[0]?.paquetes[0]?.entradas_ignoradas]).toEqual([2, [foreign.name]]);
      expect([...(await readZip(zip)).keys()].filter((name) => name.endsWith('_02.txt'))).toHaveLength(1);
    }
  });

  test('is refused when it has no other text, or when rows of metadata lack a column', async () => {
    const renamed = { ...foreign, content: satText([satRow(0)]).replace('~Monto', '~Importe') };
    const rows = { name: `${UUID}_01.txt`, content: satText([satRow(1)]) };
    for (const [texts, motivo] of [
      [[foreign], 'SIN_METADATA'],
      [[rows, renamed], 'COLUMNAS'],
    ] as const) {
      const store = createMemoryStore(new Map([['a', zipBytes([...texts])]]));
      await expect(assemble(depsOf(store), planOf(['a']), signal)).rejects.toMatchObject({ motivo });
    }
  });
});

test('a text that the SAT stored is deflated like any other entry', async () => {
  const content = satText(Array.from({ length: 2000 }, (_, index) => satRow(index)));
  const objects = new Map([['a', zipBytes([{ name: `${UUID}_01.txt`, content, method: 0 }])]]);
  const { bytes } = await assemble(depsOf(createMemoryStore(objects)), planOf(['a']), signal);
  expect(bytes).toBeLessThan(content.length);
  const zip = await readZip(objects.get(paqueteKey('s1')) ?? Buffer.alloc(0));
  expect([...zip].find(([name]) => name.startsWith('originales/'))?.[1].toString()).toBe(content);
});

describe('an assembly that fails', { timeout: 120_000 }, () => {
  const store = () => createMemoryStore(new Map([['a', packageOf(0, 20_000)]]));

  test.each(FORMATOS)('while rows are read, with the error of the storage, as %s', async (formato) => {
    const objects = new Map([['a', packageOf(0, 20_000)]]);
    const inner = createMemoryStore(objects);
    const cut = new Error('cut');
    let reads = 0;
    const broken: ObjectStore = {
      ...inner,
      read: (...args) =>
        // The first read is the directory, the second the rows, the third the original.
        ++reads < 3
          ? inner.read(...args)
          : new Readable({
              read() {
                this.destroy(cut);
              },
            }),
    };
    await expect(assemble(depsOf(broken), planOf(['a'], formato), signal)).rejects.toBe(cut);
    expect(reads).toBe(3);
    expect([...objects.keys()]).toEqual(['a']);
  });

  test.each(FORMATOS)('because the storage stops taking it, without waiting for ever, as %s', async (formato) => {
    const full = new Error('no space');
    const refusing: ObjectStore = {
      ...store(),
      async write(_key, body) {
        for await (const _chunk of body) throw full;
        return '';
      },
    };
    await expect(assemble(depsOf(refusing), planOf(['a'], formato), signal)).rejects.toBe(full);
  });

  test.each(FORMATOS)(
    'because the signal is raised while nobody reads and everything waits, as %s',
    async (formato) => {
      const controller = new AbortController();
      const reason = new Error('time is up');
      // Several times what all the buffers on the way hold.
      const stuck: ObjectStore = {
        ...createMemoryStore(new Map([['a', packageOf(0, 80_000)]])),
        write: (_key, body) =>
          new Promise((_resolve, reject) => {
            body.on('error', reject);
            const wait = () => {
              if (body.readableLength < body.readableHighWaterMark) setImmediate(wait);
              else controller.abort(reason);
            };
            wait();
          }),
      };
      await expect(assemble(depsOf(stuck, 0), planOf(['a'], formato), controller.signal)).rejects.toBe(reason);
    },
  );

  test.each([
    ['shorter', (zip: Buffer) => Buffer.concat([zip.subarray(0, 100), zip.subarray(101)])],
    ['another', () => packageOf(0, 3)],
    ['longer', withComment],
    ['of other names', (zip: Buffer) => replaceAll(zip, 'metadata.csv', 'METADATA.CSV')],
    ['cut', (zip: Buffer) => zip.subarray(0, 1000)],
  ])('because the stored ZIP is %s', async (_name, damage) => {
    const objects = new Map([['a', packageOf(0, 2_000)]]);
    const inner = createMemoryStore(objects);
    const damaging: ObjectStore = {
      ...inner,
      async write(key, body, s) {
        const version = await inner.write(key, body, s);
        objects.set(key, damage(objects.get(key) ?? Buffer.alloc(0)));
        return version;
      },
    };
    await expect(assemble(depsOf(damaging), planOf(['a']), signal)).rejects.toMatchObject({ name: 'ZipNoCoincide' });
  });
});

/** The same ZIP with a comment of one byte: all of its entries are as they were. */
function withComment(zip: Buffer): Buffer {
  const longer = Buffer.concat([zip, Buffer.from('x')]);
  longer.writeUInt16LE(1, zip.length - 2);
  return longer;
}

function replaceAll(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** What the program printed, or null when it is not installed. */
async function outputOf(command: string, args: readonly string[]): Promise<string | null> {
  try {
    return (await run(command, [...args])).stdout;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function isNullOr(text: string): (output: unknown) => boolean {
  return (output) => output === true || (typeof output === 'string' && output.includes(text));
}

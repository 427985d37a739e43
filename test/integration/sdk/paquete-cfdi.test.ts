import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CentralRecords } from '../../../packages/storage/src/assemble/zip-records.ts';
import { createZipWriter } from '../../../packages/storage/src/assemble/zip-writer.ts';
import { LANGUAGES, startProceso } from './clientes.ts';
import { type Leido, readAll } from './leido.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acuse-paquete-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const DRIVER = fileURLToPath(new URL('drivers/leer-cfdi.ts', import.meta.url));
const DANADO = { nombre: 'PAQUETE_DANADO' };
type Found = (Leido & { readonly megabytes: number }) | { readonly nombre: string };

/** Reads packages in a process of each language: what it found in each package, or the name of its error. */
async function readEverywhere(...rutas: string[]): Promise<Record<string, Found[]>> {
  const args = ['--conditions=acuse-source', '--import', 'tsx', DRIVER, ...rutas];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.trim().split('\n');
  const found: Record<string, Found[]> = { TypeScript: lines.map((line) => JSON.parse(line) as Found) };
  for (const language of LANGUAGES.filter(({ falta }) => falta === null)) {
    const proceso = startProceso(language);
    const all: unknown[] = [];
    for (const ruta of rutas) {
      const { resultado, error } = await proceso.call({ cliente: { url: '', llave: '' } }, 'paqueteCfdi', { ruta });
      all.push(resultado ?? { nombre: error?.nombre ?? error?.mensaje });
    }
    await proceso.close();
    found[language.nombre] = all as Found[];
  }
  return found;
}

const uuidOf = (n: number) => `${n.toString(16).toUpperCase().padStart(8, '0')}-0000-4000-8000-000000000000`;
const pathOf = (n: number) => `cfdi/2025-03/${uuidOf(n)}.xml`;
const equal = (cfdi: number, bytes: number) => Array<number>(cfdi).fill(bytes);

/** Writes a package with CFDI of these bytes and half as many missing ones by the writer of the service. */
async function writePackage(ruta: string, sizes: readonly number[]): Promise<Leido> {
  const writer = createZipWriter(6);
  const written = pipeline(writer.output, createWriteStream(ruta));
  const xmlOf = (n: number) => Buffer.from(`<x n="${n}"/>`.padEnd(sizes[n] ?? 0, `${n} `));
  const missing = Array.from({ length: Math.floor(sizes.length / 2) }, (_, n) => uuidOf(sizes.length + n));
  for (let n = 0; n < sizes.length; n += 1) {
    const xml = xmlOf(n);
    await writer.addSmall(pathOf(n), deflateRawSync(xml, { level: 1 }), { bytes: xml.length, crc32: crc32(xml) });
  }
  await writer.add('metadata.csv', [Buffer.from('uuid,xml\r\n')]);
  const lines = missing.map((uuid) => `${uuid},XML_ILEGIBLE\r\n`).join('');
  await writer.add('faltantes.csv', [Buffer.from(`uuid,motivo\r\n${lines}`)]);
  await writer.finish();
  await written;
  return readAll({
    cfdi: async function* () {
      for (let n = 0; n < sizes.length; n += 1) yield { uuid: uuidOf(n), ruta: pathOf(n), xml: xmlOf(n) };
    },
    faltantes: async function* () {
      for (const uuid of missing) yield { uuid, motivo: 'XML_ILEGIBLE' as const };
    },
  });
}

const [END_BYTES, LOCATOR_BYTES, END64_BYTES] = [22, 20, 56];

interface Directory {
  readonly at: bigint;
  readonly bytes: number;
  readonly count: number;
  /** Offset of the end record of ZIP64; behind the directory by default. */
  readonly record?: bigint;
}

/** End of a ZIP with ZIP64: its end record, the locator of that record and the end record without ZIP64. */
function end64Of({ at, bytes, count, record = at + BigInt(bytes) }: Directory): Buffer {
  const end = Buffer.alloc(END64_BYTES + LOCATOR_BYTES + END_BYTES);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(bytes), 40);
  end.writeBigUInt64LE(at, 48);
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(record, 64);
  end.writeUInt32LE(1, 72);
  end.writeUInt32LE(0x06054b50, 76);
  end.writeUInt32LE(0xffff_ffff, 84);
  end.writeUInt32LE(0xffff_ffff, 88);
  end.writeUInt32LE(0xffff_ffff, 92);
  return end;
}

const SPARSE_BYTES = 5 * 2 ** 30;

/** Writes a package with one CFDI, whose entry is at an offset and its directory behind five gigabytes. */
async function writeSparse(ruta: string, offset: number, packedBytes?: number): Promise<void> {
  const parts: Buffer[] = [];
  const central = new CentralRecords((bytes) => void parts.push(bytes));
  const xml = Buffer.from('<x/>');
  const data = deflateRawSync(xml);
  const compressedBytes = packedBytes ?? data.length;
  const local = central.add({ nombre: pathOf(1), bytes: xml.length, crc32: crc32(xml), compressedBytes, offset });
  central.forEach(() => {});
  const directory = Buffer.concat(parts);
  const at = SPARSE_BYTES + local.length + data.length;
  await writeFile(ruta, '');
  await truncate(ruta, at);
  const file = await open(ruta, 'r+');
  await file.write(Buffer.concat([local, data]), 0, null, offset);
  const end = end64Of({ at: BigInt(at), bytes: directory.length, count: 1 });
  await file.write(Buffer.concat([directory, end]), 0, null, at);
  await file.close();
}

describe('a package in a file', () => {
  it('is read with more and less members than a ZIP without ZIP64 can have', { timeout: 300_000 }, async () => {
    const rutas = [join(folder, '65535.zip'), join(folder, '65536.zip')] as const;
    const expected = [await writePackage(rutas[0], equal(65_533, 40)), await writePackage(rutas[1], equal(65_534, 40))];
    for (const found of Object.values(await readEverywhere(...rutas))) expect(found).toMatchObject(expected);
  });

  it('of 200,000 CFDI is read in flat memory', { tags: ['slow'], timeout: 600_000 }, async () => {
    const ruta = join(folder, 'enorme.zip');
    const expected = {
      ...(await writePackage(ruta, equal(200_000, 5_000))),
      megabytes: expect.toSatisfy((n) => n < 200),
    };
    for (const found of Object.values(await readEverywhere(ruta))) expect(found).toEqual([expected]);
  });

  it('is read with CFDI of any size beside that of a chunk', async () => {
    const ruta = join(folder, 'trozos.zip');
    const chunks = [16_384, 32_768, 65_536, 262_144, 524_288];
    const expected = await writePackage(ruta, [262_166, ...chunks.flatMap((n) => [n - 1, n, n + 1, n + 22])]);
    for (const found of Object.values(await readEverywhere(ruta))) expect(found).toMatchObject([expected]);
  });

  it('is read beyond four gigabytes; an entry of four gigabytes is no CFDI', async () => {
    const rutas = [join(folder, 'lejos.zip'), join(folder, 'grande.zip')] as const;
    await writeSparse(rutas[0], SPARSE_BYTES);
    await writeSparse(rutas[1], 0, 0xffff_fffe);
    for (const found of Object.values(await readEverywhere(...rutas)))
      expect(found).toMatchObject([{ cfdi: 1, bytes: 4, faltantes: 0 }, DANADO]);
  });

  it('that inflates to more than its sizes ends with PAQUETE_DANADO within the memory of PHP', async () => {
    const bomb = Buffer.alloc(200 * 2 ** 20);
    const measure = { bytes: 1_000, crc32: crc32(bomb), sha256: '' };
    const data = deflateRawSync(bomb);
    const rutas: string[] = [];
    for (const nombre of [pathOf(1), 'faltantes.csv']) {
      const ruta = join(folder, `bomba-${rutas.length}.zip`);
      const writer = createZipWriter(6);
      const written = pipeline(writer.output, createWriteStream(ruta));
      await writer.addDeflated(nombre, [data], measure);
      await writer.finish();
      await written;
      rutas.push(ruta);
    }
    for (const found of Object.values(await readEverywhere(...rutas))) expect(found).toEqual([DANADO, DANADO]);
  });

  it('is read whole, and ends with PAQUETE_DANADO after each damage', async () => {
    const entero = join(folder, 'entero.zip');
    const expected = await writePackage(entero, equal(4, 400));
    const original = await readFile(entero);
    const rutas = [entero];
    for (const [name, damage] of Object.entries(DAMAGES)) {
      const zip = Buffer.from(original);
      rutas.push(join(folder, `${name}.zip`));
      await writeFile(rutas.at(-1) ?? '', damage(zip));
    }
    for (const [language, [whole, ...found]] of Object.entries(await readEverywhere(...rutas))) {
      expect([language, whole]).toMatchObject([language, expected]);
      const named = Object.keys(DAMAGES).map((name, n) => [language, name, found[n]]);
      expect(named).toEqual(Object.keys(DAMAGES).map((name) => [language, name, DANADO]));
    }
  });
});

const localOf = (zip: Buffer, name: string) => zip.indexOf(name) - 30;
const recordOf = (zip: Buffer, name: string) => zip.lastIndexOf(name) - 46;

function flip(zip: Buffer, at: number, bits = 0xff): Buffer {
  zip.writeUInt8(zip.readUInt8(at) ^ bits, at);
  return zip;
}

/** The ZIP with another 32-bit number at an offset, or at one from its end. */
function put(zip: Buffer, at: number, change: (n: number) => number): Buffer {
  const place = at < 0 ? zip.length + at : at;
  zip.writeUInt32LE(change(zip.readUInt32LE(place)), place);
  return zip;
}
const less = (n: number) => n - 1;
const more = (n: number) => n + 1;
const far = () => 0x7fff_fff0;

/** The ZIP with a directory announced by ZIP64. */
function as64(zip: Buffer, changes: Partial<Directory>): Buffer {
  const end = zip.length - END_BYTES;
  const [count, bytes, at] = [zip.readUInt16LE(end + 10), zip.readUInt32LE(end + 12), zip.readUInt32LE(end + 16)];
  const directory = { at: BigInt(at), bytes, count, record: BigInt(end), ...changes };
  return Buffer.concat([zip.subarray(0, end), end64Of(directory)]);
}

/** Damages of a package with four CFDI, metadata.csv and faltantes.csv. */
const DAMAGES: Record<string, (zip: Buffer) => Buffer> = {
  'first byte of a CFDI': (zip) => flip(zip, localOf(zip, pathOf(2)) + 30 + pathOf(2).length),
  'a byte of a CFDI': (zip) => flip(zip, localOf(zip, pathOf(2)) + 30 + pathOf(2).length + 9),
  'a byte of faltantes.csv': (zip) => flip(zip, localOf(zip, 'faltantes.csv') + 30 + 'faltantes.csv'.length + 20),
  'signature of a record': (zip) => flip(zip, recordOf(zip, pathOf(1))),
  'signature of a local header': (zip) => flip(zip, localOf(zip, pathOf(1))),
  'last byte gone': (zip) => zip.subarray(0, -1),
  'ten bytes left': (zip) => zip.subarray(0, 10),
  'an end alone': (zip) => zip.subarray(-END_BYTES),
  'an end of ZIP64 alone': (zip) => as64(zip, {}).subarray(-END_BYTES),
  'an entry less': (zip) => put(zip, 10 - END_BYTES, less),
  'an entry more': (zip) => put(zip, 10 - END_BYTES, more),
  'an entry less by ZIP64': (zip) => as64(zip, { count: 5 }),
  'an entry more by ZIP64': (zip) => as64(zip, { count: 7 }),
  'as many entries as ZIP64 announces': (zip) => put(zip, 10 - END_BYTES, (n) => n | 0xffff),
  'UUID in a record': (zip) => flip(zip, recordOf(zip, pathOf(1)) + 46 + 20, 1),
  'folder in a record': (zip) => flip(zip, recordOf(zip, pathOf(1)) + 46, 1),
  'upper bit in a record': (zip) => flip(zip, recordOf(zip, pathOf(1)) + 46, 0x80),
  'name of faltantes.csv': (zip) => flip(zip, recordOf(zip, 'faltantes.csv') + 46, 1),
  'bytes of a CFDI less one': (zip) => put(zip, recordOf(zip, pathOf(1)) + 24, less),
  'bytes of a CFDI and one': (zip) => put(zip, recordOf(zip, pathOf(1)) + 24, more),
  'bytes of faltantes.csv less one': (zip) => put(zip, recordOf(zip, 'faltantes.csv') + 24, less),
  'bytes of faltantes.csv and one': (zip) => put(zip, recordOf(zip, 'faltantes.csv') + 24, more),
  'data behind the end': (zip) => put(zip, recordOf(zip, pathOf(1)) + 20, far),
  'entry behind the end': (zip) => put(zip, recordOf(zip, pathOf(1)) + 42, far),
  'directory behind the end': (zip) => put(zip, 16 - END_BYTES, far),
  'directory at 2^63': (zip) => as64(zip, { at: 2n ** 63n }),
  'directory at 2^64 less one': (zip) => as64(zip, { at: 2n ** 64n - 1n }),
  'record of ZIP64 behind the end': (zip) => as64(zip, { record: BigInt(far()) }),
  'record of ZIP64 at 2^63': (zip) => as64(zip, { record: 2n ** 63n }),
  'record of ZIP64 at 2^64 less one': (zip) => as64(zip, { record: 2n ** 64n - 1n }),
};

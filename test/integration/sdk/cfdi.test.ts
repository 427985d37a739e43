import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32, deflateRawSync } from 'node:zlib';
import { Acuse, type Solicitud } from '@acuse/sdk';
import { descargarCfdi } from '@acuse/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CentralRecords } from '../../../packages/storage/src/assemble/zip-records.ts';
import { createZipWriter } from '../../../packages/storage/src/assemble/zip-writer.ts';
import { newEfirmaCaller } from '../fixtures/efirma.ts';
import { darFilas, filasDelSat, type Pedido, saldoDe } from '../fixtures/pedidos.ts';
import { type Caller, useServicio } from '../fixtures/servicio.ts';
import { LANGUAGES, resultadoDe, startProceso } from './clientes.ts';
import { type Leido, readAll } from './leido.ts';

const PEDIDO = { tipo: 'recibidos', desde: '2025-03-01', hasta: '2025-03-02' } as const satisfies Pedido;
const servicio = useServicio({}, {});
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'acuse-cfdi-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the CFDI of the simulated authority read as: those that it gives, then those that it keeps. */
function expectedOf(caller: Caller): Promise<Leido> {
  const rows = filasDelSat(servicio, caller.rfc, PEDIDO);
  const isKept = ({ estatus }: (typeof rows)[number]) => estatus === 'Cancelado';
  const cfdi = rows
    .filter((row) => !isKept(row))
    .map((row) => {
      const uuid = row.uuid.toUpperCase();
      const xml = Buffer.from(servicio.simulador.world.cfdis.xmlOf(row));
      return { uuid, ruta: `cfdi/2025-03/${uuid}.xml`, xml };
    });
  const faltantes = rows.filter(isKept).map(({ uuid }) => ({ uuid: uuid.toUpperCase(), motivo: 'CANCELADO_RECIBIDO' }));
  expect([cfdi.length, faltantes.length]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(Math.min(cfdi.length, faltantes.length)).toBeGreaterThan(0);
  return readAll({
    cfdi: async function* () {
      yield* cfdi;
    },
    faltantes: async function* () {
      yield* faltantes as { uuid: string; motivo: 'CANCELADO_RECIBIDO' }[];
    },
  });
}

async function newCaller() {
  const caller = await newEfirmaCaller(servicio, { saldo: 2 });
  darFilas(servicio, caller.rfc, PEDIDO, 60);
  return caller;
}

describe('the CFDI themselves by the client', () => {
  it('for TypeScript come one by one from a file, byte for byte, with those that are missing, for one credit', async () => {
    const caller = await newCaller();
    const acuse = new Acuse({ url: servicio.api.url, llave: caller.apiKey });
    const ruta = join(folder, 'typescript.zip');
    const seen: Solicitud[] = [];
    const { solicitud, archivo } = await descargarCfdi(acuse, { rfc: caller.rfc, ...PEDIDO }, ruta, {
      alAvanzar: (each) => void seen.push(each),
    });
    const leido = await readAll(archivo);
    expect(leido).toEqual(await expectedOf(caller));
    const { cfdi: entregados, faltantes } = leido;
    expect(solicitud.xml).toMatchObject({ esperados: entregados + faltantes, entregados, faltantes });
    expect(seen.at(-1)).toEqual(solicitud);
    await expect(descargarCfdi(acuse, { rfc: caller.rfc, ...PEDIDO }, ruta)).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await saldoDe(servicio, caller)).toBe(1);
  });

  describe.each(LANGUAGES)('for $nombre', (language) => {
    it.skipIf(language.falta !== null)('come the same way', async () => {
      const caller = await newCaller();
      const proceso = startProceso(language);
      try {
        const ruta = join(folder, `${language.nombre}.zip`);
        const client = { scale: 0.1, azar: 0, cliente: { url: servicio.api.url, llave: caller.apiKey } };
        const ask = () => proceso.call(client, 'descargarCfdi', { ruta, rfc: caller.rfc, ...PEDIDO });
        const done = await ask();
        const { solicitud, ...leido } = resultadoDe<Leido & { readonly solicitud: Solicitud }>(done);
        const expected = await expectedOf(caller);
        expect(leido).toEqual({ ...expected, megabytes: expect.any(Number) });
        expect(solicitud.xml).toMatchObject({ entregados: expected.cfdi, faltantes: expected.faltantes });
        expect(done.avances.at(-1)).toEqual(solicitud);
        expect((await ask()).error?.mensaje).toContain('Ya existe el archivo');
        expect(await saldoDe(servicio, caller)).toBe(1);
      } finally {
        await proceso.close();
      }
    });
  });
});

const DRIVER = fileURLToPath(new URL('drivers/leer-cfdi.ts', import.meta.url));
type Measured = Leido & { readonly megabytes: number };

/** Reads a package in each language, each in a process of its own; a failure by its name. */
async function readEverywhere(ruta: string): Promise<(Measured | { readonly nombre: string })[]> {
  const args = ['--conditions=acuse-source', '--import', 'tsx', DRIVER, ruta];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const found = [JSON.parse(stdout) as Measured];
  for (const language of LANGUAGES.filter(({ falta }) => falta === null)) {
    const proceso = startProceso(language);
    const client = { cliente: { url: '', llave: '' } };
    const { resultado, error } = await proceso.call(client, 'paqueteCfdi', { ruta });
    found.push((resultado ?? { nombre: error?.nombre }) as unknown as Measured);
    await proceso.close();
  }
  return found;
}

const uuidOf = (n: number) => `${n.toString(16).toUpperCase().padStart(8, '0')}-0000-4000-8000-000000000000`;
const pathOf = (n: number) => `cfdi/2025-03/${uuidOf(n)}.xml`;

/** A package of so many CFDI of some bytes, half as many missing, as the service writes it. */
async function writePackage(ruta: string, cfdi: number, bytes: number): Promise<Leido> {
  const writer = createZipWriter(6);
  const written = pipeline(writer.output, createWriteStream(ruta));
  const xmlOf = (n: number) => Buffer.from(`<x n="${n}"/>`.padEnd(bytes, `${n} `));
  const faltantes = Array.from({ length: cfdi / 2 }, (_, n) => ({ uuid: uuidOf(cfdi + n), motivo: 'XML_ILEGIBLE' }));
  for (let n = 0; n < cfdi; n += 1) {
    const xml = xmlOf(n);
    await writer.addSmall(pathOf(n), deflateRawSync(xml, { level: 1 }), { bytes: xml.length, crc32: crc32(xml) });
  }
  await writer.add('metadata.csv', [Buffer.from('uuid,xml\r\n')]);
  const lines = faltantes.map(({ uuid, motivo }) => `${uuid},${motivo}\r\n`).join('');
  await writer.add('faltantes.csv', [Buffer.from(`uuid,motivo\r\n${lines}`)]);
  await writer.finish();
  await written;
  return readAll({
    cfdi: async function* () {
      for (let n = 0; n < cfdi; n += 1) yield { uuid: uuidOf(n), ruta: pathOf(n), xml: xmlOf(n) };
    },
    faltantes: async function* () {
      yield* faltantes as { uuid: string; motivo: 'XML_ILEGIBLE' }[];
    },
  });
}

describe('a package in a file', () => {
  it('is read with more members than a ZIP without ZIP64 can have', { timeout: 120_000 }, async () => {
    const ruta = join(folder, 'muchos.zip');
    const expected = await writePackage(ruta, 66_000, 40);
    for (const found of await readEverywhere(ruta)) expect(found).toMatchObject(expected);
  });

  it('of 200,000 CFDI is read in flat memory', { tags: ['slow'], timeout: 600_000 }, async () => {
    const ruta = join(folder, 'enorme.zip');
    const expected = await writePackage(ruta, 200_000, 5_000);
    for (const found of await readEverywhere(ruta)) {
      expect(found).toMatchObject(expected);
      expect((found as Measured).megabytes).toBeLessThan(200);
    }
  });

  it('is read beyond four gigabytes', async () => {
    const ruta = join(folder, 'lejos.zip');
    const parts: Buffer[] = [];
    const central = new CentralRecords((bytes) => void parts.push(bytes));
    const at = 5 * 2 ** 30;
    const xml = Buffer.from('<x/>');
    const data = deflateRawSync(xml);
    const entry = { nombre: pathOf(1), bytes: xml.length, crc32: crc32(xml), compressedBytes: data.length, offset: at };
    const local = Buffer.concat([central.add(entry), data]);
    central.forEach(() => {});
    const directory = Buffer.concat(parts);
    const start = at + local.length;
    const end = Buffer.alloc(56 + 20 + 22);
    end.writeUInt32LE(0x06064b50, 0);
    end.writeBigUInt64LE(44n, 4);
    end.writeBigUInt64LE(1n, 24);
    end.writeBigUInt64LE(1n, 32);
    end.writeBigUInt64LE(BigInt(directory.length), 40);
    end.writeBigUInt64LE(BigInt(start), 48);
    end.writeUInt32LE(0x07064b50, 56);
    end.writeBigUInt64LE(BigInt(start + directory.length), 64);
    end.writeUInt32LE(1, 72);
    end.writeUInt32LE(0x06054b50, 76);
    end.writeUInt16LE(1, 84);
    end.writeUInt16LE(1, 86);
    end.writeUInt32LE(directory.length, 88);
    end.writeUInt32LE(0xffff_ffff, 92);
    await writeFile(ruta, '');
    await truncate(ruta, at);
    const file = await open(ruta, 'r+');
    await file.write(Buffer.concat([local, directory, end]), 0, null, at);
    await file.close();
    for (const found of await readEverywhere(ruta)) expect(found).toMatchObject({ cfdi: 1, bytes: 4, faltantes: 0 });
    await rm(ruta);
  });

  it('that is no longer what was stored ends with PAQUETE_DANADO', { timeout: 120_000 }, async () => {
    const ruta = join(folder, 'entero.zip');
    await writePackage(ruta, 4, 400);
    const zip = await readFile(ruta);
    const local = zip.indexOf(pathOf(2));
    const inFaltantes = zip.indexOf('faltantes.csv') + 'faltantes.csv'.length + 20;
    const damaged = {
      'in a CFDI': [local + pathOf(2).length + 9, zip.length],
      'in faltantes.csv': [inFaltantes, zip.length],
      'in the directory': [zip.lastIndexOf(pathOf(1)) - 46, zip.length],
      'at its end': [0, zip.length - 1],
      'without an end': [0, 10],
    };
    for (const [name, [flip = 0, length = 0]] of Object.entries(damaged)) {
      const bytes = Buffer.from(zip.subarray(0, length));
      bytes[flip] = (bytes[flip] ?? 0) ^ 0xff;
      const place = join(folder, `${name}.zip`);
      await writeFile(place, bytes);
      for (const found of await readEverywhere(place))
        expect([name, found]).toEqual([name, { nombre: 'PAQUETE_DANADO' }]);
    }
    expect(await readdir(folder)).toContain('entero.zip');
  });
});

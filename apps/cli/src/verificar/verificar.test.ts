import { createPublicKey } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer as readAll } from 'node:stream/consumers';
import { FORMATOS, type Formato } from '@acuse/contract';
import type { ManifestSigner } from '@acuse/core';
import { manifestPublicKeyOf, openManifestSigner, publishedKeys } from '@acuse/vault';
import { afterAll, describe, expect, test } from 'vitest';
import { assemble } from '../../../../packages/storage/src/assemble/assemble.ts';
import { sealEntry } from '../../../../packages/storage/src/assemble/seal.ts';
import { createZipWriter, type EntryWritten } from '../../../../packages/storage/src/assemble/zip-writer.ts';
import { paqueteKey } from '../../../../packages/storage/src/keys.ts';
import { createMemoryStore } from '../../../../packages/storage/src/memoria.ts';
import { DEFAULT_LIMITS } from '../../../../packages/storage/src/zip/sat-package.ts';
import { assembled, memberOf, rowsOf } from '../../../../packages/storage/testing/assembled-xml.ts';
import { satRow } from '../../../../packages/storage/testing/sat-rows.ts';
import { readZip } from '../../../../packages/storage/testing/zip-bytes.ts';
import type { Llaves } from './llaves.ts';
import { verificar } from './verificar.ts';

const seedOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const OWN = `m1:${seedOf(1)}`;
const FORGED = `m1:${seedOf(2)}`;
const LLAVES: Llaves = new Map(
  publishedKeys(`m1:${manifestPublicKeyOf(seedOf(1))}`).map(({ kid, publica }) => [
    kid,
    createPublicKey({ key: Buffer.from(publica, 'base64'), format: 'der', type: 'spki' }),
  ]),
);
const signal = new AbortController().signal;
const folder = await mkdtemp(join(tmpdir(), 'acuse-verificar-'));
afterAll(() => rm(folder, { recursive: true }));

/**
 * A package of the assembler with members of every kind: XML, one missing, one without metadata, one kept aside, and an
 * answer of the SAT.
 */
async function packageOf({ keys = OWN, formato = 'csv' }: { keys?: string; formato?: Formato } = {}): Promise<Buffer> {
  const [missing, ...rows] = rowsOf(6);
  const unknown = satRow(90, { estatus: '1' });
  const { file } = await assembled({
    rows: missing === undefined ? rows : [missing, ...rows],
    packages: [[...rows, unknown].map((row) => memberOf(row)), [{ name: 'otro.xml', content: '<html/>' }]],
    plan: { formato },
    signer: openManifestSigner(keys),
    evidencia: { 'verificacion-001.xml': '<VerificaSolicitudDescargaResult/>' },
  });
  return file;
}

/** A package of metadata alone. */
async function metadataOf(): Promise<Buffer> {
  const objects = new Map<string, Buffer>();
  const periodo = { desde: '2024-01-01', hasta: '2024-01-31' };
  const request = { solicitudId: 's1', rfc: 'EKU9003173C9', tipo: 'emitidos', ...periodo, formato: 'csv' } as const;
  const deps = { store: createMemoryStore(objects), limits: DEFAULT_LIMITS, level: 6, signer: openManifestSigner(OWN) };
  await assemble(deps, { ...request, partes: [] }, signal);
  return objects.get(paqueteKey('s1')) ?? Buffer.alloc(0);
}

/** A package of these members, sealed as the assembler does. */
async function zipOf(
  members: readonly (readonly [nombre: string, content: string])[],
  xml: object | undefined,
  { signer = openManifestSigner(OWN), list = true }: { signer?: ManifestSigner | undefined; list?: boolean } = {},
): Promise<Buffer> {
  const writer = createZipWriter(6);
  const whole = readAll(writer.output);
  const entries: EntryWritten[] = [];
  for (const [nombre, content] of members) entries.push(await writer.add(nombre, [Buffer.from(content)]));
  if (list) {
    const rows = entries.filter(({ nombre }) => nombre.startsWith('cfdi/'));
    const csv = ['nombre,bytes,sha256', ...rows.map(({ nombre, bytes, sha256 }) => `${nombre},${bytes},${sha256}`)];
    entries.push(await writer.add('entradas-cfdi.csv', [Buffer.from(csv.map((row) => `${row}\r\n`).join(''))]));
  }
  const entradas = entries
    .filter(({ nombre }) => !nombre.startsWith('cfdi/'))
    .map(({ nombre, bytes, sha256 }) => ({ nombre, bytes, sha256 }));
  const request = {
    solicitud_id: 's1',
    rfc: 'EKU9003173C9',
    tipo: 'emitidos',
    desde: '2024-01-01',
    hasta: '2024-01-31',
  };
  const manifest = Buffer.from(JSON.stringify({ version: 1, ...request, registros: 3, xml, entradas }));
  await writer.add('manifest.json', [manifest]);
  await sealEntry(writer, manifest, signer);
  await writer.finish();
  return whole;
}

const [A, B, C] = ['0A', '0B', '0C'].map((start) => `${start}C5C344-DA01-497A-9271-5AA3852EE6AE`) as [
  string,
  string,
  string,
];
const pathOf = (uuid: string) => `cfdi/2024-01/${uuid}.xml`;
const csv = (...rows: readonly string[]) => rows.map((row) => `${row}\r\n`).join('');
const METADATA = [
  'metadata.csv',
  csv('uuid,nombre,xml', `${A},"Uno, ""S.A.""",${pathOf(A)}`, `${B},,${pathOf(B)}`, `${C},,`),
] as const;
const CFDI = [A, B].map((uuid) => [pathOf(uuid), `<cfdi:Comprobante Folio="${uuid}"/>`] as const);
const FALTANTES = ['faltantes.csv', csv('uuid,motivo', `${C},CANCELADO_RECIBIDO`)] as const;
const CUENTA = { esperados: 3, entregados: 2, faltantes: 1, sin_metadata: 0 };

async function check(zip: Buffer, llaves: Llaves = LLAVES) {
  const path = join(folder, 'paquete.zip');
  await writeFile(path, zip);
  return verificar(path, llaves);
}

/** Whether the package passes with the keys of the installation. */
async function isValid(zip: Buffer): Promise<boolean> {
  const { firma, totalDifferences } = await check(zip);
  return firma === 'valida' && totalDifferences === 0;
}

/** Numbers from 0 up to but not including `below`, the same in each run (mulberry32). */
function numbers(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

test.each(FORMATOS)('accepts a complete package of the assembler as %s', async (formato) => {
  const zip = await packageOf({ formato });
  const names = [...(await readZip(zip)).keys()];
  expect(names).toEqual(
    expect.arrayContaining(['faltantes.csv', 'sin-metadata.csv', 'apartados/002-P=2F1/otro.xml', 'entradas-cfdi.csv']),
  );
  expect(names.slice(-3)).toEqual(['evidencia/verificacion-001.xml', 'manifest.json', 'firma.json']);
  const informe = await check(zip);
  expect(informe).toMatchObject({ firma: 'valida', kid: 'm1', diferencias: [], totalDifferences: 0 });
  expect(informe.revisado.map((line) => line.split(':')[0])).toEqual([
    ...['Contenedor', 'Sello', 'Firma', 'Contenido', 'Cuentas'],
    ...(formato === 'csv' ? ['Regla'] : []),
  ]);
  expect(informe.noRevisado).toHaveLength(formato === 'csv' ? 0 : 1);
});

describe('refuses', { timeout: 120_000 }, () => {
  test('a package with one of 1,000 bits flipped', async () => {
    for (const zip of [await packageOf()]) {
      expect(await isValid(zip)).toBe(true);
      const next = numbers(20_261_127);
      const missed: number[] = [];
      for (let n = 0; n < 1_000; n += 1) {
        const [at, bit] = [next(zip.length), next(8)];
        const flipped = Buffer.from(zip);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
        if (await isValid(flipped)) missed.push(at);
      }
      expect(missed).toEqual([]);
    }
  });

  test('a package that is cut, or has more bytes', async () => {
    const zip = await zipOf([METADATA, ...CFDI, FALTANTES], CUENTA);
    const passed: number[] = [];
    for (let bytes = 0; bytes < zip.length; bytes += 7) if (await isValid(zip.subarray(0, bytes))) passed.push(bytes);
    expect(passed).toEqual([]);
    for (const more of ['\0', 'PK\x05\x06', 'x'.repeat(22)])
      expect(await isValid(Buffer.concat([zip, Buffer.from(more)]))).toBe(false);
    expect(await isValid(Buffer.concat([Buffer.from('x'), zip]))).toBe(false);
  });

  test('a manifest signed with another key', async () => {
    expect(await check(await packageOf({ keys: FORGED }))).toMatchObject({
      firma: 'invalida',
      diferencias: ['La firma no es de la llave m1.'],
    });
  });

  test('a signed package with members in another order, or without one of them', async () => {
    const [one, two] = CFDI as [(typeof CFDI)[number], (typeof CFDI)[number]];
    const zip = await zipOf([METADATA, one, two, FALTANTES], CUENTA);
    const firma = (await readZip(zip)).get('firma.json') ?? Buffer.alloc(0);
    for (const members of [
      [METADATA, two, one, FALTANTES],
      [METADATA, one, FALTANTES],
    ]) {
      const writer = createZipWriter(6);
      const whole = readAll(writer.output);
      const original = await readZip(zip);
      for (const [nombre] of [...members, ['entradas-cfdi.csv'], ['manifest.json']] as const)
        await writer.add(nombre ?? '', [original.get(nombre ?? '') ?? Buffer.alloc(0)]);
      await writer.addStored('firma.json', [firma]);
      await writer.finish();
      const { totalDifferences, firma: estado } = await check(await whole);
      expect(totalDifferences).toBeGreaterThan(0);
      expect(estado).toBe('invalida');
    }
  });
});

test.each([
  ['an XML without its hash', [METADATA, ...CFDI, FALTANTES], CUENTA, { list: false }, 'ninguna lista'],
  [
    'a missing XML that the metadata names',
    [METADATA, ...CFDI.slice(1), FALTANTES],
    CUENTA,
    {},
    'la metadata lo nombra y no está',
  ],
  [
    'a row without XML and without a reason',
    [METADATA, ...CFDI, ['faltantes.csv', csv('uuid,motivo')]],
    CUENTA,
    {},
    'ni está en faltantes.csv',
  ],
  [
    'a row in both lists',
    [METADATA, ...CFDI, ['faltantes.csv', csv('uuid,motivo', `${C},CUOTA_DEL_DIA`, `${A},CUOTA_DEL_DIA`)]],
    { ...CUENTA, entregados: 1, faltantes: 2 },
    {},
    `${A}: está en faltantes.csv`,
  ],
  ['counts that do not add up', [METADATA, ...CFDI, FALTANTES], { ...CUENTA, esperados: 4 }, {}, 'no cuadra'],
  [
    'an uncounted XML without metadata',
    [METADATA, ...CFDI, [pathOf(C), '<x/>'], FALTANTES],
    CUENTA,
    {},
    'sin-metadata.csv',
  ],
] as const)('refuses a signed package with %s', async (_, members, xml, options, text) => {
  const { diferencias } = await check(await zipOf(members as readonly (readonly [string, string])[], xml, options));
  expect(diferencias.join('\n')).toContain(text);
});

test('finds no difference in an unsigned package, or in one of an unknown key', async () => {
  const unsigned = await zipOf([METADATA, ...CFDI, FALTANTES], CUENTA, { signer: undefined });
  expect(await check(unsigned)).toMatchObject({ totalDifferences: 0 });
  expect(await check(await packageOf(), new Map())).toMatchObject({ firma: 'llave_desconocida', totalDifferences: 0 });
});

test('checks the hashes of a package of metadata alone, which has no signature', async () => {
  const zip = await metadataOf();
  expect(await check(zip)).toMatchObject({ firma: 'sin_firma', totalDifferences: 0 });
  expect((await readZip(zip)).has('firma.json')).toBe(false);
});

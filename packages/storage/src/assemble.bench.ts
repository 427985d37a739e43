/**
 * Speed of the assembly beside two floors in the same process: inflate the same sources once and deflate everything
 * that the ZIP holds at the same level; and the least that any implementation has to do, which deflates metadata.csv
 * alone. All in bytes that the entries of the ZIP hold. And beside itself without the lists of the SAT, with those of
 * `--listed` RFCs, in turns: `crossedRatio` is what crossing leaves of its speed. Run with `node --conditions=acuse-source --import tsx
 * packages/storage/src/assemble.bench.ts --rows 1000000`.
 *
 * With `--xml 200000`: the same with one package of that many XML, beside two floors that only copy its members, deflated
 * as they are: through archiver's entries, and as small entries of the ZIP writer. In bytes of the XML.
 */
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { crc32, createDeflateRaw, createInflateRaw, deflateRawSync } from 'node:zlib';
import { FORMATOS } from '@acuse/contract';
import type { Paquetes, PlanEnsamble } from '@acuse/core';
import { RfcsPorHuella } from '@acuse/riesgo';
import { Contrapartes } from '../../riesgo/src/contrapartes.ts';
import { cfdiXml } from '../testing/cfdi-xml.ts';
import { startS3 } from '../testing/s3-fixture.ts';
import { satRow, satText } from '../testing/sat-rows.ts';
import { readZip, zipBytes } from '../testing/zip-bytes.ts';
import { createZipWriter, type ZipWriter } from './assemble/zip-writer.ts';
import { createPaquetesS3, type PaquetesS3Settings } from './index.ts';
import { createMemoryStore } from './memoria.ts';
import type { ObjectStore } from './object-store.ts';
import { paquetesIn } from './paquetes.ts';
import { createS3Client } from './s3/client.ts';
import { createS3Store } from './s3/s3-store.ts';
import { DEFAULT_LIMITS } from './zip/sat-package.ts';
import { openXmlPackage } from './zip/xml-package.ts';

const PACKAGE_ROWS = 100_000;
const UUID = '45C5C344-DA01-497A-9271-5AA3852EE6AE';
/** Packages that differ; further ones are those again. */
const DISTINCT = 10;
const MB = 1_000_000;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '300000' },
    level: { type: 'string', default: '6' },
    /** `s3`, the embedded store in a process of its own on the loopback, or `memoria`: nothing but this process. */
    storage: { type: 'string', default: 's3' },
    rounds: { type: 'string', default: '3' },
    formato: { type: 'string', default: 'csv' },
    listed: { type: 'string', default: '1000000' },
    /** Of so many counterparties one stands on a list. */
    listedEvery: { type: 'string', default: '1000' },
    /** Without the floors, which hold the whole ZIP in memory. */
    alone: { type: 'boolean', default: false },
    /** XML in a package beside that of the rows, which are then as many. */
    xml: { type: 'string', default: '0' },
    tablas: { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
  },
});
const level = Number(values.level);
const formato = FORMATOS.find((each) => each === values.formato);
if (formato === undefined) throw new Error(`--formato ${values.formato}: one of ${FORMATOS.join(', ')}`);

/** Input of the bench, in the form that the assembler receives it. */
const SOLICITUD_ID = 'bench';
const PERIODO = { inicio: '2024-01-01T00:00:00', fin: '2024-01-31T23:59:59' };
const members = Number(values.xml);

if (values.serve) {
  // Here too the packages are made: the memory of the process that assembles is its own.
  const server = await startS3();
  const settings = server.settings();
  const paquetes = createPaquetesS3(settings);
  const saved = await savePackages(paquetes);
  paquetes.close();
  process.send?.({ settings, saved });
  process.once('disconnect', () => void server.close());
} else {
  await run();
}

interface Saved {
  readonly objectKeys: string[];
  bytes: number;
  /** Key of the package of XML, and the bytes that it inflates to. */
  xml: { readonly objectKey: string; readonly inflated: number } | null;
}

async function savePackages(paquetes: Pick<Paquetes, 'saveSat'>): Promise<Saved> {
  const saved: Saved = { objectKeys: [], bytes: 0, xml: members === 0 ? null : await saveXmlPackage(paquetes) };
  const made: Buffer[] = [];
  for (let from = 0; from < Number(values.rows); from += PACKAGE_ROWS) {
    const again = made[(from / PACKAGE_ROWS) % DISTINCT];
    const zip = again ?? sourceZip(from, Math.min(from + PACKAGE_ROWS, Number(values.rows)));
    if (again === undefined) made.push(zip);
    const origen = { solicitudId: SOLICITUD_ID, parteId: 'p', paquete: String(from) };
    const { signal } = new AbortController();
    const { objectKey, bytes } = await paquetes.saveSat(origen, Readable.from([zip]), signal);
    saved.objectKeys.push(objectKey);
    saved.bytes += bytes;
  }
  return saved;
}

/** One package of XML of some 5,000 bytes: a seal and a certificate do not compress. */
async function saveXmlPackage(paquetes: Pick<Paquetes, 'saveSat'>) {
  const writer = createZipWriter(level);
  const certificate = randomBytes(1_500).toString('base64');
  let inflated = 0;
  const origen = { solicitudId: SOLICITUD_ID, parteId: 'p', paquete: 'xml' };
  const saved = paquetes.saveSat(origen, writer.output, new AbortController().signal);
  for (let index = 0; index < members; index++) {
    const row = satRow(index);
    const seal = `Sello="${randomBytes(256).toString('base64')}" Certificado="${certificate}"`;
    const xml = Buffer.from(cfdiXml(row, 6).replace('Version="4.0"', `Version="4.0" ${seal}`));
    inflated += xml.length;
    await writer.addSmall(`${row.uuid}.xml`, deflateRawSync(xml), { bytes: xml.length, crc32: crc32(xml) });
  }
  await writer.finish();
  return { objectKey: (await saved).objectKey, inflated };
}

/** Copies the members of the package of XML to another ZIP in the store, and does nothing else. */
async function copyMembers(
  store: ObjectStore,
  objectKey: string,
  add: (
    writer: ZipWriter,
    name: string,
    data: Buffer,
    measure: Parameters<ZipWriter['addSmall']>[2],
  ) => Promise<unknown>,
): Promise<void> {
  const { signal } = new AbortController();
  const writer = createZipWriter(level);
  const stored = store.write(`solicitudes/${SOLICITUD_ID}/copy.zip`, writer.output, signal);
  const { read } = await openXmlPackage(store, objectKey, DEFAULT_LIMITS, signal);
  for await (const [member, data] of read(() => true, signal)) {
    if (data !== null) await add(writer, `cfdi/2024-01/${member.name}`, data, member);
  }
  await writer.finish();
  await stored;
}

/** Measures the assembly with XML beside both floors. */
async function runXml({ paquetes, saved, store }: Storage, plan: PlanEnsamble): Promise<void> {
  const { objectKey, inflated } = saved.xml ?? { objectKey: '', inflated: 0 };
  const { canal, folio, periodo } = plan.partes[0] ?? { canal: 'soap', folio: null, periodo: PERIODO };
  const paquete = { objectKey, paquete: 'xml' };
  const xml = { tablas: values.tablas, partes: [{ canal, folio, periodo, motivo: null, paquetes: [paquete] }] };
  const { signal } = new AbortController();
  const memorySeen = sampleMemory();
  const spent: Record<'assembly' | 'archiver' | 'small', Spent[]> = { assembly: [], archiver: [], small: [] };
  let counted: unknown;
  for (let round = 0; round < Number(values.rounds); round++) {
    spent.assembly.push(
      await measure(async () => {
        counted = (await paquetes.assemble({ ...plan, xml }, signal)).resumen.xml;
      }),
    );
  }
  const { rssBeforeMB, rssPeakMB } = memorySeen();
  for (let round = 0; round < Number(values.rounds); round++) {
    const add: Parameters<typeof copyMembers>[2] = (writer, name, data, one) =>
      writer.addDeflated(name, [data], { ...one, sha256: '' });
    spent.archiver.push(await measure(() => copyMembers(store, objectKey, add)));
    spent.small.push(await measure(() => copyMembers(store, objectKey, (writer, ...rest) => writer.addSmall(...rest))));
  }
  const speed = (of: keyof typeof spent, by: keyof Spent = 'wall') =>
    inflated / MB / Math.min(...spent[of].map((one) => one[by]));
  const round = (value: number) => Math.round(value * 100) / 100;
  const speeds = { assemblyMBs: speed('assembly'), archiverMBs: speed('archiver'), smallMBs: speed('small') };
  const ratios = {
    ratio: speed('assembly') / speed('archiver'),
    ratioCpu: speed('assembly', 'cpu') / speed('archiver', 'cpu'),
    ratioSmall: speed('assembly') / speed('small'),
  };
  const rounded = Object.entries({ ...speeds, ...ratios }).map(([name, value]) => [name, round(value)]);
  const inputMB = Math.round(inflated / MB);
  console.log(
    JSON.stringify({ members, inputMB, formato, counted, ...Object.fromEntries(rounded), rssBeforeMB, rssPeakMB }),
  );
}

async function run(): Promise<void> {
  const storage = await openStorage();
  const solicitudId = SOLICITUD_ID;
  const signal = new AbortController().signal;
  const { saved } = storage;
  const plan: PlanEnsamble = {
    solicitudId,
    rfc: 'EKU9003173C9',
    tipo: 'recibidos',
    desde: '2024-01-01',
    hasta: '2024-01-31',
    formato: formato ?? 'csv',
    partes: [
      {
        canal: 'soap',
        folio: 'bench',
        periodo: PERIODO,
        recortar: false,
        confirmada: false,
        paquetes: saved.objectKeys.map((objectKey, index) => ({ objectKey, paquete: `p${index}` })),
      },
    ],
  };
  if (members > 0) {
    await runXml(storage, plan);
    await storage.close();
    return;
  }
  const memorySeen = sampleMemory();
  const measured: Spent[] = [];
  const crossed: Spent[] = [];
  const listados = values.alone ? null : listedRfcs();
  let [zipBytesMade, found] = [0, 0];
  for (let round = 0; round < Number(values.rounds); round++) {
    const spent = await measure(async () => {
      zipBytesMade = (await storage.paquetes.assemble(plan, signal)).bytes;
    });
    measured.push(spent);
    const seen = listados && new Contrapartes(plan.tipo, listados);
    if (seen !== null)
      crossed.push(
        await measure(async () => {
          await storage.paquetes.assemble(plan, signal, [seen]);
          found = seen.observed.length;
        }),
      );
  }
  const { rssBeforeMB, rssPeakMB } = memorySeen();
  if (values.alone) {
    await storage.close();
    const storedBytes = saved.bytes + zipBytesMade;
    const cpuMs = (measured.reduce((sum, { cpu }) => sum + cpu, 0) / measured.length) * 1_000;
    const seconds = Math.min(...measured.map(({ wall }) => wall));
    const told = { formato, seconds, cpuMs, rssPeakMB, zipBytes: zipBytesMade, storedBytes };
    console.log(JSON.stringify({ rows: Number(values.rows), ...told }));
    return;
  }
  const contents = [...(await readZip(await storage.get(`solicitudes/${solicitudId}/paquete.zip`))).values()];
  const bytes = contents.reduce((sum, content) => sum + content.length, 0);
  const floors: Spent[] = [];
  const minima: Spent[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    floors.push(await floor(contents, contents));
    minima.push(await floor(contents, contents.slice(0, 1)));
  }
  await storage.close();

  const best = (spent: readonly Spent[], of: keyof Spent) => bytes / MB / Math.min(...spent.map((one) => one[of]));
  const round = (value: number) => Math.round(value * 100) / 100;
  console.log(
    JSON.stringify({
      rows: Number(values.rows),
      storage: values.storage,
      level,
      inputMB: Math.round(bytes / MB),
      assemblyMBs: round(best(measured, 'wall')),
      floorMBs: round(best(floors, 'wall')),
      ratio: round(best(measured, 'wall') / best(floors, 'wall')),
      leastMBs: round(best(minima, 'wall')),
      leastRatio: round(best(measured, 'wall') / best(minima, 'wall')),
      crossedRatio: round(best(crossed, 'wall') / best(measured, 'wall')),
      crossedRatioCpu: round(best(crossed, 'cpu') / best(measured, 'cpu')),
      listedMB: round((listados?.bytes ?? 0) / MB),
      listedFound: found,
      // The same by processor time, which other work on the machine disturbs less.
      assemblyMBsCpu: round(best(measured, 'cpu')),
      floorMBsCpu: round(best(floors, 'cpu')),
      rssBeforeMB,
      rssPeakMB,
    }),
  );
}

/** RFCs as the lists have them, and with them one of so many counterparties of the packages. */
function listedRfcs(): RfcsPorHuella {
  const [listed, every] = [Number(values.listed), Number(values.listedEvery)];
  const rows = Math.min(Number(values.rows), DISTINCT * PACKAGE_ROWS);
  const rfcs = new RfcsPorHuella(listed + Math.ceil(rows / every));
  for (let n = 0; n < listed; n++) rfcs.add(`LIS${n.toString(36).toUpperCase().padStart(9, '0')}`);
  for (let n = 0; n < rows; n += every) rfcs.add(satRow(n).rfcEmisor);
  return rfcs;
}

interface Storage {
  readonly store: ObjectStore;
  readonly paquetes: Pick<Paquetes, 'saveSat' | 'assemble'>;
  /** The packages of the SAT. */
  readonly saved: Saved;
  get(objectKey: string): Promise<Buffer>;
  close(): Promise<void>;
}

async function openStorage(): Promise<Storage> {
  if (values.storage === 'memoria') {
    const objects = new Map<string, Buffer>();
    const store = createMemoryStore(objects);
    const paquetes = paquetesIn(store, DEFAULT_LIMITS, level);
    const saved = await savePackages(paquetes);
    const get = async (key: string) => objects.get(key) ?? Buffer.alloc(0);
    return { store, paquetes, saved, get, close: async () => {} };
  }
  const server = fork(import.meta.filename, ['--serve', '--rows', values.rows, '--xml', values.xml]);
  type Served = { settings: PaquetesS3Settings; saved: Saved };
  const [{ settings, saved }] = (await once(server, 'message')) as [Served];
  const paquetes = createPaquetesS3({ ...settings, compressionLevel: level });
  const client = createS3Client(settings, settings.endpoint);
  return {
    store: createS3Store(client, settings),
    paquetes,
    saved,
    async get(key) {
      const { url } = await paquetes.presign(key, { filename: 'x.zip', ttlSeconds: 600 });
      return Buffer.from(await (await fetch(url)).arrayBuffer());
    },
    async close() {
      paquetes.close();
      client.destroy();
      server.disconnect();
      await once(server, 'exit');
    },
  };
}

/** A package as the SAT packs it; only for its text is anything kept, and not for long. */
function sourceZip(from: number, to: number): Buffer {
  const rows = Array.from({ length: to - from }, (_, index) => satRow(from + index));
  return zipBytes([{ name: `${UUID}_01.txt`, content: satText(rows) }]);
}

/** Seconds of the clock, and of the processors on all threads. */
interface Spent {
  readonly wall: number;
  readonly cpu: number;
}

async function measure(work: () => Promise<void>): Promise<Spent> {
  const start = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { wall: (performance.now() - start) / 1000, cpu: (user + system) / 1_000_000 };
}

/** Inflates every source once and deflates some entries of the ZIP, by the streams of node:zlib alone. */
async function floor(contents: readonly Buffer[], deflated: readonly Buffer[]): Promise<Spent> {
  const discard = () => new Writable({ write: (_chunk, _encoding, callback) => callback() });
  const sources: Buffer[] = [];
  for (const content of contents.slice(1, -1)) sources.push(await deflate(content));
  return measure(async () => {
    for (const source of sources) await pipeline(chunksOf(source), createInflateRaw({ chunkSize: 131_072 }), discard());
    for (const content of deflated) {
      await pipeline(chunksOf(content), createDeflateRaw({ level, chunkSize: 131_072 }), discard());
    }
  });
}

async function deflate(content: Buffer): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of Readable.from(chunksOf(content)).pipe(createDeflateRaw({ level: 6 })))
    parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function* chunksOf(content: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at < content.length; at += 131_072) yield content.subarray(at, at + 131_072);
}

/** Samples the memory of this process from a fair start, with --expose-gc, until the returned function is called. */
function sampleMemory() {
  (globalThis as { gc?: () => void }).gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  return () => {
    clearInterval(sampler);
    return { rssBeforeMB: Math.round(before / MB), rssPeakMB: Math.round(peak / MB) };
  };
}

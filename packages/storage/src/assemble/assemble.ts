import {
  type ManifestSigner,
  type PaqueteEnsamblado,
  PaqueteSatInvalido,
  type Periodo,
  type PlanEnsamble,
  type PlanXml,
  type RowObserver,
} from '@acuse/core';
import { BufferPool } from '../buffer-pool.ts';
import { metadataLayout } from '../formats/columns.ts';
import { writeRows } from '../formats/write-rows.ts';
import { paqueteKey, toSegment } from '../keys.ts';
import { type InvalidText, RecordReader, rfcColumnOf } from '../metadata/record-reader.ts';
import { Resumen } from '../metadata/resumen.ts';
import { Terceros } from '../metadata/terceros.ts';
import { MetadataTransformer } from '../metadata/transform-metadata.ts';
import type { ObjectStore } from '../object-store.ts';
import { XmlDelivery } from '../xml/deliver-xml.ts';
import { findRows, joinRows } from '../xml/join-rows.ts';
import { writeTables } from '../xml/write-tables.ts';
import { filesAfterRows, writeHashes } from '../xml/xml-files.ts';
import { XmlIndex } from '../xml/xml-index.ts';
import { readDirectory } from '../zip/read-directory.ts';
import { ForeignTexts, openSatPackage, type PaqueteLimits, type SatPackage, type SatText } from '../zip/sat-package.ts';
import { writeEvidencia } from './evidencia.ts';
import { confianzaDe, type PaqueteLeido, type ParteLeida, renderManifest } from './manifest.ts';
import { sealEntry } from './seal.ts';
import { DirectoryDigest } from './zip-records.ts';
import { createZipWriter, type ZipWriter } from './zip-writer.ts';

interface AssembleDeps {
  readonly store: ObjectStore;
  readonly limits: PaqueteLimits;
  /** Level of the deflate compression, 0 to 9. Another level, other bytes. */
  readonly level: number;
  readonly signer?: ManifestSigner | undefined;
}

/**
 * Makes the ZIP of a solicitud and stores it, as `Paquetes.assemble` says. Texts of the SAT go in as the SAT deflated
 * them: after their rows are read, their data is copied from storage. The version of the object and a CRC-32 tie both
 * readings to the same bytes.
 */
export async function assemble(
  deps: AssembleDeps,
  plan: PlanEnsamble,
  signal: AbortSignal,
  observers: readonly RowObserver[] = [],
): Promise<PaqueteEnsamblado> {
  signal.throwIfAborted();
  const objectKey = paqueteKey(plan.solicitudId);
  const writer = createZipWriter(deps.level);
  const giveUp = () => writer.fail(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const stored = deps.store.write(objectKey, writer.output, signal);
  stored.catch(writer.fail);
  try {
    const counted = await writeEntries(deps, plan, writer, { observers, signal });
    const { bytes, sha256 } = await writer.finish();
    await stored;
    await verifyZip(deps.store, objectKey, { bytes, directory: writer.directory() }, signal);
    return { objectKey, bytes, sha256, ...counted };
  } catch (error) {
    writer.fail(error);
    // What failed first fails the upload too. An upload that is refused breaks its body off with an error that says
    // nothing.
    await stored.catch((first: unknown) => {
      throw signal.aborted ? signal.reason : first;
    });
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Facts collected from the rows while they are written. */
type Seen = Pick<
  ConstructorParameters<typeof MetadataTransformer>[0],
  'filtros' | 'resumen' | 'rfcColumn' | 'observers' | 'join' | 'buffers'
>;

interface Opened {
  readonly satPackage: SatPackage;
  readonly folder: string;
}

async function writeEntries(
  deps: AssembleDeps,
  plan: PlanEnsamble,
  writer: ZipWriter,
  { observers, signal }: { readonly observers: readonly RowObserver[]; readonly signal: AbortSignal },
): Promise<Omit<PaqueteEnsamblado, 'objectKey' | 'bytes' | 'sha256'>> {
  const opened: Opened[] = [];
  const partes: ParteLeida[] = [];
  const { filtros = null } = plan;
  const rfcColumn = rfcColumnOf(plan.tipo);
  const xml = plan.xml === undefined ? null : await deliverXml(deps, plan, plan.xml, { writer, rfcColumn, signal });
  const join = xml === null ? null : joinRows(xml, plan.tipo, plan.xml?.partes ?? []);
  const buffers = new BufferPool();
  const seen: Seen = { filtros, resumen: new Resumen(), rfcColumn, observers, join, buffers };
  const rows = rowsOf(deps, plan, { opened, partes, seen }, signal);
  const file = { name: 'metadata', formato: plan.formato, layout: metadataLayout(xml !== null) };
  const { entries: metadata, incomplete } = await writeRows(writer, file, rows, deps.level, buffers.give);
  const entries = [...metadata];
  if (xml !== null) for (const [nombre, lines] of filesAfterRows(xml)) entries.push(await writer.add(nombre, lines));
  const { formato } = plan;
  const tables = xml && plan.xml?.tablas ? await writeTables({ ...deps, writer, formato, signal }, xml) : [];
  for (const table of tables) entries.push(...table.entries);
  for (const { satPackage, folder } of opened) {
    for (const text of [...satPackage.metadata, ...satPackage.terceros]) {
      const { deflated } = text;
      const nombre = `${folder}/${text.name}`;
      entries.push(
        deflated === null
          ? await writer.add(nombre, text.open(signal))
          : await writer.addDeflated(nombre, deflated.open(signal), deflated.measure),
      );
    }
  }
  if (xml !== null) {
    entries.push(await writeHashes(xml, writer));
    entries.push(...(await writeEvidencia(deps.store, writer, plan.solicitudId, signal)));
  }
  const resumen = seen.resumen.total;
  const manifest = renderManifest(plan, partes, { resumen, metadata, incomplete, entries, xml, tables });
  await writer.add('manifest.json', [manifest]);
  if (xml !== null) await sealEntry(writer, manifest, deps.signer);
  const registros = partes.flatMap(({ paquetes }) => paquetes).reduce((sum, leido) => sum + leido.registros, 0);
  const notas = Object.fromEntries(observers.map(({ name, observed }) => [name, observed]));
  const counted = xml === null ? resumen : { ...resumen, xml: xml.cuenta };
  return { registros, confianza: confianzaDe(partes), resumen: counted, notas };
}

/**
 * Writes the XML of a plan. The metadata is read before, for the UUIDs of its rows, and again when it is written: only
 * then is it known which documents were asked for.
 */
async function deliverXml(
  deps: AssembleDeps,
  plan: PlanEnsamble,
  xml: PlanXml,
  { writer, rfcColumn, signal }: { writer: ZipWriter; rfcColumn: number; signal: AbortSignal },
): Promise<XmlDelivery> {
  const delivery = new XmlDelivery({ ...deps, writer, signal }, plan, new XmlIndex());
  const join = findRows(delivery);
  const buffers = new BufferPool();
  const filtros = plan.filtros ?? null;
  const seen: Seen = { filtros, resumen: new Resumen(), rfcColumn, observers: [], join, buffers };
  for await (const rows of rowsOf(deps, plan, { opened: [], partes: [], seen }, signal)) buffers.give(rows);
  await delivery.write(xml);
  return delivery;
}

/**
 * The rows of `metadata.csv` without its header, in chunks of whole rows. Leaves the packages that it opened in
 * `opened`, what it read in `partes`, and what it noticed in `seen`.
 */
async function* rowsOf(
  { store, limits }: AssembleDeps,
  plan: PlanEnsamble,
  { opened, partes, seen }: { opened: Opened[]; partes: ParteLeida[]; seen: Seen },
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  for (const parte of plan.partes) {
    const paquetes: PaqueteLeido[] = [];
    partes.push({ parte, paquetes });
    for (const { objectKey, paquete } of parte.paquetes) {
      const satPackage = await openSatPackage(store, objectKey, limits, signal);
      const number = String(opened.length + 1).padStart(3, '0');
      opened.push({ satPackage, folder: `originales/${number}-${toSegment(paquete)}` });
      const leido: PaqueteLeido = {
        paquete,
        registros: 0,
        fueraDePeriodo: 0,
        filtrados: 0,
        terceros: 0,
        extraColumns: [],
        ignoredEntries: satPackage.ignored,
      };
      paquetes.push(leido);
      yield* csvRows(satPackage, parte.recortar ? parte.periodo : null, limits, leido, seen, signal);
    }
  }
}

/** Yields the rows of `metadata.csv` in one package. Puts the facts found while reading into `leido` and `seen`. */
async function* csvRows(
  satPackage: SatPackage,
  recortar: Periodo | null,
  limits: PaqueteLimits,
  leido: PaqueteLeido,
  seen: Seen,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const terceros = await readTerceros(satPackage, limits, signal);
  leido.terceros = terceros.registros;
  const foreign = new ForeignTexts(satPackage);
  for (const text of satPackage.metadata) {
    const invalid = invalidIn(satPackage, text);
    const transformer = new MetadataTransformer({ recortar, terceros, invalid, ...seen });
    try {
      for await (const chunk of text.open(signal)) yield* transformer.push(chunk as Buffer);
      yield* transformer.end();
    } catch (error) {
      foreign.add(text, error);
      continue;
    }
    leido.registros += transformer.registros;
    leido.fueraDePeriodo += transformer.recortados;
    leido.filtrados += transformer.filtrados;
    leido.extraColumns = [...new Set([...leido.extraColumns, ...transformer.extraColumns])];
  }
  leido.ignoredEntries = [...leido.ignoredEntries, ...foreign.names];
}

async function readTerceros(satPackage: SatPackage, limits: PaqueteLimits, signal: AbortSignal): Promise<Terceros> {
  const terceros = new Terceros(
    { maxRegistros: limits.maxTerceros, maxBytes: limits.maxTercerosBytes },
    satPackage.objectKey,
  );
  for (const text of satPackage.terceros) {
    const invalid = invalidIn(satPackage, text);
    const reader = new RecordReader(terceros.sink(invalid), invalid);
    for await (const chunk of text.open(signal)) reader.push(chunk as Buffer);
    reader.end();
  }
  return terceros;
}

function invalidIn(satPackage: SatPackage, text: SatText): InvalidText {
  return (motivo, detalle) => new PaqueteSatInvalido(motivo, satPackage.objectKey, `${text.name}: ${detalle}`);
}

/** The stored ZIP is not the one that was written. */
export class ZipNoCoincide extends Error {
  constructor(objectKey: string, detalle: string, cause?: unknown) {
    super(`the stored ZIP ${objectKey} is not what was written: ${detalle}`, { cause });
    this.name = 'ZipNoCoincide';
  }
}

/** Reads the directory of the stored ZIP back and compares it with the written one. Throws {@link ZipNoCoincide}. */
async function verifyZip(
  store: ObjectStore,
  objectKey: string,
  written: { readonly bytes: number; readonly directory: string },
  signal: AbortSignal,
): Promise<void> {
  const digest = new DirectoryDigest();
  let stored = 0;
  try {
    const { stat, entries } = await readDirectory(store, objectKey, Number.POSITIVE_INFINITY, signal);
    stored = stat.bytes;
    for await (const { name, bytes, crc32 } of entries()) digest.add(name, bytes, crc32);
  } catch (error) {
    // A ZIP of ours that cannot be read is no fault of the SAT's packages, and must not be taken for one.
    if (error instanceof PaqueteSatInvalido) throw new ZipNoCoincide(objectKey, error.motivo, error);
    throw error;
  }
  if (stored !== written.bytes) throw new ZipNoCoincide(objectKey, `${stored} bytes instead of ${written.bytes}`);
  if (digest.hex !== written.directory) {
    throw new ZipNoCoincide(objectKey, `the directory is ${digest.hex} instead of ${written.directory}`);
  }
}

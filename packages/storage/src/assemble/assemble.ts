import {
  type Confianza,
  type PaqueteEnsamblado,
  PaqueteSatInvalido,
  type ParteLista,
  type Periodo,
  type PlanEnsamble,
  type ResumenPaquete,
  type RowObserver,
} from '@acuse/core';
import { describeColumns } from '../formats/columns.ts';
import { writeMetadata } from '../formats/write-metadata.ts';
import { paqueteKey, toSegment } from '../keys.ts';
import { type InvalidText, RecordReader, rfcColumnOf } from '../metadata/record-reader.ts';
import { Resumen } from '../metadata/resumen.ts';
import { Terceros } from '../metadata/terceros.ts';
import { MetadataTransformer } from '../metadata/transform-metadata.ts';
import type { ObjectStore } from '../object-store.ts';
import { readDirectory, type ZipDirectory } from '../zip/read-directory.ts';
import { ForeignTexts, openSatPackage, type PaqueteLimits, type SatPackage, type SatText } from '../zip/sat-package.ts';
import { createZipWriter, type EntryWritten, type ZipWriter } from './zip-writer.ts';

interface AssembleDeps {
  readonly store: ObjectStore;
  readonly limits: PaqueteLimits;
  /** Level of the deflate compression, 0 to 9. Another level, other bytes. */
  readonly level: number;
}

/**
 * Makes the ZIP of a solicitud and stores it, as `Paquetes.assemble` says. Every package is inflated once, for
 * its rows; its texts then go in as the SAT deflated them, copied from storage, so that nothing has to be kept and
 * nothing is deflated twice. The version of the object and a CRC-32 tie both readings to the same bytes.
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
    const { entries, ...counted } = await writeEntries(deps, plan, writer, { observers, signal });
    const { bytes, sha256 } = await writer.finish();
    await stored;
    await verifyZip(deps.store, objectKey, bytes, entries, signal);
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
  'filtros' | 'resumen' | 'rfcColumn' | 'observers'
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
): Promise<{ entries: EntryWritten[] } & Omit<PaqueteEnsamblado, 'objectKey' | 'bytes' | 'sha256'>> {
  const opened: Opened[] = [];
  const partes: ParteLeida[] = [];
  const { filtros = null } = plan;
  const seen: Seen = { filtros, resumen: new Resumen(), rfcColumn: rfcColumnOf(plan.tipo), observers };
  const rows = rowsOf(deps, plan, { opened, partes, seen }, signal);
  const { entries: metadata, incomplete } = await writeMetadata(writer, plan.formato, rows, deps.level);
  const entries = [...metadata];
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
  const resumen = seen.resumen.total;
  const manifest = renderManifest(plan, partes, { resumen, metadata, incomplete, entries });
  entries.push(await writer.add('manifest.json', [manifest]));
  const registros = partes.flatMap(({ paquetes }) => paquetes).reduce((sum, leido) => sum + leido.registros, 0);
  const notas = Object.fromEntries(observers.map(({ name, observed }) => [name, observed]));
  return { entries, registros, confianza: confianzaDe(partes), resumen, notas };
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

/** Raised when a field changes its meaning or goes away; new fields do not raise it. */
const MANIFEST_VERSION = 1;

/** What reading one package of the SAT gave. */
interface PaqueteLeido {
  readonly paquete: string;
  /** Rows of it in the metadata. */
  registros: number;
  /** Rows left out because their fecha_emision is outside of the period of the part. */
  fueraDePeriodo: number;
  /** Rows left out because the filters of the request do not let them pass. */
  filtrados: number;
  /** Records in its file of third parties. */
  terceros: number;
  extraColumns: readonly string[];
  ignoredEntries: readonly string[];
}

interface ParteLeida {
  readonly parte: ParteLista;
  readonly paquetes: readonly PaqueteLeido[];
}

const hasRows = ({ paquetes }: ParteLeida) =>
  paquetes.some(({ registros, fueraDePeriodo, filtrados }) => registros + fueraDePeriodo + filtrados > 0);

const confianzaDeParte = (parte: ParteLeida): Confianza =>
  hasRows(parte) || parte.parte.confirmada ? 'confirmado' : 'sin_confirmar';

/** Rows anywhere show that the SAT answered; without any, every part has to be confirmed. */
const confianzaDe = (partes: readonly ParteLeida[]): Confianza =>
  partes.some(hasRows) || partes.every((parte) => parte.parte.confirmada) ? 'confirmado' : 'sin_confirmar';

/**
 * `manifest.json`: the request, the answer of the SAT, and the content of the ZIP. Same plan and packages, same text.
 */
function renderManifest(
  plan: PlanEnsamble,
  partes: readonly ParteLeida[],
  written: {
    readonly resumen: ResumenPaquete;
    /** Those of `entries` that hold the rows. */
    readonly metadata: readonly EntryWritten[];
    readonly incomplete: Readonly<Record<string, number>>;
    readonly entries: readonly EntryWritten[];
  },
): Buffer {
  const { resumen, metadata, incomplete, entries } = written;
  const paquetes = partes.flatMap((parte) => parte.paquetes);
  const manifest = {
    version: MANIFEST_VERSION,
    solicitud_id: plan.solicitudId,
    rfc: plan.rfc,
    tipo: plan.tipo,
    desde: plan.desde,
    hasta: plan.hasta,
    formato: plan.formato,
    ...(plan.filtros ? { filtros: plan.filtros } : {}),
    archivos: metadata.map(({ nombre }) => nombre),
    columnas: describeColumns(plan.formato),
    valores_incompletos: incomplete,
    registros: paquetes.reduce((sum, { registros }) => sum + registros, 0),
    confianza: confianzaDe(partes),
    registros_fuera_de_periodo: paquetes.reduce((sum, { fueraDePeriodo }) => sum + fueraDePeriodo, 0),
    ...(plan.filtros ? { registros_filtrados: paquetes.reduce((sum, each) => sum + each.filtrados, 0) } : {}),
    resumen: { por_efecto: resumen.porEfecto, por_mes: resumen.porMes, cancelados: resumen.cancelados },
    partes: partes.map(({ parte, paquetes: leidos }) => ({
      confianza: confianzaDeParte({ parte, paquetes: leidos }),
      canal: parte.canal,
      folio: parte.folio,
      inicio: parte.periodo.inicio,
      fin: parte.periodo.fin,
      recortada: parte.recortar,
      paquetes: leidos.map((leido) => ({
        paquete: leido.paquete,
        registros: leido.registros,
        fuera_de_periodo: leido.fueraDePeriodo,
        registros_de_terceros: leido.terceros,
        columnas_adicionales: leido.extraColumns,
        entradas_ignoradas: leido.ignoredEntries,
      })),
    })),
    entradas: entries.map(({ nombre, bytes, sha256 }) => ({ nombre, bytes, sha256 })),
  };
  return Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
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
  bytes: number,
  written: readonly EntryWritten[],
  signal: AbortSignal,
): Promise<void> {
  const { stat, entries } = await readOwnDirectory(store, objectKey, signal);
  if (stat.bytes !== bytes) throw new ZipNoCoincide(objectKey, `${stat.bytes} bytes instead of ${bytes}`);
  if (entries.length !== written.length) {
    throw new ZipNoCoincide(objectKey, `${entries.length} entries instead of ${written.length}`);
  }
  for (const [index, entry] of written.entries()) {
    const stored = entries[index];
    if (stored?.name !== entry.nombre || stored.bytes !== entry.bytes || stored.crc32 !== entry.crc32) {
      throw new ZipNoCoincide(objectKey, `entry ${index} is not ${entry.nombre}`);
    }
  }
}

/** A ZIP of ours that cannot be read is no fault of the SAT's packages, and must not be taken for one. */
async function readOwnDirectory(store: ObjectStore, objectKey: string, signal: AbortSignal): Promise<ZipDirectory> {
  try {
    return await readDirectory(store, objectKey, Number.POSITIVE_INFINITY, signal);
  } catch (error) {
    if (error instanceof PaqueteSatInvalido) throw new ZipNoCoincide(objectKey, error.motivo, error);
    throw error;
  }
}

import type { PaqueteEnsamblado, PlanEnsamble } from '@acuse/core';
import { paqueteKey, toSegment } from '../keys.ts';
import type { PaqueteLimits } from '../limits.ts';
import { CSV_HEADER } from '../metadata/columns.ts';
import { Resumen } from '../metadata/resumen.ts';
import type { ObjectStore } from '../object-store.ts';
import { openSatPackage, type SatPackage } from '../zip/sat-package.ts';
import { csvRows } from './csv-rows.ts';
import { confianzaDe, type PaqueteLeido, type ParteLeida, renderManifest } from './manifest.ts';
import { verifyZip } from './verify-zip.ts';
import { createZipWriter, type EntryWritten, type ZipWriter } from './zip-writer.ts';

export interface AssembleDeps {
  readonly store: ObjectStore;
  readonly limits: PaqueteLimits;
  /** Level of the deflate compression, 0 to 9. Another level, other bytes. */
  readonly level: number;
}

/**
 * Makes the ZIP of a solicitud and stores it, as `Paquetes.assemble` says. Every package is read twice, once for its
 * rows and once for its texts, so that nothing has to be kept; the version of the object ties both readings to the same
 * bytes.
 */
export async function assemble(
  deps: AssembleDeps,
  plan: PlanEnsamble,
  signal: AbortSignal,
): Promise<PaqueteEnsamblado> {
  signal.throwIfAborted();
  const objectKey = paqueteKey(plan.solicitudId);
  const writer = createZipWriter(deps.level);
  const giveUp = () => writer.fail(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  const stored = deps.store.write(objectKey, writer.output, signal);
  stored.catch(writer.fail);
  try {
    const { entries, ...counted } = await writeEntries(deps, plan, writer, signal);
    const { bytes, sha256 } = await writer.finish();
    await stored;
    await verifyZip(deps.store, objectKey, bytes, entries, signal);
    return { objectKey, bytes, sha256, ...counted };
  } catch (error) {
    writer.fail(error);
    await stored.catch(() => undefined);
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

interface Opened {
  readonly satPackage: SatPackage;
  readonly folder: string;
}

async function writeEntries(
  deps: AssembleDeps,
  plan: PlanEnsamble,
  writer: ZipWriter,
  signal: AbortSignal,
): Promise<{ entries: EntryWritten[] } & Pick<PaqueteEnsamblado, 'registros' | 'confianza' | 'resumen'>> {
  const opened: Opened[] = [];
  const partes: ParteLeida[] = [];
  const counts = new Resumen();
  const entries = [await writer.add('metadata.csv', csvOf(deps, plan, { opened, partes, counts }, signal))];
  for (const { satPackage, folder } of opened) {
    for (const text of [...satPackage.metadata, ...satPackage.terceros]) {
      entries.push(await writer.add(`${folder}/${text.name}`, text.open(signal)));
    }
  }
  const resumen = counts.total;
  entries.push(await writer.add('manifest.json', [renderManifest(plan, partes, resumen, entries)]));
  const registros = partes.flatMap(({ paquetes }) => paquetes).reduce((sum, leido) => sum + leido.registros, 0);
  return { entries, registros, confianza: confianzaDe(partes), resumen };
}

/**
 * The text of `metadata.csv`. Leaves the packages that it opened in `opened`, what it read in `partes`, and what it
 * wrote in `counts`.
 */
async function* csvOf(
  { store, limits }: AssembleDeps,
  plan: PlanEnsamble,
  { opened, partes, counts }: { opened: Opened[]; partes: ParteLeida[]; counts: Resumen },
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  yield Buffer.from(CSV_HEADER);
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
        terceros: 0,
        columnasAdicionales: [],
        entradasIgnoradas: satPackage.ignored,
      };
      paquetes.push(leido);
      yield* csvRows(satPackage, parte.recortar ? parte.periodo : null, limits, leido, counts, signal);
    }
  }
}

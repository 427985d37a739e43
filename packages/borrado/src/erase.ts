import { searchQueue } from '@acuse/queue';
import { AUTOR, type OperatorDeps } from '@acuse/roles/operator';
import { type Eraser, solicitudPrefix } from '@acuse/storage';
import {
  accountsOf,
  type Borrado,
  chargedSolicitudes,
  closeTaxpayer,
  documentosToErase,
  eraseAround,
  eraseDocumentos,
  eraseSolicitudes,
  eraseTaxpayer,
  inventory,
  noteErased,
  solicitudesToErase,
} from './borrado.ts';
import { type Informe, readInforme, writeInforme } from './informe.ts';
import { sealErasure } from './informes.ts';
import { MAPA } from './mapa.ts';
import { type Hallazgo, searchDatabase } from './search.ts';

/** Parts of a deletion. */
export interface ErasureDeps extends Pick<OperatorDeps, 'database' | 'databaseUrl' | 'queueUrl' | 'pause' | 'show'> {
  readonly eraser: Eraser;
  readonly hasVersions: boolean;
}

/**
 * Longer than anything that was under way can last: a call of the API (SAT_PRESUPUESTO_MS, a minute), a log-in (two) or
 * a step of a worker (its lease, of seconds). What those still write is deleted with the second pass.
 */
export const GRACE_SECONDS = 300;
/** Solicitudes of one batch, whose objects are deleted at a time. */
const BATCH = 200;
const CONCURRENCY = 8;
/** Passes that may find something again before a person has to look. */
const MAX_PASSES = 20;

async function eraseObjects({ database, eraser }: ErasureDeps, borrado: Borrado, prefixes: readonly string[]) {
  let gone = 0;
  for (let at = 0; at < prefixes.length; at += CONCURRENCY) {
    const counts = await Promise.all(prefixes.slice(at, at + CONCURRENCY).map((prefix) => eraser.erase(prefix)));
    gone += counts.reduce((sum, n) => sum + n, 0);
  }
  await noteErased(database, borrado, { objetos: gone });
}

/** Objects first: a row is what finds them again after an interruption. */
async function eraseStored(deps: ErasureDeps, borrado: Borrado, isQuiet: boolean, graceSeconds: number): Promise<void> {
  const { database, hasVersions } = deps;
  for (;;) {
    const some = await solicitudesToErase(database, borrado, { isQuiet, graceSeconds, limit: BATCH });
    if (some.length === 0) break;
    // What retention has deleted is gone, but where the bucket keeps versions.
    const full = some.filter(({ hasObjects }) => hasObjects || hasVersions);
    await eraseObjects(
      deps,
      borrado,
      full.map(({ id }) => solicitudPrefix(id)),
    );
    await eraseSolicitudes(
      database,
      borrado,
      some.map(({ id }) => id),
    );
  }
  for (;;) {
    const some = await documentosToErase(database, borrado);
    if (some.length === 0) break;
    await eraseObjects(
      deps,
      borrado,
      some.map(({ objectKey }) => objectKey),
    );
    await eraseDocumentos(
      database,
      borrado,
      some.map(({ id }) => id),
    );
  }
}

/** A second look, by none of the ways by which things were deleted: at every text of every table, key and object. */
async function searchEverywhere(deps: ErasureDeps, { id, rfc, cuentaId, contribuyenteId }: Borrado) {
  const { database, databaseUrl, queueUrl, eraser, hasVersions } = deps;
  const others = (await accountsOf(database, rfc)).filter((cuenta) => cuenta !== cuentaId);
  const what = { rfc, cuentaId, order: id, isElsewhere: others.length > 0 };
  const base = await searchDatabase(databaseUrl, what);
  const redis = await searchQueue(queueUrl, rfc);
  const beside = redis === null && queueUrl !== databaseUrl ? await searchDatabase(queueUrl, what) : null;
  const solicitudes = await chargedSolicitudes(database, { contribuyenteId });
  let claves = 0;
  const left: string[] = [];
  for await (const key of eraser.keys()) {
    claves += 1;
    if (key.includes(rfc) || key.split('/').some((part) => solicitudes.has(part))) left.push(key);
  }
  const hallazgos: Hallazgo[] = [
    ...base.hallazgos,
    ...(beside?.hallazgos ?? []),
    ...(redis?.hallazgos ?? []).map((clave) => ({ tabla: 'redis', columna: clave, filas: 1, motivo: null })),
    ...left.map((clave) => ({ tabla: 'almacén', columna: clave, filas: 1, motivo: null })),
  ];
  return {
    base: { tablas: base.tablas, columnas: base.columnas },
    cola: redis
      ? { redis_claves: redis.claves }
      : beside
        ? { tablas: beside.tablas, columnas: beside.columnas }
        : 'en la base',
    almacen: { claves, versiones: hasVersions },
    hallazgos,
  };
}

/** What stays, with why and how long. */
async function keptOf({ database }: ErasureDeps, borrado: Borrado) {
  const rest = await inventory(database, borrado);
  return Object.entries(rest).flatMap(([tabla, filas]) => {
    const { por, dato } = MAPA[tabla] ?? {};
    return filas > 0 && por !== undefined ? [{ tabla, dato, filas, por }] : [];
  });
}

/**
 * Carries out an order, or continues it: closes open solicitudes, deletes, waits until no earlier work can write,
 * deletes its rows too, searches everything, and returns the report. Null when the order must continue later. Rejects
 * when an unexplained row is left; the order stays and may be repeated.
 */
export async function carryOut(
  deps: ErasureDeps,
  borrado: Borrado,
  { graceSeconds, waits }: { readonly graceSeconds: number; readonly waits: boolean },
): Promise<Informe | null> {
  const { database, show, pause } = deps;
  for (let pass = 1; ; pass += 1) {
    const { isQuiet, quietAt } = await closeTaxpayer(database, borrado, { graceSeconds, ...AUTOR });
    await eraseStored(deps, borrado, isQuiet, graceSeconds);
    await eraseAround(database, borrado);
    if (isQuiet && (await eraseTaxpayer(database, borrado))) break;
    if (pass === MAX_PASSES)
      throw new Error(
        `${borrado.rfc}: en cada vuelta aparece algo nuevo. Quite el RFC de lo que lo sigue usando y repita la orden.`,
      );
    if (isQuiet) continue;
    show({ borrado: borrado.id, estado: 'CERRADO', termina_desde: quietAt });
    if (!waits) return null;
    await pause(Math.max(1_000, quietAt.getTime() - Date.now()));
  }
  const busqueda = await searchEverywhere(deps, borrado);
  const left = busqueda.hallazgos.filter(({ motivo }) => motivo === null);
  if (left.length > 0) {
    const places = left.map(({ tabla, columna, filas }) => `${tabla}.${columna} (${filas})`).join(', ');
    throw new Error(
      `${borrado.rfc}: se borró, y todavía está escrito en ${places}. Quítelo de ahí y repita la orden: no se da por terminada mientras tanto.`,
    );
  }
  const conservado = await keptOf(deps, borrado);
  const sealed = await sealErasure(database, borrado, ({ numero, anterior, terminadoEn, contado }) => {
    const fields = {
      version: 1 as const,
      id: borrado.id,
      numero,
      cuenta_id: borrado.cuentaId,
      contribuyente_id: borrado.contribuyenteId,
      rfc_huella: borrado.rfcHuella,
      pedido_en: borrado.pedidoEn,
      terminado_en: terminadoEn,
      borrado: contado,
      conservado,
      busqueda,
      anterior,
    };
    // Dates as the text that a reader of the report hashes.
    const plain: Record<string, unknown> = JSON.parse(JSON.stringify(fields));
    return writeInforme(plain);
  });
  return sealed === null ? null : readInforme(sealed);
}

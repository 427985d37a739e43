import { NEW_LISTS } from '@acuse/listas/worker';
import { type DecorateClaims, type OpenObserver, type RoleContext, startLoop } from '@acuse/roles';
import { type Logger, noting } from '@acuse/runtime';
import { Contrapartes } from './contrapartes.ts';
import { cruceDePaquete } from './db/cruce.ts';
import { createRfcsListados } from './db/rfcs-listados.ts';
import { createRiesgo, type Riesgo } from './db/riesgo.ts';
import { holdRfcsListados } from './rfcs-en-memoria.ts';

/** Milliseconds between two checks for new versions of the lists. */
const LISTS_EVERY_MS = 60_000;

/** Observes the counterparties of a package that may be listed. Readings of subscriptions are crossed in their store instead. */
export const observeContrapartes: OpenObserver = ({ database, log, metrics, wakes, closeLater }) => {
  const lector = createRfcsListados(database);
  const listados = closeLater('listados', holdRfcsListados({ lector, log, metrics, everyMs: LISTS_EVERY_MS }));
  wakes.on(NEW_LISTS, listados.wake);
  return ({ origenId, tipo }) => {
    const current = listados.current();
    return origenId !== null || current === null ? null : new Contrapartes(tipo, current);
  };
};

/** Counts the packages that were crossed with the lists, and logs those that could not be. */
export const meterCruces: DecorateClaims = (claims, { log, metrics }) =>
  noting(claims, {
    finish(isNoted, claimed, { notas }) {
      const { [cruceDePaquete.name]: contrapartes } = notas ?? {};
      if (!isNoted && Array.isArray(contrapartes))
        log.warn({ contrapartes: contrapartes.length }, 'package_not_crossed');
      const outcome = isNoted && contrapartes !== undefined ? 'crossed' : 'not_crossed';
      if (claimed.origenId === null) metrics.packagesCrossed.with({ outcome }).add();
    },
  });

/** Stores that one look finds, and differences that one transaction notes of one. */
const CROSSED = { stores: 100, differences: 500 };

interface CruceDeps {
  readonly riesgo: Pick<Riesgo, 'due' | 'cross'>;
  readonly log: Logger;
}

/** Crosses the stores of subscriptions with the published lists, in the process that fills the stores. */
export function openCruces({
  config,
  database,
  log,
  closeLater,
}: RoleContext<{ readonly SINCRONIZACION_INTERVAL_MS: number }>): void {
  const deps = { riesgo: createRiesgo(database), log };
  const everyMs = config.SINCRONIZACION_INTERVAL_MS;
  closeLater('riesgo', startLoop({ name: 'riesgo', everyMs, log, turn: (signal) => crossAll(deps, signal) }));
}

/**
 * Crosses every store with lists or CFDI that changed. The database says which stores are due, so that a list that loaded
 * while no worker ran is crossed later. A failing store does not stop the others.
 */
export async function crossAll({ riesgo, log }: CruceDeps, signal: AbortSignal): Promise<boolean> {
  for (let after = 0; ; ) {
    const due = await riesgo.due(after, CROSSED.stores);
    for (const almacen of due) {
      if (signal.aborted) return false;
      try {
        const contrapartes = await crossOne(riesgo, almacen, signal);
        if (contrapartes > 0) log.info({ almacen, contrapartes }, 'counterparties_listed');
      } catch (error) {
        log.error({ almacen, err: error }, 'crossing_failed');
      }
    }
    if (due.length < CROSSED.stores) return false;
    after = due.at(-1) ?? after;
  }
}

async function crossOne(riesgo: CruceDeps['riesgo'], almacen: number, signal: AbortSignal): Promise<number> {
  let dichos = 0;
  while (!signal.aborted) {
    const cruce = await riesgo.cross(almacen, CROSSED.differences);
    dichos += cruce?.dichos ?? 0;
    if (cruce === null || cruce.isOver) break;
  }
  return dichos;
}

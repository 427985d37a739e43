import type { Metrics } from '@acuse/metrics';
import { startLoop } from '@acuse/roles';
import type { Logger } from '@acuse/runtime';
import type { LectorRfcsListados } from './db/rfcs-listados.ts';
import { RfcsPorHuella } from './rfcs-listados.ts';
import type { RfcsListados } from './riesgo.ts';

/**
 * Holds the RFCs of the published lists in the memory of a process that assembles. Reads them again in the background when
 * the versions change, while assemblies use the earlier set. Retries a failed read at the next check.
 */
export function holdRfcsListados(deps: {
  lector: LectorRfcsListados;
  log: Logger;
  metrics: Pick<Metrics<'worker'>, 'listedRfcs' | 'collect'>;
  /** Milliseconds between two looks at which versions are current. */
  everyMs: number;
}) {
  const { lector, log, metrics, everyMs } = deps;
  let held: { readonly versiones: string; readonly rfcs: RfcsPorHuella } | null = null;
  metrics.collect({
    name: 'listed-rfcs',
    sets: ['listedRfcs'],
    cacheMs: 0,
    read: () => held?.rfcs.size ?? 0,
    apply: (rfcs) => metrics.listedRfcs.with({}).set(rfcs),
  });
  const loop = startLoop({
    name: 'listed-rfcs',
    everyMs,
    log,
    async turn(signal) {
      const versiones = await lector.versiones();
      if (versiones === '') held = null;
      if (versiones === '' || versiones === held?.versiones) return false;
      const startedAt = performance.now();
      held = await lector.load((cuantos) => new RfcsPorHuella(cuantos), signal);
      const { size: rfcs, bytes } = held.rfcs;
      log.info({ rfcs, bytes, ms: Math.round(performance.now() - startedAt) }, 'listed_rfcs_held');
      return false;
    },
  });
  return {
    /** Null before the first read, or while no list is loaded. */
    current: (): RfcsListados | null => held?.rfcs ?? null,
    /** Checks now. */
    wake: loop.wake,
    close: loop.close,
  };
}

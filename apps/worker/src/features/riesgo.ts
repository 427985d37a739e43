import { Contrapartes } from '@acuse/riesgo';
import { createRfcsListados, cruceDePaquete } from '@acuse/riesgo/db';
import type { DecorateClaims, OpenObserver } from '../roles/role.ts';
import { holdRfcsListados } from './rfcs-listados.ts';

/** Milliseconds between two looks at which versions of the lists packages are crossed with. */
const LISTS_EVERY_MS = 60_000;

/**
 * Finds the counterparties of a package that may stand on a published list. A reading of a subscription is not observed:
 * its store is crossed over all readings.
 */
export const observeContrapartes: OpenObserver = ({ database, log, metrics, wakes, closeLater }) => {
  const lector = createRfcsListados(database);
  const listados = closeLater('listados', holdRfcsListados({ lector, log, metrics, everyMs: LISTS_EVERY_MS }));
  wakes.on('lists', listados.wake);
  return ({ origenId, tipo }) => {
    const current = listados.current();
    return origenId !== null || current === null ? null : new Contrapartes(tipo, current);
  };
};

/** Counts the packages that were crossed with the lists, and logs those that could not be. */
export const meterCruces: DecorateClaims = (claims, { log, metrics }) => ({
  ...claims,
  async finish(claimed, paquete) {
    const isNoted = await claims.finish(claimed, paquete);
    const { [cruceDePaquete.name]: contrapartes } = paquete.notas ?? {};
    if (!isNoted && Array.isArray(contrapartes)) log.warn({ contrapartes: contrapartes.length }, 'package_not_crossed');
    const outcome = isNoted && contrapartes !== undefined ? 'crossed' : 'not_crossed';
    if (claimed.origenId === null) metrics.packagesCrossed.with({ outcome }).add();
    return isNoted;
  },
});

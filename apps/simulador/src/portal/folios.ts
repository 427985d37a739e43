import { randomUUID } from 'node:crypto';
import { magiaDe } from '../world/magia.ts';
import type { World } from '../world/world.ts';
import type { Criteria } from './consulta/criteria.ts';
import type { PortalSettings } from './portal-state.ts';

/** A request for bulk metadata that got a folio. */
export type Folio = {
  /** UUID in upper case. */
  id: string;
  criteria: Criteria;
  total: number;
  solicitado: Date;
  estado: 'en proceso' | 'disponible';
};

/** The portal promises a package within these hours. */
const PROMISED_HOURS = 48;
const HOUR = 3_600_000;

type Entry = Folio & { looks: number; isStuck: boolean };

/**
 * Creates an empty list. A folio is available from the n-th look on (`verificaciones_hasta_terminar`) once the seconds
 * of `segundos_hasta_terminar` have passed too, after 48 hours in any case, and is listed for about three days.
 */
export function createFolios({ clock, settings: world }: World, settings: PortalSettings) {
  const entries: Entry[] = [];
  const ageOf = ({ solicitado }: Folio) => clock.now().getTime() - solicitado.getTime();
  const slowness = (rfc: string) => (magiaDe(rfc)?.horasHastaTerminar ?? 0) * HOUR;
  const listed = (rfc: string) =>
    entries.filter((entry) => entry.criteria.rfc === rfc && ageOf(entry) < settings.horas_folio * HOUR + slowness(rfc));

  const isReady = (entry: Entry) => {
    if (entry.isStuck || ageOf(entry) < slowness(entry.criteria.rfc)) return false;
    if (ageOf(entry) >= PROMISED_HOURS * HOUR) return true;
    return entry.looks >= world.verificaciones_hasta_terminar && ageOf(entry) >= world.segundos_hasta_terminar * 1000;
  };

  return {
    /** Registers a request; one that `isStuck` never becomes available. */
    request: (criteria: Criteria, total: number, isStuck: boolean): Folio => {
      const id = randomUUID().toUpperCase();
      const entry: Entry = { id, criteria, total, isStuck, solicitado: clock.now(), estado: 'en proceso', looks: 0 };
      entries.push(entry);
      return entry;
    },
    /** A taxpayer's folios that are still listed, newest first. Each call is one look at those in process. */
    look: (rfc: string): Folio[] => {
      const own = listed(rfc);
      for (const entry of own) {
        entry.looks += 1;
        if (isReady(entry)) entry.estado = 'disponible';
      }
      return own.reverse();
    },
    /** A folio of that taxpayer that is still listed, or null. */
    find: (rfc: string, id: string): Folio | null => listed(rfc).find((entry) => entry.id === id) ?? null,
  };
}

import { magiaDe } from '../world/magia.ts';
import { keyOf, mix, word } from '../world/taxpayers/mix.ts';
import { DAY, type WallTime, wallTimeOf } from '../world/wall-time.ts';
import type { World } from '../world/world.ts';

/** An opened notification: the taxpayer counts as notified from then on. */
type Apertura = { folio: string; fecha: string };

/** Opened notifications. They outlive the call log, so that a test can prove that none was opened. */
export type Aperturas = ReturnType<typeof createAperturas>;

/** Creates the memory of mailboxes in which nothing was opened. */
export function createAperturas() {
  const notificaciones = new Map<string, Map<string, Apertura>>();
  const comunicados = new Map<string, Set<string>>();
  return {
    /** Opening it again changes nothing. */
    openNotificacion: (rfc: string, folio: string, at: Date) => {
      const own = notificaciones.get(rfc) ?? new Map<string, Apertura>();
      if (!own.has(folio)) own.set(folio, { folio, fecha: at.toISOString() });
      notificaciones.set(rfc, own);
    },
    notificaciones: (rfc: string) => [...(notificaciones.get(rfc)?.values() ?? [])],
    readComunicado: (rfc: string, id: string) => {
      comunicados.set(rfc, (comunicados.get(rfc) ?? new Set<string>()).add(id));
    },
    comunicados: (rfc: string) => [...(comunicados.get(rfc) ?? [])],
  };
}

/** Something that came to a mailbox: a number that is its own for good, when, and chances for its parts. */
type Llegada = { n: number; cuando: WallTime; chance(slot: number, size: number): number };

type Ritmo = {
  /** Names the kind of thing, so that kinds are independent of each other. */
  clase: string;
  /**
   * The taxpayer's rate is chosen from 0 to this; at the two highest every interval brings something in its first two
   * days.
   */
  maximo: number;
  diasIntervalo: number;
  /** How far back from the clock's now. */
  dias: number;
};

/**
 * What came to a taxpayer's mailbox until the clock's now, newest first. It depends on the seed, the RFC and the day
 * alone: moving the clock brings new ones and takes none back. The magic RFC without rows gets nothing.
 */
export function llegadas(world: World, rfc: string, ritmo: Ritmo): Llegada[] {
  const { clase, maximo, diasIntervalo, dias } = ritmo;
  if (magiaDe(rfc)?.filas?.length === 0) return [];
  const key = keyOf(world.settings.semilla, rfc, clase);
  const rate = word(key, 0) % (maximo + 1);
  const now = wallTimeOf(world.clock.now());
  const size = diasIntervalo * DAY;
  const first = Math.floor((now - dias * DAY) / size);
  const isRegular = rate >= maximo - 1;
  const found: Llegada[] = [];
  for (let n = Math.floor(now / size); n >= first; n--) {
    const chance = (slot: number, limit: number) => mix(word(key, 1 + (slot % 7)) ^ slot, n) % limit;
    const cuando = n * size + chance(8, isRegular ? 2 * DAY : size);
    const isThere = (isRegular || chance(9, maximo) < rate) && cuando <= now && cuando > now - dias * DAY;
    if (isThere) found.push({ n, cuando, chance });
  }
  return found.sort((a, b) => b.cuando - a.cuando);
}

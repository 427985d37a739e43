import type { Clock } from './clock.ts';
import { generateRegistros } from './listado69b/generate.ts';
import { asOf, type Registro, situacionOf } from './listado69b/registro.ts';
import type { Settings } from './settings.ts';
import { parseWallTime, type WallTime } from './wall-time.ts';

/** A state of the list: its rows by RFC, the day of its cut, and when it was put where it is read. */
export type Edicion = { corte: WallTime; registros: readonly Registro[]; publicada: Date };

/** The list of article 69-B as the SAT knows and publishes it. */
export type Listado69B = {
  /** The list now: what the settings and the changes say. The same object until something changes. */
  vigente(): Edicion;
  /** The list at the old address, which nothing changes. */
  congelada(): Edicion;
  /** Rows that replace all of the same RFCs from now on; an RFC without rows is taken out. */
  replace(rows: ReadonlyMap<string, readonly Registro[]>): void;
  /** Forgets the replacements. */
  reset(): void;
  /** Whether a taxpayer stands as Presunto or Definitivo in some proceeding, masked or not. */
  isAdverse(rfc: string): boolean;
};

/** Day of the cut at the old address (antonio10024/Lista69B and others saw it stay there). */
const FROZEN = '2025-12-31';
/** The public list appeared 17 days after its cut in June 2026. */
const DELAY = 17;

/** Creates the list; its rows are made at the first use (14,500 in less than a second) and after a change. */
export function createListado69B(deps: {
  clock: Clock;
  settings: Pick<Settings, 'semilla' | 'filas_69b' | 'corte_69b'>;
  nombreDe(rfc: string): string;
}): Listado69B {
  const { settings, clock, nombreDe } = deps;
  let replaced = new Map<string, readonly Registro[]>();
  let replacedAt: Date | null = null;
  let version = 0;
  let all = { key: '', registros: [] as Registro[] };
  let current: { key: string; edicion: Edicion; adverse: ReadonlySet<string> } | null = null;

  const generated = (): Registro[] => {
    const { semilla, filas_69b: filas } = settings;
    const key = JSON.stringify([semilla, filas]);
    if (all.key !== key) all = { key, registros: generateRegistros({ semilla, filas, nombreDe }) };
    return all.registros;
  };

  const edition = (corte: string, replacements: ReadonlyMap<string, readonly Registro[]>): Edicion => {
    const until = parseWallTime(corte) ?? 0;
    const kept = generated().filter(({ rfc }) => !replacements.has(rfc));
    const registros = [...kept, ...[...replacements.values()].flat()]
      .map((registro) => asOf(registro, until))
      .filter((registro) => registro !== null)
      .sort((a, b) => (a.rfc < b.rfc ? -1 : a.rfc > b.rfc ? 1 : 0));
    const appeared = Date.parse(`${corte}T18:00:00-06:00`) + DELAY * 86_400_000;
    return { corte: until, registros, publicada: new Date(appeared) };
  };

  const state = () => {
    const { semilla, filas_69b, corte_69b } = settings;
    const key = JSON.stringify([semilla, filas_69b, corte_69b, version]);
    if (current?.key !== key) {
      const edicion = edition(corte_69b, replaced);
      if (replacedAt) edicion.publicada = replacedAt;
      const adverse = edicion.registros.filter((registro) => ADVERSE.has(situacionOf(registro)));
      current = { key, edicion, adverse: new Set(adverse.map(({ rfc }) => rfc)) };
    }
    return current;
  };

  return {
    vigente: () => state().edicion,
    congelada: () => edition(FROZEN, new Map()),
    replace: (rows) => {
      for (const [rfc, registros] of rows) replaced.set(rfc, registros);
      replacedAt = clock.now();
      version += 1;
    },
    reset: () => {
      replaced = new Map();
      replacedAt = null;
      version += 1;
    },
    isAdverse: (rfc) => state().adverse.has(rfc),
  };
}

const ADVERSE: ReadonlySet<string> = new Set(['Presunto', 'Definitivo']);

import type { Database, Resellables, Secreto } from '@acuse/db';
import { CredencialIlegible, type Keyring, type Opener, type Sealer } from '@acuse/vault';

/** Progress of resealing one kind of row. */
interface Avance {
  readonly que: string;
  readonly resellados: number;
  /** Rows that another process resealed meanwhile. */
  readonly cambiados: number;
  /** Rows that open under no key of the settings: they stay. */
  readonly ilegibles: number;
}

/** Keys of the workers: those that open, and those in force. */
export interface WorkerKeys {
  readonly opener: Opener;
  readonly sealer: Sealer;
  /** Names of the keys in force. */
  readonly current: string;
}

export interface ResealOptions {
  /** Rows a page. */
  readonly limit: number;
  /** Runs after every page. May throw to interrupt: finished rows stay, and a repeated run continues with the rest. */
  readonly onAvance: (avance: Avance) => void;
}

/** Rows of one kind that the rotation of secrets reseals. */
export interface Resealing<Keys = Keyring> {
  /** Secrets that seal the rows. */
  readonly secretos: readonly Secreto[];
  run(database: Pick<Database, 'pool'>, keys: Keys, options: ResealOptions): Promise<void>;
}

/** Defines rows to reseal; `que`: their Spanish name in the plural. `rewrap` returns null for bytes that do not open. */
export function resealing<Fila extends { readonly sobre: Buffer }, Keys extends { readonly current: string } = Keyring>(
  secretos: readonly Secreto[],
  que: string,
  rowsOf: (database: Pick<Database, 'pool'>) => Resellables<Fila>,
  rewrap: (fila: Fila, keys: Keys) => Buffer | null,
): Resealing<Keys> {
  return {
    secretos,
    async run(database, keys, { limit, onAvance }) {
      const rows = rowsOf(database);
      let avance: Avance = { que, resellados: 0, cambiados: 0, ilegibles: 0 };
      for (let cursor = ''; ; ) {
        const page = await rows.page(keys.current, cursor, limit);
        for (const fila of page) {
          const sobre = rewrap(fila, keys);
          const what =
            sobre === null
              ? 'ilegibles'
              : (await rows.replace(fila, { kid: keys.current, sobre }))
                ? 'resellados'
                : 'cambiados';
          avance = { ...avance, [what]: avance[what] + 1 };
        }
        onAvance(avance);
        if (page.length < limit) return;
        cursor = page.at(-1)?.cursor ?? '';
      }
    },
  };
}

/** Null for bytes that open under no key of the settings. */
export function unlessIllegible(reseal: () => Buffer | null): Buffer | null {
  try {
    return reseal();
  } catch (error) {
    if (error instanceof CredencialIlegible) return null;
    throw error;
  }
}

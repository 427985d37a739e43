import type { Database } from '../database.ts';
import { rowsOf } from '../statements.ts';

/** Settings with keys of several ids: rows are sealed, encrypted or hashed under each but MANIFEST_KEYS, which signs. */
export const SECRETOS = [
  'API_KEY_PEPPERS',
  'KEYRING',
  'WORKER_KEYS',
  'WORKER_PSKS',
  'SESSION_KEYS',
  'PANEL_SECRETS',
  'WEBHOOK_KEYS',
  'MANIFEST_KEYS',
] as const;
export type Secreto = (typeof SECRETOS)[number];

/** How many rows of one kind hang on one id of a secret. */
export interface Cuelga {
  readonly secreto: Secreto;
  readonly id: string;
  /** What the rows are, in Spanish and in the plural. */
  readonly que: string;
  readonly filas: number;
}

/** SQL: the kid of what a keyring wrapped. */
export const kidOf = (bytes: string) => `nombre_sellado(${bytes}, 0)`;
/** The same of bytes kept in base64. */
export const kidOfBase64 = (text: string) => kidOf(`decode(${text}, 'base64')`);

/** What hangs on each id of some secrets, every kind of row by itself; ids without rows are left out. */
export function cuelgan({ pool }: Pick<Database, 'pool'>, secretos: readonly Secreto[] = SECRETOS): Promise<Cuelga[]> {
  return rowsOf<Cuelga>(
    pool,
    `SELECT secreto, que, id, count(*)::int AS filas FROM secreto_en_uso
     WHERE secreto = ANY ($1::text[]) AND id ~ '^[A-Za-z0-9._-]{1,32}$' GROUP BY secreto, que, id
     ORDER BY array_position($1::text[], secreto), que, id`,
    [secretos],
  );
}

/** What a process does that lacks an id on which rows hang. */
export const SI_FALTAN = ['rechazar', 'avisar'] as const;

/**
 * Has a process look, as it starts, whether rows hang on an id that its settings no longer have: then it does not start
 * (`rechazar`), or says so and goes on. A database that does not answer is no reason not to start.
 */
export async function requireSecretos(
  database: Pick<Database, 'pool'>,
  configurados: Partial<Record<Secreto, readonly string[]>>,
  options: {
    readonly siFaltan: (typeof SI_FALTAN)[number];
    readonly log: {
      readonly warn: (fields: Readonly<Record<string, unknown>>, message: string) => void;
      readonly error: (fields: Readonly<Record<string, unknown>>, message: string) => void;
    };
  },
): Promise<void> {
  const secretos = SECRETOS.filter((secreto) => configurados[secreto] !== undefined);
  let found: readonly Cuelga[];
  try {
    found = await cuelgan(database, secretos);
  } catch (err) {
    options.log.warn({ err }, 'secret_ids_not_checked');
    return;
  }
  const faltan = found.filter(({ secreto, id }) => !configurados[secreto]?.includes(id));
  if (faltan.length === 0) return;
  for (const falta of faltan) options.log.error({ ...falta }, 'secret_id_missing');
  if (options.siFaltan === 'rechazar') throw new SecretoFaltante(faltan);
}

/** A process must not start: rows hang on ids that its settings lack. */
export class SecretoFaltante extends Error {
  constructor(faltan: readonly Cuelga[]) {
    const lineas = faltan.map(
      ({ secreto, id, que, filas }) => `${secreto}: falta el id ${id}, del que cuelgan ${filas} ${que}.`,
    );
    super(
      `${lineas.join(' ')} Vuelva a ponerlo; «acuse operador secretos estado» dice cuándo se puede quitar. Si se perdió, inicie con SECRETOS_FALTANTES=avisar: lo que colgaba de él tendrá que guardarse de nuevo.`,
    );
    this.name = 'SecretoFaltante';
  }
}

import type { Database } from '../database.ts';
import { rowsOf } from '../statements.ts';

/** The settings with keys of several ids that rows are sealed, encrypted or hashed under. */
export const SECRETOS = [
  'API_KEY_PEPPERS',
  'KEYRING',
  'WORKER_KEYS',
  'WORKER_PSKS',
  'SESSION_KEYS',
  'PANEL_SECRETS',
  'WEBHOOK_KEYS',
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

/**
 * The name that stands in sealed bytes at an offset, length first (packages/vault, keyring.ts and
 * sealed-credencial.ts).
 */
const nameAt = (bytes: string, at: string) =>
  `CASE WHEN length(${bytes}) > ${at} THEN encode(substring(${bytes} FROM ${at} + 2 FOR get_byte(${bytes}, ${at})), 'escape') END`;

/** The kid of what a keyring wrapped. */
export const kidOf = (bytes: string) => nameAt(bytes, '0');
/** The same of bytes kept in base64. */
export const kidOfBase64 = (text: string) => kidOf(`decode(${text}, 'base64')`);

const LUGARES: readonly (readonly [Secreto, string, id: string, from: string])[] = [
  ['API_KEY_PEPPERS', 'API keys activas', 'pepper_version::text', `api_key WHERE estado = 'ACTIVA'`],
  ['KEYRING', 'credenciales guardadas', 'kid', 'credencial'],
  [
    'KEYRING',
    'respuestas guardadas por su Idempotency-Key',
    nameAt('sobre', '1'),
    `idempotencia WHERE sobre IS NOT NULL AND creada_en > now() - interval '24 hours'`,
  ],
  ['WORKER_KEYS', 'copias selladas de solicitudes abiertas', 'kid', 'credencial_sellada'],
  [
    'WORKER_PSKS',
    'copias selladas de solicitudes abiertas',
    `CASE WHEN length(sobre) > 1 THEN ${nameAt('sobre', '(2 + get_byte(sobre, 1))')} END`,
    'credencial_sellada',
  ],
  ['SESSION_KEYS', 'sesiones con portales del SAT', kidOf('cookies'), 'sesion_portal'],
  ['SESSION_KEYS', 'pruebas de sesiones con portales del SAT', kidOfBase64('huella'), 'sesion_portal'],
  ['SESSION_KEYS', 'rechazos del SAT recordados', kidOfBase64('huella'), 'rechazo_acceso'],
  ['PANEL_SECRETS', 'segundos factores', kidOf('secreto'), 'segundo_factor'],
  ['PANEL_SECRETS', 'contraseñas del panel', 'password_kid', 'usuario'],
  ['WEBHOOK_KEYS', 'secretos de webhooks', kidOf('sobre'), 'webhook_secreto'],
];

/** What hangs on each id of some secrets, every kind of row by itself; ids without rows are left out. */
export async function cuelgan(
  { pool }: Pick<Database, 'pool'>,
  secretos: readonly Secreto[] = SECRETOS,
): Promise<Cuelga[]> {
  const found: Cuelga[] = [];
  for (const [secreto, que, id, from] of LUGARES) {
    if (!secretos.includes(secreto)) continue;
    const rows = await rowsOf<{ id: string; filas: number }>(
      pool,
      `SELECT id, count(*)::int AS filas FROM (SELECT ${id} AS id FROM ${from}) AS fila
       WHERE id ~ '^[A-Za-z0-9._-]{1,32}$' GROUP BY id ORDER BY id`,
    );
    found.push(...rows.map((row) => ({ secreto, que, ...row })));
  }
  return found;
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

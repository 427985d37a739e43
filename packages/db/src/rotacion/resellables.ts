import type { ClaveSesion, TipoGuardada } from '@acuse/core';
import type { Database } from '../database.ts';
import { isOne, rowsOf } from '../statements.ts';
import { kidOf, kidOfBase64 } from './cuelgan.ts';

/**
 * Rows of one kind that are sealed under another key than the current one, page by page, and the way to put other bytes
 * in their place.
 */
export interface Resellables<Fila> {
  /** Up to `limit` rows after `cursor` (empty: the first) that are not under `kid`. */
  page(kid: string, cursor: string, limit: number): Promise<readonly (Fila & { readonly cursor: string })[]>;
  /**
   * Replaces the bytes of `fila`. False when they changed meanwhile, which seals them under the new key too, or when
   * the row is gone.
   */
  replace(fila: Fila, nuevo: { readonly kid: string; readonly sobre: Buffer }): Promise<boolean>;
}

/** A stored credential with what its bytes are bound to. */
export interface CredencialResellable {
  readonly id: string;
  readonly cuentaId: string;
  readonly rfc: string;
  readonly tipo: TipoGuardada;
  readonly apiKeyId: string;
  readonly expiraEn: Date | null;
  readonly sobre: Buffer;
}

/** A sealed field of a row: cookies of a session, a proof, the secret of a second factor. */
export interface CampoSellado<Clave> {
  readonly clave: Clave;
  /** Place of this version of the row (ctid), valid until the row changes. */
  readonly lugar: string;
  readonly sobre: Buffer;
}

/** Locks the taxpayer first, as the storing of a credential does. */
const REPLACE_CREDENCIAL = `
WITH dueno AS MATERIALIZED (
  SELECT t.id FROM contribuyente t JOIN credencial c ON c.contribuyente_id = t.id WHERE c.id = $1 FOR NO KEY UPDATE OF t
)
UPDATE credencial c SET kid = $3, sobre = $4 FROM dueno WHERE c.id = $1 AND c.contribuyente_id = dueno.id AND c.sobre = $2`;

/** Sealed column of bytes, or of base64, of a table whose rows `cursor` orders. `clave`: SQL of its context as JSON. */
export function sealedColumn<Clave extends object>(input: {
  readonly pool: Database['pool'];
  readonly tabla: string;
  readonly columna: string;
  readonly base64?: boolean;
  readonly cursor: string;
  readonly clave: string;
}): Resellables<CampoSellado<Clave>> {
  const { pool, tabla, columna, base64 = false, cursor, clave } = input;
  const kid = base64 ? kidOfBase64(columna) : kidOf(columna);
  const toColumn = (bytes: Buffer) => (base64 ? bytes.toString('base64') : bytes);
  return {
    page: (current, after, limit) =>
      rowsOf<CampoSellado<Clave> & { cursor: string }>(
        pool,
        `SELECT * FROM (SELECT ${cursor} AS cursor, ctid::text AS lugar, ${clave} AS clave, ${base64 ? `decode(${columna}, 'base64')` : columna} AS sobre, ${kid} AS kid FROM ${tabla}) AS fila
         WHERE kid <> $1 AND cursor > $2 ORDER BY cursor LIMIT $3`,
        [current, after, limit],
      ),
    replace: (fila, { sobre }) =>
      isOne(pool, `UPDATE ${tabla} SET ${columna} = $3 WHERE ctid = $1::tid AND ${columna} = $2`, [
        fila.lugar,
        toColumn(fila.sobre),
        toColumn(sobre),
      ]),
  };
}

/** Rows of the core that rotate without an API key: outer layers, sessions with portals, proofs, second factors. */
export function createResellables({ pool }: Pick<Database, 'pool'>) {
  const credenciales: Resellables<CredencialResellable> = {
    page: (kid, cursor, limit) =>
      rowsOf<CredencialResellable & { cursor: string }>(
        pool,
        `SELECT c.id, c.id::text AS cursor, c.tipo, c.api_key_id AS "apiKeyId", c.expira_en AS "expiraEn", c.sobre,
                t.cuenta_id AS "cuentaId", t.rfc
         FROM credencial c JOIN contribuyente t ON t.id = c.contribuyente_id
         WHERE c.kid <> $1 AND c.id > coalesce(nullif($2, '')::uuid, '00000000-0000-0000-0000-000000000000') ORDER BY c.id LIMIT $3`,
        [kid, cursor, limit],
      ),
    replace: (fila, { kid, sobre }) => isOne(pool, REPLACE_CREDENCIAL, [fila.id, fila.sobre, kid, sobre]),
  };

  const clave = `jsonb_build_object('id', id, 'portal', portal, 'rfc', rfc, 'tipo', tipo, 'sal', sal)`;
  const sesion = { pool, tabla: 'sesion_portal', cursor: 'id::text', clave };
  type Prueba = Pick<ClaveSesion, 'rfc' | 'tipo'> & { readonly sal: string };
  return {
    credenciales,
    cookies: sealedColumn<ClaveSesion & { readonly id: string }>({ ...sesion, columna: 'cookies' }),
    pruebas: sealedColumn<Prueba>({ ...sesion, columna: 'huella', base64: true }),
    rechazos: sealedColumn<Prueba>({
      pool,
      tabla: 'rechazo_acceso',
      columna: 'huella',
      base64: true,
      cursor: `rfc || ' ' || tipo || ' ' || huella`,
      clave: `jsonb_build_object('rfc', rfc, 'tipo', tipo, 'sal', sal)`,
    }),
    segundosFactores: sealedColumn<{ readonly usuarioId: string }>({
      pool,
      tabla: 'segundo_factor',
      columna: 'secreto',
      cursor: 'usuario_id::text',
      clave: `jsonb_build_object('usuarioId', usuario_id)`,
    }),
  };
}

/** Who has to come for an id to be let go: API keys that were not used since, users who did not log in. */
export interface Pendiente {
  readonly secreto: 'API_KEY_PEPPERS' | 'PANEL_SECRETS';
  readonly id: string;
  /** Of the account. */
  readonly email: string;
  readonly rfc?: string;
  readonly apiKeyId?: string;
  readonly ultimoUsoEn: Date | null;
}

/**
 * Active API keys under another pepper than `pepper`, and users with a password under another secret than `panel`; none
 * for an absent argument.
 */
export async function pendientes(
  { pool }: Pick<Database, 'pool'>,
  {
    pepper,
    panel,
    limit,
  }: { readonly pepper: string | undefined; readonly panel: string | undefined; readonly limit: number },
): Promise<Pendiente[]> {
  return rowsOf<Pendiente>(
    pool,
    `(SELECT 'API_KEY_PEPPERS' AS secreto, k.pepper_version::text AS id, q.email, c.rfc, k.id AS "apiKeyId", u.ultimo_uso_en AS "ultimoUsoEn"
      FROM api_key k JOIN contribuyente c ON c.id = k.contribuyente_id JOIN cuenta q ON q.id = c.cuenta_id
      LEFT JOIN api_key_uso u ON u.api_key_id = k.id
      WHERE k.estado = 'ACTIVA' AND k.pepper_version::text <> $1 ORDER BY u.ultimo_uso_en DESC NULLS LAST LIMIT $3)
     UNION ALL
     (SELECT 'PANEL_SECRETS', password_kid, email, NULL, NULL, NULL FROM usuario WHERE password_kid <> $2 ORDER BY email LIMIT $3)`,
    [pepper ?? null, panel ?? null, limit],
  );
}

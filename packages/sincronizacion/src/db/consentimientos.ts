import { type Database, isOne, nota, type Resellables, rowsOf } from '@acuse/db';

/** The copy of a CIEC that the workers open for a subscription, with what its bytes are bound to. */
interface ConsentimientoResellable {
  readonly sincronizacionId: string;
  readonly cuentaId: string;
  readonly rfc: string;
  readonly expiraEn: Date;
  readonly sobre: Buffer;
}

/** SQL: the names of both keys that a copy for the workers is sealed under, in one text. */
const llavesOf = (sobre: string) =>
  `nombre_sellado(${sobre}, 1) || ' ' || nombre_sellado(${sobre}, 2 + get_byte(${sobre}, 1))`;

/** Purpose, author and end of the consent stay; each change has its own line of the audit log. */
const REPLACE_CONSENTIMIENTO = `
WITH cambio AS (
  UPDATE consentimiento k SET kid = nombre_sellado($3::bytea, 1), sobre = $3 FROM sincronizacion s
  WHERE k.sincronizacion_id = $1 AND k.sobre = $2 AND s.id = k.sincronizacion_id RETURNING s.cuenta_id, s.contribuyente_id
), hecho AS (
  ${nota({
    accion: 'resellar-consentimiento',
    de: 'cambio',
    contribuyente: 'contribuyente_id',
    detalle: `jsonb_build_object('llaves', ${llavesOf('$3::bytea')})`,
    actor: `'operador:cli'`,
    ip: 'NULL',
  })}
) SELECT FROM cambio`;

/** Consents, for the rotation of the keys of the workers. */
export const createConsentimientosResellables = ({ pool }: Pick<Database, 'pool'>) => ({
  /** `kid`: the names of the worker key and of the PSK in force, with a space between them. */
  consentimientos: {
    page: (llaves, cursor, limit) =>
      rowsOf<ConsentimientoResellable & { cursor: string }>(
        pool,
        `SELECT k.sincronizacion_id AS "sincronizacionId", k.sincronizacion_id::text AS cursor, s.cuenta_id AS "cuentaId", s.rfc,
                k.expira_en AS "expiraEn", k.sobre
         FROM consentimiento k JOIN sincronizacion s ON s.id = k.sincronizacion_id
         WHERE length(k.sobre) > 1 AND ${llavesOf('k.sobre')} IS DISTINCT FROM $1
           AND k.sincronizacion_id > coalesce(nullif($2, '')::uuid, '00000000-0000-0000-0000-000000000000')
         ORDER BY k.sincronizacion_id LIMIT $3`,
        [llaves, cursor, limit],
      ),
    replace: (fila, { sobre }) => isOne(pool, REPLACE_CONSENTIMIENTO, [fila.sincronizacionId, fila.sobre, sobre]),
  } satisfies Resellables<ConsentimientoResellable>,
});

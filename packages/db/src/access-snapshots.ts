import type { AccessSnapshot, Advertencia, CredencialGuardada, TipoGuardada } from '@acuse/core';
import type { Database } from './database.ts';
import { execute, rowOf } from './statements.ts';

const CREDENCIAL = (alias: string, shred = 'NULL::bytea') =>
  `${alias}.id IS NOT NULL AS ${alias}_existe,
   ${alias}.id AS ${alias}_id, ${alias}.kid AS ${alias}_kid, ${alias}.sobre AS ${alias}_sobre, ${shred} AS ${alias}_shred,
   ${alias}.no_serie AS ${alias}_no_serie, ${alias}.titular AS ${alias}_titular, ${alias}.vigente_hasta AS ${alias}_vigente_hasta,
   ${alias}.advertencias AS ${alias}_advertencias, ${alias}.expira_en AS ${alias}_expira_en,
   ${alias}.rechazada_soap_en AS ${alias}_soap, ${alias}.rechazada_portal_en AS ${alias}_portal`;

/** SQL: the credential of one kind that the key `k` of the taxpayer `c` opens. */
export const joinCredencial = (alias: string, tipo: TipoGuardada) =>
  `LEFT JOIN credencial ${alias} ON ${alias}.contribuyente_id = c.id AND ${alias}.tipo = '${tipo}'
     AND ${alias}.api_key_id = k.id AND (${alias}.expira_en IS NULL OR ${alias}.expira_en > now())`;

const LOAD = `
SELECT k.id, k.hash, k.pepper_version AS "pepperVersion", k.estado, k.modo, k.registrada_en IS NOT NULL AS "isRegistrada",
       c.id AS "contribuyenteId", c.cuenta_id AS "cuentaId", c.rfc, c.id_cif AS "idCif", c.version, q.saldo,
       q.suspendida_en IS NOT NULL AS "isSuspendida",
       ARRAY(SELECT operacion FROM operacion_deshabilitada WHERE contribuyente_id = c.id) AS deshabilitadas,
       ARRAY(SELECT cidr FROM ip_permitida WHERE contribuyente_id = c.id) AS ips,
       ${CREDENCIAL('ciec')}, ${CREDENCIAL('cer')}, ${CREDENCIAL('llave', 's.llave')}
FROM api_key k
JOIN contribuyente c ON c.id = k.contribuyente_id
JOIN cuenta q ON q.id = c.cuenta_id
${joinCredencial('ciec', 'ciec')}
${joinCredencial('cer', 'efirma_cer')}
${joinCredencial('llave', 'efirma_key')}
LEFT JOIN efirma_shred s ON s.credencial_id = llave.id AND s.expira_en > now()
WHERE k.id = $1`;

type Row = AccessSnapshot['apiKey'] &
  Omit<AccessSnapshot, 'apiKey' | 'version' | 'ciec' | 'efirmaCer' | 'efirmaKey'> & {
    readonly version: string;
    readonly [column: string]: unknown;
  };

function guardada(row: Row, alias: string): CredencialGuardada | null {
  if (row[`${alias}_existe`] !== true) return null;
  // The columns of one alias have the types of CREDENCIAL's select list.
  const column = <T>(name: string) => row[`${alias}_${name}`] as T;
  return {
    id: column<string>('id'),
    apiKeyId: row.id,
    kid: column<string>('kid'),
    sobre: column<Buffer>('sobre'),
    shred: column<Buffer | null>('shred'),
    noSerie: column<string | null>('no_serie'),
    titular: column<string | null>('titular'),
    vigenteHasta: column<Date | null>('vigente_hasta'),
    advertencias: column<readonly Advertencia[]>('advertencias'),
    expiraEn: column<Date | null>('expira_en'),
    rechazadaEn: { soap: column<Date | null>('soap'), portal: column<Date | null>('portal') },
  };
}

const NOTE_USE = `
INSERT INTO api_key_uso (api_key_id, ultimo_uso_en, ultima_ip)
SELECT u.id, u.at, u.ip FROM unnest($1::text[], $2::timestamptz[], $3::text[]) AS u (id, at, ip)
WHERE EXISTS (SELECT FROM api_key k WHERE k.id = u.id)
ON CONFLICT (api_key_id) DO UPDATE SET ultimo_uso_en = excluded.ultimo_uso_en, ultima_ip = excluded.ultima_ip
WHERE api_key_uso.ultimo_uso_en < excluded.ultimo_uso_en`;

/** Locks the taxpayer first, as a change of its keys does. */
const REHASH = `
WITH dueno AS MATERIALIZED (
  SELECT c.id FROM contribuyente c JOIN api_key k ON k.contribuyente_id = c.id WHERE k.id = $1 FOR NO KEY UPDATE OF c
)
UPDATE api_key k SET hash = $3, pepper_version = $4 FROM dueno WHERE k.id = $1 AND k.contribuyente_id = dueno.id AND k.hash = $2`;

/** Reads passes, over PostgreSQL. Throws when the database does not answer. */
export function createAccessSnapshots({ pool }: Pick<Database, 'pool'>) {
  return {
    async load(apiKeyId: string): Promise<AccessSnapshot | null> {
      const row = await rowOf<Row>(pool, LOAD, [apiKeyId]);
      if (!row) return null;
      const { id, hash, pepperVersion, estado, modo, isRegistrada } = row;
      const { cuentaId, contribuyenteId, rfc, idCif, version, saldo, isSuspendida, deshabilitadas, ips } = row;
      return {
        apiKey: { id, hash, pepperVersion, estado, modo, isRegistrada },
        cuentaId,
        contribuyenteId,
        rfc,
        idCif,
        saldo,
        isSuspendida,
        deshabilitadas,
        ips,
        version: BigInt(version),
        ciec: guardada(row, 'ciec'),
        efirmaCer: guardada(row, 'cer'),
        efirmaKey: guardada(row, 'llave'),
      };
    },

    /** Notes last uses; called in batches, off the request path. */
    async noteUse(usos: readonly { apiKeyId: string; at: Date; ip: string }[]): Promise<void> {
      if (usos.length === 0) return;
      // One row a key: ON CONFLICT cannot touch the same row twice.
      const latest = new Map(usos.map((uso) => [uso.apiKeyId, uso]));
      const list = [...latest.values()];
      await execute(pool, NOTE_USE, [list.map((u) => u.apiKeyId), list.map((u) => u.at), list.map((u) => u.ip)]);
    },

    /**
     * Keeps another hash of the same key in place of `antes`; nothing happens if it was replaced meanwhile. Called off
     * the request path.
     */
    async rehash(
      apiKeyId: string,
      antes: Uint8Array,
      { hash, pepperVersion }: { readonly hash: Uint8Array; readonly pepperVersion: number },
    ): Promise<void> {
      await execute(pool, REHASH, [apiKeyId, antes, hash, pepperVersion]);
    },
  };
}

export type AccessSnapshots = ReturnType<typeof createAccessSnapshots>;

import type { AccessSnapshot, AccessSnapshots, CredencialGuardada, TipoGuardada } from '@acuse/core';
import type { Database } from './database.ts';
import { execute, rowOf } from './statements.ts';

const CREDENCIAL = (alias: string, shred = 'NULL::bytea') =>
  `${alias}.id IS NOT NULL AS ${alias}_existe,
   ${alias}.id AS ${alias}_id, ${alias}.kid AS ${alias}_kid, ${alias}.sobre AS ${alias}_sobre, ${shred} AS ${alias}_shred,
   ${alias}.no_serie AS ${alias}_no_serie, ${alias}.titular AS ${alias}_titular, ${alias}.vigente_hasta AS ${alias}_vigente_hasta,
   ${alias}.expira_en AS ${alias}_expira_en,
   ${alias}.rechazada_soap_en AS ${alias}_soap, ${alias}.rechazada_portal_en AS ${alias}_portal`;

/** SQL: the credential of one kind that the key `k` of the taxpayer `c` opens. */
export const joinCredencial = (alias: string, tipo: TipoGuardada) =>
  `LEFT JOIN credencial ${alias} ON ${alias}.contribuyente_id = c.id AND ${alias}.tipo = '${tipo}'
     AND ${alias}.api_key_id = k.id AND (${alias}.expira_en IS NULL OR ${alias}.expira_en > now())`;

const LOAD = `
SELECT k.id, k.hash, k.pepper_version, k.estado, k.modo, k.registrada_en IS NOT NULL AS registrada,
       c.id AS contribuyente_id, c.cuenta_id, c.rfc, c.id_cif, c.version, q.saldo, q.suspendida_en IS NOT NULL AS suspendida,
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

interface Row {
  id: string;
  hash: Buffer;
  pepper_version: number;
  estado: AccessSnapshot['apiKey']['estado'];
  modo: AccessSnapshot['apiKey']['modo'];
  registrada: boolean;
  contribuyente_id: string;
  cuenta_id: string;
  rfc: string;
  id_cif: string | null;
  version: string;
  saldo: number;
  suspendida: boolean;
  deshabilitadas: string[];
  ips: string[];
  [column: string]: unknown;
}

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

/** The taxpayer is locked first, as by whoever changes its keys. */
const REHASH = `
WITH dueno AS MATERIALIZED (
  SELECT c.id FROM contribuyente c JOIN api_key k ON k.contribuyente_id = c.id WHERE k.id = $1 FOR NO KEY UPDATE OF c
)
UPDATE api_key k SET hash = $3, pepper_version = $4 FROM dueno WHERE k.id = $1 AND k.contribuyente_id = dueno.id AND k.hash = $2`;

/** The gate over PostgreSQL. */
export function createAccessSnapshots({ pool }: Pick<Database, 'pool'>): AccessSnapshots {
  return {
    async load(apiKeyId) {
      const row = await rowOf<Row>(pool, LOAD, [apiKeyId]);
      if (!row) return null;
      return {
        apiKey: {
          id: row.id,
          hash: row.hash,
          pepperVersion: row.pepper_version,
          estado: row.estado,
          modo: row.modo,
          isRegistrada: row.registrada,
        },
        cuentaId: row.cuenta_id,
        contribuyenteId: row.contribuyente_id,
        rfc: row.rfc,
        idCif: row.id_cif,
        version: BigInt(row.version),
        saldo: row.saldo,
        isSuspendida: row.suspendida,
        deshabilitadas: row.deshabilitadas,
        ips: row.ips,
        ciec: guardada(row, 'ciec'),
        efirmaCer: guardada(row, 'cer'),
        efirmaKey: guardada(row, 'llave'),
      };
    },

    async noteUse(usos) {
      if (usos.length === 0) return;
      // One row a key: ON CONFLICT cannot touch the same row twice.
      const latest = new Map(usos.map((uso) => [uso.apiKeyId, uso]));
      const list = [...latest.values()];
      await execute(pool, NOTE_USE, [list.map((u) => u.apiKeyId), list.map((u) => u.at), list.map((u) => u.ip)]);
    },

    async rehash(apiKeyId, antes, { hash, pepperVersion }) {
      await execute(pool, REHASH, [apiKeyId, antes, hash, pepperVersion]);
    },
  };
}

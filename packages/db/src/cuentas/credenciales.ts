import type { Boveda } from '@acuse/core';
import type { Database } from '../database.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { againAfterDeadlock } from '../transaction.ts';
import { nota } from './auditoria.ts';

/**
 * Locks the taxpayer first, as changes of its keys do, so that neither waits for the other; every change below moves
 * the version.
 */
const DUENO = `dueno AS MATERIALIZED (SELECT id, cuenta_id FROM contribuyente WHERE id = $2 FOR NO KEY UPDATE)`;

const REGISTER = `
WITH ${DUENO}, llave AS (
  UPDATE api_key k SET registrada_en = now() FROM dueno
  WHERE k.id = $1 AND k.contribuyente_id = dueno.id AND k.estado = 'ACTIVA' AND k.registrada_en IS NULL RETURNING k.id
), cif AS (
  -- After the lock: a row that this statement has changed already could not be locked by it, and the key would stay without its RFC.
  UPDATE contribuyente c SET id_cif = $3 FROM dueno WHERE c.id = dueno.id AND $3::text IS NOT NULL
)
${nota({ accion: 'rfc-registrar', de: 'dueno', contribuyente: 'id', actor: `coalesce($5, 'api_key:' || $1)`, ip: '$4' })}`;

const NAME = `
WITH cambio AS (UPDATE contribuyente SET nombre = $3 WHERE id = $2 AND nombre IS NULL RETURNING id, cuenta_id)
${nota({
  accion: 'nombrar-rfc',
  de: 'cambio',
  contribuyente: 'id',
  detalle: `jsonb_build_object('nombre', $3::text)`,
  actor: `'api_key:' || $1`,
  ip: '$4',
})}`;

const STORE = `
WITH ${DUENO}, llave AS (
  SELECT k.id, dueno.cuenta_id FROM dueno JOIN api_key k ON k.contribuyente_id = dueno.id
  WHERE k.id = $3 AND k.estado = 'ACTIVA' FOR SHARE OF k
), antes AS (
  SELECT id, no_serie FROM credencial WHERE contribuyente_id = $2 AND tipo = $4
), vieja AS (
  -- A new certificate leaves the key of the old one without its pair.
  DELETE FROM credencial WHERE contribuyente_id = $2 AND tipo = 'efirma_key' AND $4 = 'efirma_cer' AND EXISTS (SELECT FROM llave)
    AND EXISTS (SELECT FROM antes WHERE antes.no_serie IS DISTINCT FROM $8)
), trozo AS (
  DELETE FROM efirma_shred WHERE credencial_id IN (SELECT id FROM antes)
), guardada AS (
  INSERT INTO credencial (id, contribuyente_id, api_key_id, tipo, kid, sobre, no_serie, titular, vigente_hasta, expira_en, advertencias)
  SELECT $1, $2, $3, $4, $5, $6, $8, $9, $10, $11, $15 FROM llave
  ON CONFLICT (contribuyente_id, tipo) DO UPDATE SET id = excluded.id, api_key_id = excluded.api_key_id, kid = excluded.kid,
    sobre = excluded.sobre, no_serie = excluded.no_serie, titular = excluded.titular, vigente_hasta = excluded.vigente_hasta,
    expira_en = excluded.expira_en, advertencias = excluded.advertencias, rechazada_soap_en = NULL, rechazada_portal_en = NULL, creada_en = now()
  RETURNING id
), shred AS (
  INSERT INTO efirma_shred (credencial_id, llave, expira_en) SELECT $1, $7::bytea, $11 FROM guardada WHERE $7::bytea IS NOT NULL
), nota AS (${nota({
  accion: '$14::text',
  de: 'llave',
  contribuyente: '$2::uuid',
  detalle: `jsonb_build_object('no_serie', $8::text)`,
  actor: `coalesce($13, 'api_key:' || $3)`,
  ip: '$12',
})})
SELECT id FROM guardada`;

const WAITING = `SELECT id AS "solicitudId", deadline_at AS "deadlineAt" FROM solicitud
  WHERE contribuyente_id = $1 AND 'soap' IN (canal, canal_dejado) AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')
    AND modo = (SELECT k.modo FROM api_key k WHERE k.contribuyente_id = $1 AND k.estado = 'ACTIVA') ORDER BY id`;

const RESUME = `
WITH antes AS MATERIALIZED (
  SELECT id, estado = 'ESPERA_EFIRMA' AS esperaba FROM solicitud WHERE id = $1 AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') FOR NO KEY UPDATE
), abierta AS (
  UPDATE solicitud s SET
    gen = s.gen + CASE WHEN esperaba THEN 1 ELSE 0 END,
    due_at = CASE WHEN esperaba THEN now() ELSE s.due_at END,
    motivo = NULL, estado = 'EN_PROCESO'
  FROM antes WHERE s.id = antes.id RETURNING s.id, s.gen, s.fase, s.due_at, s.cuenta_id, esperaba
), sellada AS (
  INSERT INTO credencial_sellada (solicitud_id, tipo, kid, sobre, expira_en) SELECT id, 'efirma', $2, $3, $4 FROM abierta
  -- Not from \`excluded\`, which only those may read who may read the row.
  ON CONFLICT (solicitud_id, tipo) DO UPDATE SET kid = $2, sobre = $3, expira_en = $4
), salida AS (
  INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
  SELECT id, gen, CASE fase WHEN 'ENSAMBLE' THEN 'ensambles' ELSE 'descargas' END, cuenta_id, due_at FROM abierta
  ON CONFLICT (solicitud_id) DO NOTHING
), nota AS (
  INSERT INTO evento (solicitud_id, tipo) SELECT id, 'REANUDADA' FROM abierta WHERE esperaba
)
SELECT id FROM abierta`;

const REFUSE = `
WITH ${DUENO}
UPDATE credencial c SET rechazada_portal_en = CASE $3 WHEN 'portal' THEN now() ELSE c.rechazada_portal_en END,
  rechazada_soap_en = CASE $3 WHEN 'soap' THEN now() ELSE c.rechazada_soap_en END FROM dueno
WHERE c.id = $1 AND c.contribuyente_id = dueno.id AND CASE $3 WHEN 'portal' THEN c.rechazada_portal_en ELSE c.rechazada_soap_en END IS NULL`;

const REAP = `
WITH llaves AS (DELETE FROM credencial WHERE expira_en <= now() RETURNING id),
trozos AS (DELETE FROM efirma_shred WHERE expira_en <= now() RETURNING credencial_id),
selladas AS (DELETE FROM credencial_sellada WHERE expira_en <= now() RETURNING solicitud_id),
capsulas AS (DELETE FROM capsula WHERE expira_en <= now() RETURNING solicitud_id)
SELECT (SELECT count(*) FROM llaves) + (SELECT count(*) FROM trozos) + (SELECT count(*) FROM selladas) + (SELECT count(*) FROM capsulas) AS n`;

/** The vault's rows over PostgreSQL. Only ciphertext passes here. */
export function createBoveda({ pool }: Pick<Database, 'pool'>): Boveda {
  return {
    async register({ apiKeyId, contribuyenteId, idCif, ip, actor }) {
      await execute(pool, REGISTER, [apiKeyId, contribuyenteId, idCif ?? null, ip, actor ?? null]);
    },

    async nameContribuyente({ apiKeyId, contribuyenteId, nombre, ip }) {
      await execute(pool, NAME, [apiKeyId, contribuyenteId, nombre, ip]);
    },

    async store(nueva, ip) {
      const values = [
        ...[nueva.id, nueva.contribuyenteId, nueva.apiKeyId, nueva.tipo, nueva.kid, nueva.sobre, nueva.shred ?? null],
        ...[nueva.noSerie ?? null, nueva.titular ?? null, nueva.vigenteHasta ?? null, nueva.expiraEn ?? null],
        ...[ip, nueva.actor ?? null, `guardar-${nueva.tipo}`, nueva.advertencias ?? []],
      ];
      // A new CIEC ends readings under way by the consent for the one before.
      return againAfterDeadlock(() => isOne(pool, STORE, values));
    },

    async waitingForEfirma(contribuyenteId) {
      return rowsOf<{ solicitudId: string; deadlineAt: Date }>(pool, WAITING, [contribuyenteId]);
    },

    async resume({ solicitudId, kid, sobre, expiraEn }) {
      return isOne(pool, RESUME, [solicitudId, kid, sobre, expiraEn]);
    },

    async refuse(contribuyenteId, credencialId, canal) {
      await execute(pool, REFUSE, [credencialId, contribuyenteId, canal]);
    },

    async reap() {
      const row = await rowOf<{ n: string }>(pool, REAP);
      return Number(row?.n ?? 0);
    },

    async now() {
      const row = await rowOf<{ now: Date }>(pool, 'SELECT now()');
      if (!row) throw new Error('the database told no time');
      return row.now;
    },
  };
}

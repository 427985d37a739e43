import {
  type ClaimedSolicitud,
  type Claims,
  type CredencialSellada,
  Desplazado,
  type Parte,
  type TipoCredencial,
} from '@acuse/core';
import type pg from 'pg';
import type { Database } from '../database.ts';
import { type Connection, execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import { writeAvance } from './avance.ts';
import { devolucion, endWithoutPaquete } from './end.ts';

/** Whether the SAT has refused, at this channel, the stored credential that this solicitud was accepted with. */
const rechazada = (tipo: 'ciec' | 'efirma_cer', column: 'rechazada_portal_en' | 'rechazada_soap_en') =>
  `EXISTS (SELECT FROM credencial c WHERE c.contribuyente_id = t.contribuyente_id AND c.api_key_id = t.api_key_id
    AND c.tipo = '${tipo}' AND c.creada_en <= t.creada_en AND c.${column} IS NOT NULL)`;

/** A claimed solicitud and its sealed credentials, those of its own channel and of the other one. */
const CLAIMED = `
SELECT t.id, t.cuenta_id AS "cuentaId", t.contribuyente_id AS "contribuyenteId", t.rfc, t.tipo, t.desde::text, t.hasta::text, t.canal,
       t.canal_dejado AS "canalDejado", t.fase, t.epoch, t.creada_en AS "creadaEn", t.deadline_at AS "deadlineAt", now(), ${rechazada('ciec', 'rechazada_portal_en')} AS ciec_rechazada, ${rechazada('efirma_cer', 'rechazada_soap_en')} AS efirma_rechazada,
       ciec.kid AS ciec_kid, ciec.sobre AS ciec_sobre, ciec.expira_en AS ciec_expira_en,
       efirma.kid AS efirma_kid, efirma.sobre AS efirma_sobre, efirma.expira_en AS efirma_expira_en`;
const SELLADAS = `
LEFT JOIN credencial_sellada ciec ON ciec.solicitud_id = t.id AND ciec.tipo = 'ciec' AND ciec.expira_en > now()
LEFT JOIN credencial_sellada efirma ON efirma.solicitud_id = t.id AND efirma.tipo = 'efirma' AND efirma.expira_en > now()`;

type ClaimedRow = Omit<ClaimedSolicitud, 'isCredencialRechazada' | 'sellada' | 'otra' | 'partes'> &
  Record<`${TipoCredencial}_rechazada`, boolean> &
  Record<`${TipoCredencial}_kid`, string | null> &
  Record<`${TipoCredencial}_sobre`, Buffer | null> &
  Record<`${TipoCredencial}_expira_en`, Date | null>;

const PARTES = `
SELECT p.id, json_build_object('inicio', p.inicio, 'fin', p.fin) AS periodo, p.estado, coalesce(p.canal, $2) AS canal, p.vacias, p.folio, p.desfase,
       p.envios, p.reenvios, p.consultas, p.fallos, p.accesos, p.due_at AS "dueAt",
       coalesce((SELECT json_agg(json_build_object('paquete', q.paquete, 'orden', q.orden, 'objectKey', q.object_key,
                                                   'relecturas', q.relecturas) ORDER BY q.orden)
                 FROM paquete_sat q WHERE q.parte_id = p.id), '[]') AS paquetes
FROM parte p WHERE p.solicitud_id = $1 ORDER BY p.inicio`;

function selladaOf(row: ClaimedRow, tipo: TipoCredencial): CredencialSellada | null {
  const [kid, sobre, expiraEn] = [row[`${tipo}_kid`], row[`${tipo}_sobre`], row[`${tipo}_expira_en`]];
  return kid && sobre && expiraEn ? { tipo, kid, sobre, expiraEn } : null;
}

/** The claimed solicitud with its parts in order of period. */
async function claimedOf(connection: Connection, row: ClaimedRow): Promise<ClaimedSolicitud> {
  const { id, cuentaId, contribuyenteId, rfc, tipo, desde, hasta, canal, canalDejado, fase, epoch } = row;
  const [own, other] = canal === 'portal' ? (['ciec', 'efirma'] as const) : (['efirma', 'ciec'] as const);
  return {
    ...{ id, cuentaId, contribuyenteId, rfc, tipo, desde, hasta, canal, canalDejado, fase, epoch },
    creadaEn: row.creadaEn,
    deadlineAt: row.deadlineAt,
    now: row.now,
    isCredencialRechazada: row[`${own}_rechazada`],
    sellada: selladaOf(row, own),
    otra: row[`${other}_rechazada`] ? null : selladaOf(row, other),
    partes: await rowsOf<Parte>(connection, PARTES, [id, canal]),
  };
}

const CLAIM = `
WITH tomada AS (
  UPDATE solicitud SET epoch = epoch + 1, lease_until = now() + make_interval(secs => $4)
  WHERE id = $1 AND gen = $2 AND fase = CASE $3 WHEN 'ensambles' THEN 'ENSAMBLE' ELSE 'DESCARGA' END AND estado = 'EN_PROCESO'
    AND (lease_until IS NULL OR lease_until < now())
  RETURNING *
)${CLAIMED} FROM tomada t ${SELLADAS}`;

const HELD = `${CLAIMED} FROM solicitud t ${SELLADAS} WHERE t.id = $1 AND t.epoch = $2 AND t.estado = 'EN_PROCESO'`;

const FENCE = `UPDATE solicitud SET intentos = intentos + $3::int,
  ultima_consulta_en = CASE WHEN $3::int > 0 THEN now() ELSE ultima_consulta_en END
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO'`;

/** Ends the epoch as well: who does not hear that its claim was given back must not give it back once more. */
const RELEASE = `
WITH suelta AS (
  UPDATE solicitud SET lease_until = NULL, epoch = epoch + 1, gen = gen + 1, due_at = now() + make_interval(secs => $5),
    fase = CASE $4 WHEN 'ensambles' THEN 'ENSAMBLE' ELSE 'DESCARGA' END, intentos = intentos + $3::int,
    ultima_consulta_en = CASE WHEN $3::int > 0 THEN now() ELSE ultima_consulta_en END
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO' RETURNING id, gen, cuenta_id, due_at
)
INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at) SELECT id, gen, $4, cuenta_id, due_at FROM suelta
ON CONFLICT (solicitud_id) DO UPDATE SET gen = excluded.gen, cola = excluded.cola, due_at = excluded.due_at, rung_at = NULL`;

const EXTEND = `UPDATE solicitud SET lease_until = now() + make_interval(secs => $3)
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO'`;

const AWAIT_EFIRMA = `
WITH espera AS (
  UPDATE solicitud SET estado = 'ESPERA_EFIRMA', motivo = 'EFIRMA_EXPIRADA', lease_until = NULL, gen = gen + 1
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO'
    AND NOT EXISTS (SELECT FROM credencial_sellada c WHERE c.solicitud_id = $1 AND c.tipo = 'efirma' AND c.expira_en > now()) RETURNING id
), sellada AS (DELETE FROM credencial_sellada c USING espera WHERE c.solicitud_id = espera.id AND c.tipo = 'efirma'),
salida AS (DELETE FROM outbox o USING espera WHERE o.solicitud_id = espera.id),
nota AS (INSERT INTO evento (solicitud_id, tipo) SELECT id, 'ESPERA_EFIRMA' FROM espera)
SELECT id FROM espera`;

const FINISH = `
WITH fin AS (
  UPDATE solicitud SET estado = 'TERMINADA', motivo = NULL, terminada_en = now(), lease_until = NULL, gen = gen + 1,
    object_key = $3, bytes = $4, sha256 = $5, registros = $6::bigint, resumen = $7::jsonb, confianza = $8
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO' RETURNING id
), ${devolucion(`$6::bigint = 0 AND $8 = 'sin_confirmar'`, `'VACIA_SIN_CONFIRMAR'`)}, sellada AS (DELETE FROM credencial_sellada c USING fin WHERE c.solicitud_id = fin.id),
salida AS (DELETE FROM outbox o USING fin WHERE o.solicitud_id = fin.id),
nota AS (INSERT INTO evento (solicitud_id, tipo, detalle) SELECT id, 'TERMINADA', $6::text FROM fin)
SELECT id FROM fin`;

const FAIL = endWithoutPaquete(`s.id = $4 AND s.epoch = $5 AND s.estado = 'EN_PROCESO'`);

const CHANGE_CHANNEL = `
WITH otra AS (
  UPDATE solicitud SET canal = CASE canal WHEN 'soap' THEN 'portal' ELSE 'soap' END, canal_dejado = CASE WHEN $3 THEN canal ELSE canal_dejado END
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO' RETURNING id, canal
), partes AS (
  DELETE FROM parte p USING otra WHERE p.solicitud_id = otra.id
), sellada AS (
  DELETE FROM credencial_sellada c USING otra
  WHERE NOT $3 AND c.solicitud_id = otra.id AND c.tipo = CASE otra.canal WHEN 'soap' THEN 'ciec' ELSE 'efirma' END
)
SELECT id FROM otra`;

/** The taxpayer is locked first, as by whoever changes its keys: the change of the credential moves its version. */
const MARK_REFUSED = `
WITH dueno AS MATERIALIZED (
  SELECT d.id FROM contribuyente d WHERE d.id = (SELECT contribuyente_id FROM solicitud WHERE id = $1) FOR NO KEY UPDATE
)
UPDATE credencial c SET rechazada_portal_en = CASE $3 WHEN 'portal' THEN now() ELSE c.rechazada_portal_en END,
  rechazada_soap_en = CASE $3 WHEN 'soap' THEN now() ELSE c.rechazada_soap_en END
FROM solicitud s JOIN dueno ON dueno.id = s.contribuyente_id
WHERE s.id = $1 AND s.epoch = $2 AND c.contribuyente_id = s.contribuyente_id AND c.api_key_id = s.api_key_id
  AND c.creada_en <= s.creada_en AND CASE $3 WHEN 'portal' THEN c.rechazada_portal_en ELSE c.rechazada_soap_en END IS NULL
  AND c.tipo = CASE $3 WHEN 'portal' THEN 'ciec' ELSE 'efirma_cer' END`;

/** The workers' side of solicitudes over PostgreSQL. */
export function createClaims({ pool }: Pick<Database, 'pool'>): Claims {
  /** Runs `first`, which demands the epoch and locks the row, and then the rest in the same transaction. */
  function fenced<T>(
    claimed: ClaimedSolicitud,
    first: readonly [text: string, values: unknown[]],
    run: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    return inTransaction(pool, async (client) => {
      if (!(await isOne(client, ...first))) throw new Desplazado(claimed.id, claimed.epoch);
      return run(client);
    });
  }

  async function only(claimed: ClaimedSolicitud, text: string, values: unknown[]): Promise<void> {
    if (!(await isOne(pool, text, values))) throw new Desplazado(claimed.id, claimed.epoch);
  }

  return {
    async claim({ solicitudId, gen, queue, leaseSeconds }) {
      const row = await rowOf<ClaimedRow>(pool, CLAIM, [solicitudId, gen, queue, leaseSeconds]);
      return row && claimedOf(pool, row);
    },

    save(claimed, avance) {
      return fenced(claimed, [FENCE, [claimed.id, claimed.epoch, avance.consultado ? 1 : 0]], async (client) => {
        await writeAvance(client, claimed.id, avance);
        const row = await rowOf<ClaimedRow>(client, HELD, [claimed.id, claimed.epoch]);
        if (!row) throw new Desplazado(claimed.id, claimed.epoch);
        return claimedOf(client, row);
      });
    },

    async release(claimed, avance, { queue, inSeconds }) {
      const values = [claimed.id, claimed.epoch, avance.consultado ? 1 : 0, queue, inSeconds];
      const { partes = [], nuevas, eventos = [] } = avance;
      if (partes.length === 0 && !nuevas && eventos.length === 0) return only(claimed, RELEASE, values);
      await fenced(claimed, [RELEASE, values], (client) => writeAvance(client, claimed.id, avance));
    },

    extend: (claimed, leaseSeconds) => only(claimed, EXTEND, [claimed.id, claimed.epoch, leaseSeconds]),

    // The row is locked before the copy is looked for, so that one that was stored since the claim is seen and kept.
    awaitEfirma: (claimed) =>
      fenced(claimed, [FENCE, [claimed.id, claimed.epoch, 0]], async (client) => {
        const values = [claimed.id, claimed.epoch];
        if (!(await isOne(client, AWAIT_EFIRMA, values)))
          await execute(client, RELEASE, [...values, 0, 'descargas', 0]);
      }),

    finish: (claimed, { objectKey, bytes, sha256, registros, confianza, resumen }) => {
      const counted = resumen === undefined ? null : JSON.stringify(resumen);
      const values = [claimed.id, claimed.epoch, objectKey, bytes, sha256, registros, counted, confianza];
      return only(claimed, FINISH, values);
    },

    fail: (claimed, { estado, motivo, codigo }) =>
      only(claimed, FAIL, [estado, motivo, codigo ?? null, claimed.id, claimed.epoch]),

    changeChannel: (claimed, avance, { mayReturn }) =>
      fenced(claimed, [CHANGE_CHANNEL, [claimed.id, claimed.epoch, mayReturn]], async (client) => {
        await writeAvance(client, claimed.id, avance);
        const values = [claimed.id, claimed.epoch, 0, 'descargas', 0];
        await execute(client, RELEASE, values);
      }),

    async markRefused(claimed, canal) {
      await execute(pool, MARK_REFUSED, [claimed.id, claimed.epoch, canal]);
    },
  };
}

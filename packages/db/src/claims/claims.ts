import {
  type Avance,
  afterWrite,
  type ClaimedSolicitud,
  type Claims,
  type CredencialSellada,
  type Parte,
  StaleEpoch,
  type TipoCredencial,
  type TipoEvento,
} from '@acuse/core';
import type pg from 'pg';
import { createBatch } from '../batch.ts';
import type { Database } from '../database.ts';
import { isDataException, isTimedOut, sendOnce } from '../errors.ts';
import { UNHEALTHY_HOSTS, type UnhealthyHost } from '../sat/breaker-state.ts';
import { criteriosIn } from '../solicitudes/accept.ts';
import { EN_PROCESO, execute, isOne, prepared, rowOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import { changeParts, LAST_WRITE, lastWriteOf, noteEventos, type Write, writeAndRead, writeOf } from './avance.ts';
import type { ClaimPart } from './claim-parts.ts';
import { endWithoutPaquete } from './end.ts';
import type { FinishNote } from './finish-notes.ts';
import { insertEspera, insertPaso, type PasoEnCurso, pasoOf } from './paso.ts';

/** Whether the SAT has refused, at this channel, the stored credential that this solicitud was accepted with. */
const rechazada = (tipo: 'ciec' | 'efirma_cer', column: 'rechazada_portal_en' | 'rechazada_soap_en') =>
  `EXISTS (SELECT FROM credencial c WHERE c.contribuyente_id = t.contribuyente_id AND c.api_key_id = t.api_key_id
    AND c.tipo = '${tipo}' AND c.creada_en <= t.creada_en AND c.${column} IS NOT NULL)`;

/** The parts of the solicitud `t` in order of period, as JSON. */
const PARTES = `coalesce((
  SELECT json_agg(json_build_object('id', p.id, 'contenido', p.contenido, 'motivo', p.motivo, 'periodo', json_build_object('inicio', p.inicio, 'fin', p.fin), 'estado', p.estado,
    'canal', coalesce(p.canal, t.canal), 'vacias', p.vacias, 'folio', p.folio, 'desfase', p.desfase, 'envios', p.envios,
    'reenvios', p.reenvios, 'consultas', p.consultas, 'fallos', p.fallos, 'accesos', p.accesos, 'dueAt', p.due_at,
    'paquetes', coalesce((
      SELECT json_agg(json_build_object('paquete', q.paquete, 'orden', q.orden, 'objectKey', q.object_key, 'relecturas', q.relecturas) ORDER BY q.orden)
      FROM paquete_sat q WHERE q.parte_id = p.id), '[]')) ORDER BY p.contenido, p.inicio)
  FROM parte p WHERE p.solicitud_id = t.id), '[]') AS partes`;

/** A claimed solicitud, its parts, and its sealed credentials, those of its own channel and of the other one. */
function claimedFrom(source: string, parts: readonly ClaimPart[], unhealthy = 'NULL::json'): string {
  const copy = (tipo: TipoCredencial, column: 'kid' | 'sobre' | 'expira_en') => {
    const places = parts.flatMap(({ copy }) => (copy?.tipo === tipo ? [copy.alias] : []));
    const values = [tipo, ...places].map((alias) => `${alias}.${column}`);
    return values.length === 1 ? values[0] : `coalesce(${values.join(', ')})`;
  };
  const [presigned] = parts.flatMap(({ presigned }) => presigned ?? []);
  return `
SELECT t.id, t.modo, t.cuenta_id AS "cuentaId", t.contribuyente_id AS "contribuyenteId", t.rfc, t.tipo, t.desde::text, t.hasta::text,
       t.formato, ${criteriosIn('t')}, t.sincronizacion_id AS "origenId", t.canal, t.canal_dejado AS "canalDejado", t.fase, t.epoch, t.creada_en AS "creadaEn", t.deadline_at AS "deadlineAt", now(), t.due_at AS "dueAt", t.traceparent,
       (SELECT o.rung_at FROM outbox o WHERE o.solicitud_id = t.id) AS "wokenAt", ${rechazada('ciec', 'rechazada_portal_en')} AS ciec_rechazada, ${rechazada('efirma_cer', 'rechazada_soap_en')} AS efirma_rechazada,
       ${copy('ciec', 'kid')} AS ciec_kid, ${copy('ciec', 'sobre')} AS ciec_sobre, ${copy('ciec', 'expira_en')} AS ciec_expira_en,
       ${copy('efirma', 'kid')} AS efirma_kid, ${copy('efirma', 'sobre')} AS efirma_sobre, ${copy('efirma', 'expira_en')} AS efirma_expira_en,
       t.capsula AS "mayPresign", ${presigned?.folios ?? 'NULL::text[]'} AS folios, ${presigned?.expiraEn ?? 'NULL::timestamptz'} AS folios_expiran_en, ${unhealthy} AS unhealthy, ${PARTES}
FROM ${source}
LEFT JOIN credencial_sellada ciec ON ciec.solicitud_id = t.id AND ciec.tipo = 'ciec' AND ciec.expira_en > now()
LEFT JOIN credencial_sellada efirma ON efirma.solicitud_id = t.id AND efirma.tipo = 'efirma' AND efirma.expira_en > now()
${parts.map(({ join }) => join).join('\n')}`;
}

type ClaimedRow = Omit<
  ClaimedSolicitud,
  'claim' | 'isCredencialRechazada' | 'sellada' | 'otra' | 'presigned' | 'partes'
> &
  Record<`${TipoCredencial}_rechazada`, boolean> &
  Record<`${TipoCredencial}_kid`, string | null> &
  Record<`${TipoCredencial}_sobre`, Buffer | null> &
  Record<`${TipoCredencial}_expira_en`, Date | null> & {
    /** Of the requests that are signed beforehand. */
    readonly folios: readonly string[] | null;
    readonly folios_expiran_en: Date | null;
    readonly unhealthy: readonly UnhealthyHost[] | null;
    /** Times inside JSON come as text. */
    readonly partes: readonly (Omit<Parte, 'dueAt'> & { readonly dueAt: string })[];
  };

function selladaOf(row: ClaimedRow, tipo: TipoCredencial): CredencialSellada | null {
  const [kid, sobre, expiraEn] = [row[`${tipo}_kid`], row[`${tipo}_sobre`], row[`${tipo}_expira_en`]];
  return kid && sobre && expiraEn ? { tipo, kid, sobre, expiraEn } : null;
}

function claimedOf(row: ClaimedRow, claim: ClaimedSolicitud['claim'] = { at: row.now, eventos: [] }): ClaimedSolicitud {
  const { id, modo, cuentaId, contribuyenteId, rfc, tipo, desde, hasta, formato, canal, canalDejado, fase } = row;
  const { filtros, contenido, tablas, origenId, mayPresign, folios, folios_expiran_en: expiraEn } = row;
  const [own, other] = canal === 'portal' ? (['ciec', 'efirma'] as const) : (['efirma', 'ciec'] as const);
  return {
    id,
    modo,
    cuentaId,
    contribuyenteId,
    rfc,
    tipo,
    desde,
    hasta,
    formato,
    filtros,
    contenido,
    tablas,
    canal,
    canalDejado,
    fase,
    origenId,
    epoch: row.epoch,
    creadaEn: row.creadaEn,
    deadlineAt: row.deadlineAt,
    now: row.now,
    claim,
    traceparent: row.traceparent,
    dueAt: row.dueAt,
    wokenAt: row.wokenAt,
    isCredencialRechazada: row[`${own}_rechazada`],
    sellada: selladaOf(row, own),
    otra: row[`${other}_rechazada`] ? null : selladaOf(row, other),
    mayPresign,
    presigned: folios && expiraEn ? { folios, expiraEn } : null,
    partes: row.partes.map(({ dueAt, ...parte }) => ({ ...parte, dueAt: new Date(dueAt) })),
  };
}

/** Events of a claim with those of its next write. */
const eventosOf = ({ claim }: ClaimedSolicitud, { eventos = [] }: Avance): readonly TipoEvento[] => [
  ...claim.eventos,
  ...eventos.map(({ tipo }) => tipo),
];

/** The list of ids hides its length from the planner, so that the server keeps one plan. */
const claimOf = (parts: readonly ClaimPart[]) => `
/* claim */ WITH pedida AS MATERIALIZED (
  SELECT * FROM unnest((SELECT $1::uuid[]), $2::integer[], $3::text[], $4::float8[]) AS p (id, gen, cola, segundos)
), tomada AS (
  UPDATE solicitud s SET epoch = s.epoch + 1, lease_until = now() + make_interval(secs => p.segundos)
  FROM pedida p WHERE s.id = p.id AND s.gen = p.gen AND s.fase = CASE p.cola WHEN 'ensambles' THEN 'ENSAMBLE' ELSE 'DESCARGA' END
    AND s.estado = ${EN_PROCESO} AND (s.lease_until IS NULL OR s.lease_until < now())
  RETURNING s.*
)${claimedFrom('tomada t', parts, UNHEALTHY_HOSTS)}`;

const heldOf = (parts: readonly ClaimPart[]) =>
  `${claimedFrom('solicitud t', parts)} WHERE t.id = $1 AND t.epoch = $2 AND t.estado = 'EN_PROCESO'`;

const LOCK = `SELECT id FROM solicitud WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO' FOR NO KEY UPDATE`;

const EXTEND = `UPDATE solicitud SET lease_until = now() + make_interval(secs => $3)
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO'`;

const AWAIT_EFIRMA = `
WITH espera AS (
  UPDATE solicitud SET estado = 'ESPERA_EFIRMA', motivo = 'EFIRMA_EXPIRADA', lease_until = NULL, gen = gen + 1
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO'
    AND NOT EXISTS (SELECT FROM credencial_sellada c WHERE c.solicitud_id = $1 AND c.tipo = 'efirma' AND c.expira_en > now()) RETURNING id
), sellada AS (DELETE FROM credencial_sellada c USING espera WHERE c.solicitud_id = espera.id AND c.tipo = 'efirma'),
salida AS (DELETE FROM outbox o USING espera WHERE o.solicitud_id = espera.id),
nota AS (${insertEspera({ de: 'espera', epoch: '$2', paso: '$3' })})
SELECT id FROM espera`;

/** Parameters of the statement that ends a solicitud with its package, before those of the notes. */
const FINISH_VALUES = 9;

/** Ends a solicitud with its package, and writes its last progress and the notes of the features with it. */
function finishOf(notes: readonly FinishNote[]): string {
  const observed = notes.map((_, at) => `$${FINISH_VALUES + 1 + at}::jsonb`);
  const each = (part: (note: FinishNote, param: string) => string) =>
    notes.map((note, at) => part(note, observed[at] ?? '')).join('');
  return `
/* finish */ WITH ${each((note, param) => note.before(param))}fin AS (
  UPDATE solicitud s SET estado = 'TERMINADA', motivo = NULL, terminada_en = now(), lease_until = NULL, gen = gen + 1,
    intentos = s.intentos + e.miradas, ultima_consulta_en = CASE WHEN e.miradas > 0 THEN now() ELSE s.ultima_consulta_en END,
    object_key = $3, bytes = $4, sha256 = $5, registros = $6::bigint, resumen = $7::jsonb, confianza = $8${each((note, param) => note.set(param))}
  FROM jsonb_to_record($9::jsonb) AS e (${LAST_WRITE})
  WHERE id = $1 AND epoch = $2 AND estado = 'EN_PROCESO' RETURNING s.id, s.epoch, e.partes, e.eventos, e.paso
)${each(({ after }) => after)}, sellada AS (DELETE FROM credencial_sellada c USING fin WHERE c.solicitud_id = fin.id),
salida AS (DELETE FROM outbox o USING fin WHERE o.solicitud_id = fin.id), ${changeParts('fin')}, ${noteEventos('fin')}
SELECT id FROM fin LEFT JOIN LATERAL solicitud_devuelve_vacia(CASE WHEN $6::bigint = 0 THEN fin.id END) ON true`;
}

const FAIL = endWithoutPaquete(
  `s.id = $4 AND s.epoch = $5 AND s.estado = 'EN_PROCESO'`,
  `, hecho AS (${insertPaso({ de: 'fin', epoch: '$5', paso: '$6' })})`,
);

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

/** Locks the taxpayer first, as a change of its keys does: the change of the credential moves its version. */
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

/** What a wake-up asks for. */
type Claim = Parameters<Claims['claim']>[0];

/** Takes the hosts that are not as at first, and the milliseconds since 1970 when they were asked for. */
type LearnHosts = (unhealthy: readonly UnhealthyHost[], askedAt: number) => void;

/** Claims and writes of different solicitudes that come together share a statement and its commit. */
function batchesOf(
  { pool, settings }: Pick<Database, 'pool' | 'settings'>,
  parts: readonly ClaimPart[],
  learnHosts: LearnHosts,
) {
  const claimText = claimOf(parts);
  const goOnText = writeAndRead(claimedFrom('fila t', parts));
  const ofWrites = { groupOf: ({ claimed }: Pick<Write, 'claimed'>) => claimed.id, patienceMs: settings.timeoutMs };
  const claim = createBatch({
    groupOf: ({ solicitudId }: Claim) => solicitudId,
    patienceMs: settings.timeoutMs,
    async run(asked: readonly Claim[], until) {
      const inOrder = asked.toSorted((a, b) => (a.solicitudId < b.solicitudId ? -1 : 1));
      const values = (['solicitudId', 'gen', 'queue', 'leaseSeconds'] as const).map((field) =>
        inOrder.map((each) => each[field]),
      );
      const askedAt = Date.now();
      const { rows } = await sendOnce<ClaimedRow>(pool, prepared(claimText, values), until);
      if (rows[0] !== undefined) learnHosts(rows[0].unhealthy ?? [], askedAt);
      const taken = new Map(rows.map((row) => [row.id, claimedOf(row)]));
      return asked.map(({ solicitudId }) => taken.get(solicitudId) ?? null);
    },
  });
  const write = createBatch({
    ...ofWrites,
    async run(writes: readonly Write[], until) {
      const { rows } = await sendOnce<{ id: string }>(pool, writeOf(writes), until);
      const done = new Set(rows.map(({ id }) => id));
      return writes.map(({ claimed }) => done.has(claimed.id));
    },
  });
  const goOn = createBatch({
    ...ofWrites,
    async run(writes: readonly Write[], until) {
      const { rows } = await sendOnce<ClaimedRow>(pool, writeOf(writes, goOnText), until);
      const kept = new Map(rows.map((row) => [row.id, row]));
      return writes.map(({ claimed }) => kept.get(claimed.id) ?? null);
    },
  });
  return { claim, write, goOn };
}

/**
 * The workers' side of solicitudes over PostgreSQL. What gives a claim back notes its step, where `pasoEnCurso` tells who
 * makes it; it is asked in the step that gives it back.
 */
export function createClaims(
  database: Pick<Database, 'pool' | 'settings'>,
  {
    pasoEnCurso = () => null,
    claimParts = [],
    finishNotes = [],
    learnHosts = () => {},
  }: {
    readonly pasoEnCurso?: () => PasoEnCurso | null;
    readonly claimParts?: readonly ClaimPart[];
    readonly finishNotes?: readonly FinishNote[];
    /** Called with each claim: a step that follows need not ask for the hosts. */
    readonly learnHosts?: LearnHosts;
  } = {},
): Claims {
  const { pool } = database;
  const batches = batchesOf(database, claimParts, learnHosts);
  const held = heldOf(claimParts);
  const finish = finishOf(finishNotes);

  /** Runs `first`, which demands the epoch and locks the row, and then the rest in the same transaction. */
  function fenced<T>(
    claimed: ClaimedSolicitud,
    first: readonly [text: string, values: unknown[]],
    run: (client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    return inTransaction(pool, async (client) => {
      if (!(await isOne(client, ...first))) throw new StaleEpoch(claimed.id, claimed.epoch);
      return run(client);
    });
  }

  async function only(claimed: ClaimedSolicitud, text: string, values: unknown[]): Promise<void> {
    if (!(await isOne(pool, text, values))) throw new StaleEpoch(claimed.id, claimed.epoch);
  }

  /** The step of a claim that this write ends. */
  const pasoWith = (claimed: ClaimedSolicitud, avance: Avance) =>
    pasoOf(claimed, eventosOf(claimed, avance), pasoEnCurso());

  const lastPaso = (claimed: ClaimedSolicitud, tipo: TipoEvento) => pasoWith(claimed, { eventos: [{ tipo }] });

  /** The write that gives a claim back. */
  const backOf = (claimed: ClaimedSolicitud, avance: Avance, next: Write['next']): Write => {
    return { claimed, avance, next, paso: pasoWith(claimed, avance) };
  };

  async function write(written: Write): Promise<void> {
    const { id, epoch } = written.claimed;
    if (!(await batches.write(written))) throw new StaleEpoch(id, epoch);
  }

  const atOnce = { queue: 'descargas', inSeconds: 0 } as const;

  return {
    claim: batches.claim,

    save: (claimed, avance) => write({ claimed, avance, next: null }),

    async goOn(claimed, avance) {
      const written = { claimed, avance, next: null };
      if (avance.nuevas) await write(written);
      const row = avance.nuevas
        ? await rowOf<ClaimedRow>(pool, held, [claimed.id, claimed.epoch])
        : await batches.goOn(written);
      if (!row) throw new StaleEpoch(claimed.id, claimed.epoch);
      if (avance.nuevas) return claimedOf(row, { at: claimed.claim.at, eventos: eventosOf(claimed, avance) });
      // A statement reads the parts as they were before its own change.
      return afterWrite(claimedOf(row, claimed.claim), avance);
    },

    release: (claimed, avance, next) => write(backOf(claimed, avance, next)),

    extend: (claimed, leaseSeconds) => only(claimed, EXTEND, [claimed.id, claimed.epoch, leaseSeconds]),

    // The row is locked before the copy is looked for, so that one that was stored since the claim is seen and kept.
    awaitEfirma: (claimed) =>
      fenced(claimed, [LOCK, [claimed.id, claimed.epoch]], async (client) => {
        const values = [claimed.id, claimed.epoch, lastPaso(claimed, 'ESPERA_EFIRMA')];
        if (!(await isOne(client, AWAIT_EFIRMA, values))) await client.query(writeOf([backOf(claimed, {}, atOnce)]));
      }),

    async finish(claimed, { objectKey, bytes, sha256, registros, confianza, resumen, notas = {} }, unwritten = {}) {
      const counted = resumen === undefined ? null : JSON.stringify(resumen);
      const values = [claimed.id, claimed.epoch, objectKey, bytes, sha256, registros, counted, confianza];
      const end = { tipo: 'TERMINADA', detalle: String(registros) } as const;
      const eventos = [...(unwritten.eventos ?? []), end];
      const paso = pasoWith(claimed, { eventos: [end] });
      const last = lastWriteOf({ claimed, avance: { ...unwritten, eventos }, paso });
      const observed = finishNotes.map(({ name }) => (name in notas ? JSON.stringify(notas[name]) : null));
      const finishWith = (noted: typeof observed) => only(claimed, finish, [...values, last, ...noted]);
      try {
        await finishWith(observed);
        return true;
      } catch (error) {
        // The package is worth more than its notes.
        if (observed.every((each) => each === null) || !(isTimedOut(error) || isDataException(error))) throw error;
        await finishWith(observed.map(() => null));
        return false;
      }
    },

    fail: (claimed, { estado, motivo, codigo }) =>
      only(claimed, FAIL, [estado, motivo, codigo ?? null, claimed.id, claimed.epoch, lastPaso(claimed, estado)]),

    changeChannel: (claimed, avance, { mayReturn }) =>
      fenced(claimed, [CHANGE_CHANNEL, [claimed.id, claimed.epoch, mayReturn]], async (client) => {
        await client.query(writeOf([backOf(claimed, avance, atOnce)]));
      }),

    async markRefused(claimed, canal) {
      await execute(pool, MARK_REFUSED, [claimed.id, claimed.epoch, canal]);
    },
  };
}

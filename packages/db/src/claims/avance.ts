import { randomUUID } from 'node:crypto';
import type { Avance, CambioParte, ClaimedSolicitud, QueueName } from '@acuse/core';
import type pg from 'pg';
import { NOTIFY_OUTBOX } from '../outbox.ts';
import { EN_PROCESO, prepared } from '../statements.ts';
import { upsertPasos } from './paso.ts';

/** One fenced write: progress, and with `next` the claim is given back and the solicitud is woken again, else kept. */
export interface Write {
  readonly claimed: Pick<ClaimedSolicitud, 'id' | 'epoch'>;
  readonly avance: Avance;
  readonly next: { readonly queue: QueueName; readonly inSeconds: number } | null;
  /** The row of the step that ends with it; absent: none is noted. */
  readonly paso?: Readonly<Record<string, unknown>> | null;
}

/** Columns of a part that a change may set, by their own names. */
const COLUMNS = [
  'estado',
  'canal',
  'vacias',
  'folio',
  'desfase',
  'envios',
  'reenvios',
  'consultas',
  'fallos',
  'accesos',
  'registros',
  'motivo',
] as const satisfies readonly (keyof CambioParte)[];

/** The parts of a statement that change the parts and packages of the solicitudes of `de` (id, partes). */
export const changeParts = (de: string) => `cambio AS MATERIALIZED (
  SELECT f.id AS solicitud_id, c.* FROM ${de} f CROSS JOIN LATERAL jsonb_to_recordset(f.partes)
    AS c (id uuid, cambio jsonb, segundos float8, paquetes text[], guardado jsonb, releer text)
), cambiada AS (
  UPDATE parte p SET (${COLUMNS.join(', ')}) = (SELECT ${COLUMNS.map((column) => `r.${column}`).join(', ')} FROM jsonb_populate_record(p, c.cambio) r),
    due_at = coalesce(now() + make_interval(secs => c.segundos), p.due_at),
    solicitada_en = CASE WHEN c.cambio ->> 'estado' = 'SOLICITADA' THEN now() ELSE p.solicitada_en END
  FROM cambio c WHERE p.id = ANY (ARRAY(SELECT id FROM cambio)) AND p.id = c.id AND p.solicitud_id = c.solicitud_id
), retirado AS (
  DELETE FROM paquete_sat q USING cambio c WHERE q.parte_id = c.id AND c.paquetes IS NOT NULL RETURNING 1
), listado AS (
  INSERT INTO paquete_sat (parte_id, paquete, orden)
  SELECT c.id, n.paquete, n.orden FROM cambio c CROSS JOIN LATERAL unnest(c.paquetes) WITH ORDINALITY AS n (paquete, orden)
  WHERE (SELECT count(*) FROM retirado) >= 0
), guardado AS (
  UPDATE paquete_sat q SET object_key = g."objectKey", bytes = g.bytes, sha256 = g.sha256, guardado_en = now()
  FROM cambio c CROSS JOIN LATERAL jsonb_to_record(c.guardado) AS g (paquete text, "objectKey" text, bytes bigint, sha256 text)
  WHERE q.parte_id = c.id AND q.paquete = g.paquete
), releido AS (
  UPDATE paquete_sat q SET object_key = NULL, relecturas = q.relecturas + 1 FROM cambio c WHERE q.parte_id = c.id AND q.paquete = c.releer
)`;

/**
 * The parts of a statement that note the events and the steps of the solicitudes of `de` (id, epoch, eventos, paso). A
 * poll with the finding of the last event adds to that event's count: nearly all polls find nothing new.
 */
export const noteEventos = (de: string) => `nota AS MATERIALIZED (
  SELECT f.id, jsonb_array_length(f.eventos) AS de, n.* FROM ${de} f CROSS JOIN LATERAL ROWS FROM (
    jsonb_to_recordset(f.eventos) AS (tipo text, codigo text, detalle text)) WITH ORDINALITY AS n (tipo, codigo, detalle, orden)
), repetida AS (
  UPDATE evento v SET veces = v.veces + 1, ultima_en = now()
  FROM nota n CROSS JOIN LATERAL (SELECT id FROM evento WHERE solicitud_id = n.id ORDER BY id DESC LIMIT 1) ultimo
  WHERE v.id = ultimo.id AND n.de = 1 AND n.tipo IN ('SAT_EN_PROCESO', 'SAT_SIN_RESPUESTA', 'FALLO_INTERNO')
    AND (v.tipo, v.codigo, v.detalle) IS NOT DISTINCT FROM (n.tipo, n.codigo, n.detalle)
  RETURNING v.solicitud_id
), ${upsertPasos(de)}`;

/**
 * Carries out writes of several solicitudes, each all or nothing, and gives `answer` for those with a current epoch, by the
 * columns `returned` of `solicitud s` in `fila`. Releasing a
 * claim also ends its epoch: a worker that missed the reply must not release again. Deletions come first, because later
 * rows depend on them. The relay is notified of a wake-up that is due at once. Keys find the rows: the planner overrates
 * the rows of a JSON document and would read whole tables.
 */
const writing = (returned: string, answer: string) => `
/* write */ WITH escrito AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($1::jsonb) AS e (id uuid, epoch integer, miradas integer, cola text, segundos float8,
    partes jsonb, reemplaza uuid, nuevas jsonb, eventos jsonb, paso jsonb)
), fila AS (
  UPDATE solicitud s SET intentos = s.intentos + e.miradas,
    ultima_consulta_en = CASE WHEN e.miradas > 0 THEN now() ELSE s.ultima_consulta_en END,
    lease_until = CASE WHEN e.cola IS NULL THEN s.lease_until END,
    epoch = s.epoch + CASE WHEN e.cola IS NULL THEN 0 ELSE 1 END, gen = s.gen + CASE WHEN e.cola IS NULL THEN 0 ELSE 1 END,
    due_at = coalesce(now() + make_interval(secs => e.segundos), s.due_at),
    fase = CASE e.cola WHEN 'ensambles' THEN 'ENSAMBLE' WHEN 'descargas' THEN 'DESCARGA' ELSE s.fase END
  FROM escrito e WHERE s.id = ANY (ARRAY(SELECT id FROM escrito)) AND s.id = e.id AND s.epoch = e.epoch AND s.estado = ${EN_PROCESO}
  RETURNING ${returned}, e.cola, e.segundos, e.partes, e.reemplaza, e.nuevas, e.eventos, e.paso
), salida AS (
  INSERT INTO outbox (solicitud_id, gen, cola, cuenta_id, due_at)
  SELECT id, gen, cola, cuenta_id, due_at FROM fila WHERE cola IS NOT NULL
  ON CONFLICT (solicitud_id) DO UPDATE SET gen = excluded.gen, cola = excluded.cola, due_at = excluded.due_at, rung_at = NULL
), ${changeParts('fila')}, borrada AS (
  DELETE FROM parte p USING fila f WHERE p.id = f.reemplaza AND p.solicitud_id = f.id RETURNING 1
), nueva AS (
  INSERT INTO parte (id, solicitud_id, contenido, inicio, fin, canal, vacias, estado, desfase, envios)
  SELECT n.id, f.id, n.contenido, n.inicio, n.fin, n.canal, n.vacias, coalesce(n.estado, 'PENDIENTE'), coalesce(n.desfase, 0), coalesce(n.envios, 0)
  FROM fila f CROSS JOIN LATERAL jsonb_to_recordset(f.nuevas)
    AS n (id uuid, contenido text, inicio text, fin text, canal text, vacias text[], estado text, desfase integer, envios integer)
  WHERE (SELECT count(*) FROM borrada) >= 0
), ${noteEventos('fila')}
${answer}`;

const WRITE = writing(
  's.id, s.gen, s.cuenta_id, s.due_at, e.epoch',
  `SELECT id, (SELECT ${NOTIFY_OUTBOX} WHERE EXISTS (SELECT FROM fila WHERE segundos <= 0)) FROM fila`,
);

/** Text of writes that keep the claim and give what `answer` reads of the rows in `fila`, with all columns of a solicitud. */
export const writeAndRead = (answer: string) => writing('s.*', answer);

/** The statement that carries out `writes`; no two of them are of the same solicitud. It gives a row for each done. */
export function writeOf(writes: readonly Write[], text = WRITE): pg.QueryConfig {
  // In order of their ids, so that two statements do not wait for each other.
  const rows = writes.map(rowOf).sort((a, b) => (a.id < b.id ? -1 : 1));
  return prepared(text, [JSON.stringify(rows, whole)]);
}

/** Columns of the document of {@link lastWriteOf}. */
export const LAST_WRITE = 'miradas integer, partes jsonb, eventos jsonb, paso jsonb';

/** What the statement that ends a solicitud writes of its progress, as JSON. */
export const lastWriteOf = (last: Omit<Write, 'next'>): string => JSON.stringify(rowOf({ ...last, next: null }), whole);

/** Half a surrogate pair. PostgreSQL refuses it in JSON; a text of the SAT may be cut inside of one. */
const HALVES = /\p{Surrogate}/gu;

const whole = (_name: string, value: unknown) => (typeof value === 'string' ? value.replace(HALVES, '\ufffd') : value);

/** An absent field stays absent in JSON and unchanged in its row. */
function rowOf({ claimed, avance: { partes, nuevas, eventos, consultado }, next, paso }: Write) {
  return {
    id: claimed.id,
    epoch: claimed.epoch,
    miradas: consultado ? 1 : 0,
    cola: next?.queue,
    segundos: next?.inSeconds,
    partes: partes?.map((cambio) => ({
      id: cambio.parteId,
      cambio: Object.fromEntries(COLUMNS.map((column) => [column, cambio[column]])),
      segundos: cambio.dueInSeconds,
      paquetes: cambio.paquetes,
      guardado: cambio.guardado,
      releer: cambio.releer?.paquete,
    })),
    reemplaza: nuevas?.reemplaza,
    nuevas: nuevas?.periodos.flatMap(({ inicio, fin }) =>
      (nuevas.contenidos ?? ['metadata']).map((contenido) => ({
        id: nuevas.pedida?.parteId ?? randomUUID(),
        contenido,
        inicio,
        fin,
        canal: nuevas.canal ?? null,
        vacias: nuevas.vacias ?? [],
        estado: nuevas.pedida?.estado,
        desfase: nuevas.pedida?.desfase,
        envios: nuevas.pedida?.envios,
      })),
    ),
    eventos: eventos?.map(({ tipo, codigo, detalle }) => ({ tipo, codigo, detalle: detalle?.slice(0, 500) })),
    paso,
  };
}

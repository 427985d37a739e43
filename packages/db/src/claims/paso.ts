import type { ClaimedSolicitud, SatMeasurement } from '@acuse/core';

/** What the SAT was asked during one step: the requests to one host that ended alike, together. */
export interface ConsultaDePaso extends Pick<SatMeasurement, 'host' | 'resultado' | 'codigo'> {
  readonly veces: number;
  /** Milliseconds of all of them. */
  readonly ms: number;
}

/** Who makes a step, and what the SAT was asked so far. */
export interface PasoEnCurso {
  /** `host:pid`. */
  readonly proceso: string;
  readonly consultas: readonly ConsultaDePaso[];
}

/** The greatest integer of PostgreSQL: 24 days of milliseconds. */
const MAX_MS = 2 ** 31 - 1;

const msBetween = (from: Date, to: Date) => Math.min(Math.max(0, to.getTime() - from.getTime()), MAX_MS);

/** The row of a step as its statement takes it; null where steps are not kept. `notas`: the events that it writes. */
export function pasoOf(
  claimed: ClaimedSolicitud,
  notas: readonly string[],
  paso: PasoEnCurso | null,
): Readonly<Record<string, unknown>> | null {
  if (paso === null) return null;
  const { claim, dueAt, wokenAt, fase } = claimed;
  return {
    cola: fase === 'ENSAMBLE' ? 'ensambles' : 'descargas',
    notas: notas.join(','),
    proceso: paso.proceso,
    en: claim.at,
    bandeja_ms: wokenAt && msBetween(dueAt, wokenAt),
    cola_ms: wokenAt && msBetween(wokenAt, claim.at),
    consultas: paso.consultas.length === 0 ? null : paso.consultas,
  };
}

const TYPES =
  'cola text, notas text, proceso text, en timestamptz, bandeja_ms integer, cola_ms integer, consultas jsonb';
const NAMES = ['cola', 'notas', 'proceso', 'en', 'bandeja_ms', 'cola_ms', 'consultas'];
const COLUMNS = NAMES.join(', ');
const OF_PASO = NAMES.map((name) => `p.${name}`).join(', ');
/** The statement that ends a step begins when its work is over. */
const MS = `least(extract(epoch FROM now() - p.en) * 1000, ${MAX_MS})::integer AS ms`;

/** SQL that notes the step of each row of `de` which is the last one of its solicitud. */
export const insertPaso = ({ de, epoch, paso }: Readonly<Record<'de' | 'epoch' | 'paso', string>>) => `
INSERT INTO paso (solicitud_id, epoch, ${COLUMNS}, ms)
SELECT d.id, ${epoch}, ${OF_PASO}, ${MS} FROM ${de} d CROSS JOIN LATERAL jsonb_to_record(${paso}::jsonb) AS p (${TYPES}) WHERE p.cola IS NOT NULL`;

/**
 * The parts of a statement that note the steps of `de` (id, epoch, paso): one that noted what the one before it noted,
 * and nothing new, is counted in its row.
 */
export const upsertPasos = (de: string) => `hecho AS MATERIALIZED (
  SELECT d.id, d.epoch, ${OF_PASO}, ${MS} FROM ${de} d CROSS JOIN LATERAL jsonb_to_record(d.paso) AS p (${TYPES}) WHERE p.cola IS NOT NULL
), repetido AS (
  UPDATE paso v SET veces = v.veces + 1, ultimo_en = h.en, proceso = h.proceso, consultas = h.consultas,
    bandeja_ms = greatest(v.bandeja_ms, h.bandeja_ms), cola_ms = greatest(v.cola_ms, h.cola_ms), ms = greatest(v.ms, h.ms)
  FROM hecho h CROSS JOIN LATERAL (SELECT epoch FROM paso WHERE solicitud_id = h.id ORDER BY epoch DESC LIMIT 1) ultimo
  WHERE v.solicitud_id = ANY (ARRAY(SELECT id FROM hecho)) AND v.solicitud_id = h.id AND v.epoch = ultimo.epoch
    AND h.notas IN ('', 'SAT_EN_PROCESO', 'SAT_SIN_RESPUESTA', 'FALLO_INTERNO') AND (v.cola, v.notas) = (h.cola, h.notas)
  RETURNING v.solicitud_id
), hecha AS (
  INSERT INTO paso (solicitud_id, epoch, ${COLUMNS}, ms)
  SELECT id, epoch, ${COLUMNS}, ms FROM hecho WHERE id NOT IN (SELECT solicitud_id FROM repetido)
)`;

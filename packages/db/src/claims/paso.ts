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

/** A step as its statement takes it; null where steps are not kept. `notas`: the events that it writes. */
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
const NAMES = ['cola', 'notas', 'proceso', 'en', 'bandeja_ms', 'cola_ms', 'consultas', 'ms'];
const COLUMNS = NAMES.join(', ');
/** The same columns of an event. */
export const OF_EVENTO = `epoch, ${COLUMNS.replace(' en,', ' tomada_en,')}`;
/** Steps that change nothing: they come again and again, and are counted in a row of `paso`. */
const REPEATED = `('', 'SAT_EN_PROCESO', 'SAT_SIN_RESPUESTA', 'FALLO_INTERNO')`;

/** SQL of the step in a JSON document, with its columns; no row without one. The statement that ends it begins when its work is over. */
const stepIn = (paso: string) => `
(SELECT p.*, least(extract(epoch FROM now() - p.en) * 1000, ${MAX_MS})::integer AS ms FROM jsonb_to_record(${paso}::jsonb) AS p (${TYPES}) WHERE p.cola IS NOT NULL)`;

/** SQL of the columns {@link OF_EVENTO} in the event `tipo` of the step `h`, all null without one. */
const inEvento = (epoch: string, tipo: string) =>
  `CASE WHEN h.cola IS NOT NULL THEN ${epoch} END, ${NAMES.map((name) => (name === 'notas' ? `nullif(h.notas, ${tipo})` : `h.${name}`)).join(', ')}`;

type Places = Readonly<Record<'de' | 'epoch' | 'paso', string>>;

/** SQL that notes the step of each row of `de` which is the last one of its solicitud. */
export const insertPaso = ({ de, epoch, paso }: Places) => `
INSERT INTO paso (solicitud_id, epoch, ${COLUMNS})
SELECT d.id, ${epoch}, h.* FROM ${de} d CROSS JOIN LATERAL ${stepIn(paso)} h`;

/** SQL that notes for each row of `de` that it waits for an e.firma, and its step with it. */
export const insertEspera = ({ de, epoch, paso }: Places) => `
INSERT INTO evento (solicitud_id, tipo, ${OF_EVENTO})
SELECT d.id, 'ESPERA_EFIRMA', ${inEvento(`${epoch}::integer`, `'ESPERA_EFIRMA'`)} FROM ${de} d LEFT JOIN LATERAL ${stepIn(paso)} h ON true`;

/**
 * The parts of a statement that note the events of `nota` (id, epoch, de, tipo, codigo, detalle, orden), those of
 * `repetida` apart, and the steps of `de` (id, epoch, paso): a step in the row of the last event that it wrote, if it
 * changed something. One that noted what the one before it noted, and nothing new, is counted in the row of that.
 */
export const upsertPasos = (de: string) => `hecho AS MATERIALIZED (
  SELECT d.id, d.epoch, h.* FROM ${de} d CROSS JOIN LATERAL ${stepIn('d.paso')} h
), anotada AS (
  INSERT INTO evento (solicitud_id, tipo, codigo, detalle, ${OF_EVENTO})
  SELECT n.id, n.tipo, n.codigo, n.detalle, ${inEvento('h.epoch', 'n.tipo')}
  FROM nota n LEFT JOIN hecho h ON h.id = n.id AND n.orden = n.de AND h.notas NOT IN ${REPEATED}
  WHERE n.id NOT IN (SELECT solicitud_id FROM repetida) ORDER BY n.id, n.orden
  RETURNING solicitud_id, epoch
), repetido AS (
  UPDATE paso v SET veces = v.veces + 1, ultimo_en = h.en, proceso = h.proceso, consultas = h.consultas,
    bandeja_ms = greatest(v.bandeja_ms, h.bandeja_ms), cola_ms = greatest(v.cola_ms, h.cola_ms), ms = greatest(v.ms, h.ms)
  FROM hecho h CROSS JOIN LATERAL (SELECT epoch FROM paso WHERE solicitud_id = h.id ORDER BY epoch DESC LIMIT 1) ultimo
  WHERE v.solicitud_id = ANY (ARRAY(SELECT id FROM hecho)) AND v.solicitud_id = h.id AND v.epoch = ultimo.epoch
    AND h.notas IN ${REPEATED} AND (v.cola, v.notas) = (h.cola, h.notas)
    AND v.epoch > coalesce((SELECT max(e.epoch) FROM evento e WHERE e.solicitud_id = h.id), 0)
  RETURNING v.solicitud_id
), hecha AS (
  INSERT INTO paso (solicitud_id, epoch, ${COLUMNS})
  SELECT id, epoch, ${COLUMNS} FROM hecho
  WHERE id NOT IN (SELECT solicitud_id FROM repetido) AND id NOT IN (SELECT solicitud_id FROM anotada WHERE epoch IS NOT NULL)
)`;

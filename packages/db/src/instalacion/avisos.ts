import type { EventoWebhook } from '@acuse/contract';
import type { Database } from '../database.ts';
import { rowOf } from '../statements.ts';

export interface AjustesAvisos {
  /** Credits of an account without a threshold of its own. */
  readonly saldoAviso: number;
  /** Age in days at which a key needs rotation. */
  readonly diasLlave: number;
  /** Days before an end with a notice. */
  readonly diasAntes: readonly number[];
  /** Events that one statement writes. */
  readonly limite: number;
  /** Rows that one statement looks at. */
  readonly pagina: number;
  /** Stands in for the database's clock. */
  readonly ahora?: Date;
}

export const ISO = (column: string) => `to_char((${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Receivers of notices, as SQL: endpoints of webhooks, or users with mail. */
export interface Destino {
  /** Table of notices given, and its column with the receiver. */
  readonly aviso: string;
  readonly columna: string;
  /** Receivers in the account of the taxpayer `d` that want this event. */
  readonly ofTaxpayer: (tipo: EventoWebhook) => string;
  /** Candidates that still want the event, locked in the order of their ids where writing to them locks. */
  readonly alive: string;
  /** Writes the notice for `e.destino`. */
  readonly tell: string;
}

/**
 * One page of candidates in the order of an index, with their receivers: `$1` rows after `$3` (an id), `$2` events.
 * `pagina` gives `en` and `id`; `estado` gives an event for each `destino`, with the time until which the notice must
 * be remembered. Receivers are locked in the order of their ids, as in every statement that writes events.
 */
export const lookOf = (
  { aviso, columna, alive, tell }: Destino,
  { pagina, estado }: Record<'pagina' | 'estado', string>,
) => `
WITH pagina AS MATERIALIZED (${pagina} LIMIT $1), candidata AS MATERIALIZED (
  SELECT * FROM (${estado}) e WHERE NOT EXISTS (SELECT FROM ${aviso} a WHERE a.${columna} = e.destino AND a.clave = e.clave)
  ORDER BY destino, clave LIMIT $2
), vivo AS MATERIALIZED (${alive}), nueva AS (
  INSERT INTO ${aviso} (${columna}, clave, hasta) SELECT c.destino, c.clave, c.hasta FROM candidata c JOIN vivo v ON v.id = c.destino
  ON CONFLICT DO NOTHING RETURNING ${columna} AS destino, clave
), dicho AS MATERIALIZED (
  SELECT ${tell}
  FROM (SELECT c.* FROM candidata c JOIN nueva n ON n.destino = c.destino AND n.clave = c.clave ORDER BY c.destino, c.clave) e
)
SELECT (SELECT count(*)::int FROM pagina) AS leidas, (SELECT count(*)::int FROM candidata) AS nuevas, (SELECT count(*)::int FROM dicho) AS dichas,
  (SELECT json_build_object('en', en, 'id', id) FROM pagina ORDER BY en DESC, id DESC LIMIT 1) AS ultimo`;

export const AHORA = 'coalesce($5::timestamptz, now())';

/**
 * Ends in time of a taxpayer `d`, for each receiver that wants the event. `OFFSET 0` keeps the planner from joining by a
 * scan of all taxpayers.
 */
export const byTime = (
  destino: Destino,
  tipo: EventoWebhook,
  { de, isDue, en, clave, hasta, datos }: Record<string, string>,
) =>
  lookOf(destino, {
    pagina: `SELECT ${en} AS en, x.id, x.contribuyente_id FROM ${de} AND ${isDue}
      AND (${en}, x.id) > (coalesce($4::timestamptz, '-infinity'), $3) ORDER BY ${en}, x.id`,
    estado: `SELECT w.id AS destino, w.cuenta_id, d.rfc, '${tipo}' AS tipo, ${clave} AS clave, ${hasta} AS hasta, jsonb_build_object(${datos}) AS datos
      FROM pagina p CROSS JOIN LATERAL (SELECT id, cuenta_id, rfc FROM contribuyente WHERE id = p.contribuyente_id OFFSET 0) d
      CROSS JOIN LATERAL (${destino.ofTaxpayer(tipo)} OFFSET 0) w`,
  });

/** `$6` days before an end. */
export const certificados = (destino: Destino) =>
  byTime(destino, 'credencial.por_vencer', {
    de: `credencial x WHERE x.tipo = 'efirma_cer'`,
    en: 'x.vigente_hasta',
    isDue: `x.vigente_hasta > ${AHORA} AND x.vigente_hasta < ${AHORA} + make_interval(days => (SELECT max(n) FROM unnest($6::int[]) n))`,
    clave: `format('credencial.por_vencer %s %s %s', d.id, ${ISO('p.en')}, (SELECT min(n) FROM unnest($6::int[]) n WHERE p.en < ${AHORA} + make_interval(days => n)))`,
    hasta: 'p.en',
    datos: `'modo', (SELECT k.modo FROM credencial x JOIN api_key k ON k.id = x.api_key_id WHERE x.id = p.id), 'credencial', 'efirma', 'vence_en', ${ISO('p.en')}`,
  });

/** Place after which a look goes on. */
interface Lugar {
  readonly en: string | null;
  readonly id: string;
}

interface Vista {
  readonly leidas: number;
  /** Receivers without this notice. */
  readonly nuevas: number;
  readonly ultimo: Lugar | null;
}

type AjustesPagina = Pick<AjustesAvisos, 'limite' | 'pagina'>;

/** Reads looks page by page, and keeps the place of each in memory. */
export function pagesOf(pool: Database['pool']) {
  const lugares = new Map<string, Lugar>();
  return {
    isWithin: (text: string) => lugares.has(text),

    /** Reads the next page; the first one follows the last. */
    async page(
      text: string,
      { limite, pagina }: AjustesPagina,
      valuesAt: (lugar: Lugar | undefined) => readonly unknown[],
    ): Promise<'MORE_TO_TELL' | 'MORE_PAGES' | 'END'> {
      const vista = await rowOf<Vista>(pool, text, [pagina, limite, ...valuesAt(lugares.get(text))]);
      if (vista === null) throw new Error('a look gives one row');
      // The same page again: it no longer finds receivers with the notice.
      if (vista.nuevas >= limite) return 'MORE_TO_TELL';
      if (vista.ultimo === null || vista.leidas < pagina) lugares.delete(text);
      else lugares.set(text, vista.ultimo);
      return lugares.has(text) ? 'MORE_PAGES' : 'END';
    },
  };
}

import type { EventoWebhook } from '@acuse/contract';
import type { Database } from '../database.ts';
import { rowOf } from '../statements.ts';

export interface AjustesAvisos {
  /** Credits of an account without a threshold of its own. */
  readonly saldoAviso: number;
  /** Days after which a key shall be changed. */
  readonly diasLlave: number;
  /** Days before an end at which it is told of. */
  readonly diasAntes: readonly number[];
  /** Events that one statement writes. */
  readonly limite: number;
  /** Rows that one statement looks at. */
  readonly pagina: number;
  /** Stands in for the database's clock. */
  readonly ahora?: Date;
}

const ISO = (column: string) => `to_char((${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * One page, in the order of an index, of what may be the case, and who is to be told. `$1` rows, beyond `$3` (an id);
 * `$2` events. `pagina` gives `en` and `id`, `estado` an event for each endpoint, with the time until which it has to
 * be known that it was told. Endpoints are locked in the order of their ids, as by whoever else writes events.
 */
const look = ({ pagina, estado }: Record<'pagina' | 'estado', string>) => `
WITH pagina AS MATERIALIZED (${pagina} LIMIT $1), candidata AS MATERIALIZED (
  SELECT * FROM (${estado}) e WHERE NOT EXISTS (SELECT FROM webhook_aviso a WHERE a.webhook_id = e.webhook_id AND a.clave = e.clave)
  ORDER BY webhook_id, clave LIMIT $2
), destino AS MATERIALIZED (
  SELECT w.id FROM webhook w WHERE w.id = ANY (ARRAY(SELECT webhook_id FROM candidata)) AND w.estado = 'ACTIVO' ORDER BY w.id FOR NO KEY UPDATE
), nueva AS (
  INSERT INTO webhook_aviso (webhook_id, clave, hasta) SELECT c.webhook_id, c.clave, c.hasta FROM candidata c JOIN destino d ON d.id = c.webhook_id
  ON CONFLICT DO NOTHING RETURNING webhook_id, clave
), dicho AS MATERIALIZED (
  SELECT webhook_anota(ARRAY[e.webhook_id], e.cuenta_id, e.rfc, e.tipo, NULL, e.datos)
  FROM (SELECT c.* FROM candidata c JOIN nueva n ON n.webhook_id = c.webhook_id AND n.clave = c.clave ORDER BY c.webhook_id, c.clave) e
)
SELECT (SELECT count(*)::int FROM pagina) AS leidas, (SELECT count(*)::int FROM candidata) AS nuevas, (SELECT count(*)::int FROM dicho) AS dichas,
  (SELECT json_build_object('en', en, 'id', id) FROM pagina ORDER BY en DESC, id DESC LIMIT 1) AS ultimo`;

/** `$4` credits. */
const SALDO = look({
  pagina: `SELECT NULL AS en, w.id, w.cuenta_id FROM webhook w
    WHERE w.estado = 'ACTIVO' AND 'saldo.bajo' = ANY (w.eventos) AND w.id > $3::uuid ORDER BY w.id`,
  estado: `SELECT p.id AS webhook_id, p.cuenta_id, NULL::text AS rfc, 'saldo.bajo' AS tipo, 'saldo.bajo' AS clave, NULL::timestamptz AS hasta,
      jsonb_build_object('saldo', c.saldo, 'umbral', coalesce(a.umbral, $4::int)) AS datos
    FROM pagina p CROSS JOIN LATERAL (SELECT id, saldo FROM cuenta WHERE id = p.cuenta_id OFFSET 0) c LEFT JOIN aviso_saldo a ON a.cuenta_id = c.id
    WHERE c.saldo < coalesce(a.umbral, $4::int)`,
});

const AHORA = 'coalesce($5::timestamptz, now())';

/**
 * What comes to an end by its time, of the taxpayer `d`, for each endpoint that wants to be told of him. `OFFSET 0`: he
 * is looked up, whatever the planner thinks of the length of a page.
 */
const byTime = (tipo: EventoWebhook, { de, isDue, en, clave, hasta, datos }: Record<string, string>) =>
  look({
    pagina: `SELECT ${en} AS en, x.id, x.contribuyente_id FROM ${de} AND ${isDue}
      AND (${en}, x.id) > (coalesce($4::timestamptz, '-infinity'), $3) ORDER BY ${en}, x.id`,
    estado: `SELECT w.id AS webhook_id, w.cuenta_id, d.rfc, '${tipo}' AS tipo, ${clave} AS clave, ${hasta} AS hasta, jsonb_build_object(${datos}) AS datos
      FROM pagina p CROSS JOIN LATERAL (SELECT id, cuenta_id, rfc FROM contribuyente WHERE id = p.contribuyente_id OFFSET 0) d
      CROSS JOIN LATERAL (SELECT id, cuenta_id FROM webhook
        WHERE cuenta_id = d.cuenta_id AND estado = 'ACTIVO' AND '${tipo}' = ANY (eventos) AND (rfcs = '{}' OR d.rfc = ANY (rfcs)) OFFSET 0) w`,
  });

/** `$6` days before an end. */
const CERTIFICADOS = byTime('credencial.por_vencer', {
  de: `credencial x WHERE x.tipo = 'efirma_cer'`,
  en: 'x.vigente_hasta',
  isDue: `x.vigente_hasta > ${AHORA} AND x.vigente_hasta < ${AHORA} + make_interval(days => (SELECT max(n) FROM unnest($6::int[]) n))`,
  clave: `format('credencial.por_vencer %s %s %s', d.id, ${ISO('p.en')}, (SELECT min(n) FROM unnest($6::int[]) n WHERE p.en < ${AHORA} + make_interval(days => n)))`,
  hasta: 'p.en',
  datos: `'modo', (SELECT k.modo FROM credencial x JOIN api_key k ON k.id = x.api_key_id WHERE x.id = p.id), 'credencial', 'efirma', 'vence_en', ${ISO('p.en')}`,
});

/** `$6` days of a key, `$7` of them left when it is told of. */
const LLAVES = byTime('llave.por_rotar', {
  de: `api_key x WHERE x.estado = 'ACTIVA'`,
  en: 'x.creada_en',
  isDue: `x.creada_en < ${AHORA} - make_interval(days => $6::int - $7::int)`,
  clave: `format('llave.por_rotar %s', p.id)`,
  hasta: `${AHORA} + interval '1 year'`,
  datos: `'modo', (SELECT modo FROM api_key WHERE id = p.id), 'creada_en', ${ISO('p.en')}, 'rotar_antes_de', ${ISO('p.en + make_interval(days => $6::int)')}`,
});

/** A balance that is above its threshold again may fall below it again. `$1` rows, beyond `$2`; `$3` credits. */
const FORGET = `
WITH pagina AS MATERIALIZED (
  SELECT webhook_id FROM webhook_aviso WHERE clave = 'saldo.bajo' AND webhook_id > $2::uuid ORDER BY webhook_id LIMIT $1
), olvidado AS (
  DELETE FROM webhook_aviso v USING pagina p JOIN webhook w ON w.id = p.webhook_id JOIN cuenta c ON c.id = w.cuenta_id LEFT JOIN aviso_saldo a ON a.cuenta_id = c.id
  WHERE v.webhook_id = p.webhook_id AND v.clave = 'saldo.bajo' AND c.saldo >= coalesce(a.umbral, $3::int)
)
SELECT count(*)::int AS leidas, max(webhook_id::text) AS ultimo FROM pagina`;

/** Where a look goes on: after this time and this id. */
interface Lugar {
  readonly en: string | null;
  readonly id: string;
}

interface Vista {
  readonly leidas: number;
  /** Endpoints that were not told yet. */
  readonly nuevas: number;
  readonly ultimo: Lugar | null;
}

const CERO = '00000000-0000-0000-0000-000000000000';

/**
 * What is the case and nobody did: a balance below its account's threshold, a certificate near its end, an old key.
 * Each endpoint is told once: of a certificate at each of the days before its end, of a key once a year, of a balance
 * each time that it falls. Who was told is in the database, so that nothing is lost or repeated while nobody looks or a
 * clock jumps; where a look goes on is in memory.
 */
export function createAvisos({ pool }: Pick<Database, 'pool'>) {
  const lugares = new Map<string, Lugar>();

  /** Looks at the next page, and after the last one at the first again. */
  async function page(
    text: string,
    { limite, pagina }: AjustesAvisos,
    valuesAt: (lugar: Lugar | undefined) => readonly unknown[],
  ): Promise<'MORE_TO_TELL' | 'MORE_PAGES' | 'END'> {
    const vista = await rowOf<Vista>(pool, text, [pagina, limite, ...valuesAt(lugares.get(text))]);
    if (vista === null) throw new Error('a look gives one row');
    // The same page again: who was told is found no more.
    if (vista.nuevas >= limite) return 'MORE_TO_TELL';
    if (vista.ultimo === null || vista.leidas < pagina) lugares.delete(text);
    else lugares.set(text, vista.ultimo);
    return lugares.has(text) ? 'MORE_PAGES' : 'END';
  }

  async function forget({ pagina, saldoAviso }: AjustesAvisos): Promise<void> {
    for (let id: string | null = CERO; id !== null; ) {
      const row: { leidas: number; ultimo: string | null } | null = await rowOf(pool, FORGET, [pagina, id, saldoAviso]);
      id = row?.leidas === pagina ? row.ultimo : null;
    }
  }

  return {
    /**
     * Tells of every balance, and of one page of certificates and one of keys: what has days to its end can wait for
     * its page. True when there is more to tell at once.
     */
    async look(ajustes: AjustesAvisos): Promise<boolean> {
      const { saldoAviso, diasLlave, diasAntes, ahora = null } = ajustes;
      if (!lugares.has(SALDO)) await forget(ajustes);
      const told = [
        await page(SALDO, ajustes, (lugar) => [lugar?.id ?? CERO, saldoAviso]),
        await page(CERTIFICADOS, ajustes, (lugar) => [lugar?.id ?? CERO, lugar?.en ?? null, ahora, diasAntes]),
        await page(LLAVES, ajustes, (lugar) => [
          ...[lugar?.id ?? '', lugar?.en ?? null, ahora],
          ...[diasLlave, Math.min(...diasAntes)],
        ]),
      ];
      return told[0] === 'MORE_PAGES' || told.includes('MORE_TO_TELL');
    },
  };
}

export type Avisos = ReturnType<typeof createAvisos>;

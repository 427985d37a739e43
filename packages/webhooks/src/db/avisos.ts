import {
  AHORA,
  type AjustesAvisos,
  byTime,
  certificados,
  type Database,
  type Destino,
  FIRST_ID,
  ISO,
  lookOf,
  pagesOf,
  rowOf,
} from '@acuse/db';

const WEBHOOKS: Destino = {
  aviso: 'webhook_aviso',
  columna: 'webhook_id',
  ofTaxpayer: (tipo) => `SELECT id, cuenta_id FROM webhook
    WHERE cuenta_id = d.cuenta_id AND estado = 'ACTIVO' AND '${tipo}' = ANY (eventos) AND (rfcs = '{}' OR d.rfc = ANY (rfcs))`,
  alive: `SELECT w.id FROM webhook w WHERE w.id = ANY (ARRAY(SELECT destino FROM candidata)) AND w.estado = 'ACTIVO' ORDER BY w.id FOR NO KEY UPDATE`,
  tell: 'webhook_anota(ARRAY[e.destino], e.cuenta_id, e.rfc, e.tipo, NULL, e.datos)',
};

const CERTIFICADOS = certificados(WEBHOOKS);

/** `$4` credits. */
const SALDO = lookOf(WEBHOOKS, {
  pagina: `SELECT NULL AS en, w.id FROM webhook w WHERE w.estado = 'ACTIVO' AND 'saldo.bajo' = ANY (w.eventos) AND w.id > $3::uuid ORDER BY w.id`,
  estado: `SELECT p.id AS destino, c.id AS cuenta_id, NULL::text AS rfc, 'saldo.bajo' AS tipo, 'saldo.bajo' AS clave, NULL::timestamptz AS hasta,
      jsonb_build_object('saldo', c.saldo, 'umbral', coalesce(a.umbral, $4::int)) AS datos
    FROM pagina p CROSS JOIN LATERAL (SELECT w.cuenta_id FROM webhook w WHERE w.id = p.id OFFSET 0) q CROSS JOIN LATERAL (SELECT id, saldo FROM cuenta WHERE id = q.cuenta_id OFFSET 0) c LEFT JOIN aviso_saldo a ON a.cuenta_id = c.id
    WHERE c.saldo < coalesce(a.umbral, $4::int)`,
});

/** `$6` days of a key, `$7` of them left at its notice. */
const LLAVES = byTime(WEBHOOKS, 'llave.por_rotar', {
  de: `api_key x WHERE x.estado = 'ACTIVA'`,
  en: 'x.creada_en',
  isDue: `x.creada_en < ${AHORA} - make_interval(days => $6::int - $7::int)`,
  clave: `format('llave.por_rotar %s', p.id)`,
  hasta: `${AHORA} + interval '1 year'`,
  datos: `'modo', (SELECT modo FROM api_key WHERE id = p.id), 'creada_en', ${ISO('p.en')}, 'rotar_antes_de', ${ISO('p.en + make_interval(days => $6::int)')}`,
});

/** Forgets notices of balances that rose above their threshold: the next fall raises a new one. `$1` rows after `$2`; `$3` credits. */
const FORGET = `
WITH pagina AS MATERIALIZED (
  SELECT DISTINCT webhook_id AS destino FROM webhook_aviso WHERE clave = 'saldo.bajo' AND webhook_id > $2::uuid
  ORDER BY webhook_id LIMIT $1
), olvidado AS (
  DELETE FROM webhook_aviso v USING pagina p WHERE v.webhook_id = p.destino AND v.clave = 'saldo.bajo' AND EXISTS (
    SELECT FROM cuenta c LEFT JOIN aviso_saldo a ON a.cuenta_id = c.id
    WHERE c.id = (SELECT w.cuenta_id FROM webhook w WHERE w.id = v.webhook_id) AND c.saldo >= coalesce(a.umbral, $3::int))
)
SELECT count(*)::int AS leidas, max(destino::text) AS ultimo FROM pagina`;

/**
 * Raises events about states: a balance below its threshold, a certificate near its end, an old key. Each webhook gets one
 * event for each of the days before the end of a certificate, one a year for a key, and one for each fall of a balance.
 * The database holds the sent notices: none is lost or repeated when no worker runs or a clock jumps.
 */
export function createAvisos({ pool }: Pick<Database, 'pool'>) {
  const { isWithin, page } = pagesOf(pool);

  async function forgetRisen({ pagina, saldoAviso }: AjustesAvisos): Promise<void> {
    for (let id: string | null = FIRST_ID; id !== null; ) {
      const row: { leidas: number; ultimo: string | null } | null = await rowOf(pool, FORGET, [pagina, id, saldoAviso]);
      id = row?.leidas === pagina ? row.ultimo : null;
    }
  }

  return {
    /** Checks all balances, one page of certificates and one page of keys. True when more notices are due at once. */
    async look(ajustes: AjustesAvisos): Promise<boolean> {
      const { saldoAviso, diasLlave, diasAntes, ahora = null } = ajustes;
      if (!isWithin(SALDO)) await forgetRisen(ajustes);
      const told = [
        await page(SALDO, ajustes, (lugar) => [lugar?.id ?? FIRST_ID, saldoAviso]),
        await page(CERTIFICADOS, ajustes, (lugar) => [lugar?.id ?? FIRST_ID, lugar?.en ?? null, ahora, diasAntes]),
        await page(LLAVES, ajustes, (lugar) => [
          ...[lugar?.id ?? '', lugar?.en ?? null, ahora],
          ...[diasLlave, Math.min(...diasAntes)],
        ]),
      ];
      return told[0] === 'MORE_PAGES' || told.includes('MORE_TO_TELL');
    },
  };
}

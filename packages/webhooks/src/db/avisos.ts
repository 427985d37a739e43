import type { EventoWebhook } from '@acuse/contract';
import type { Database } from '@acuse/db';
import { rowOf } from '@acuse/db';

export interface AjustesAvisos {
  /** Credits of an account without a threshold of its own. */
  readonly saldoAviso: number;
  /** Days after which a key shall be changed. */
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

const ISO = (column: string) => `to_char((${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Whom a look tells: SQL about the endpoints of webhooks, or about the users who are mailed. */
interface Destino {
  /** What each was told, and the column of that table that names it. */
  readonly aviso: string;
  readonly columna: string;
  /** Those of the account and the taxpayer `d` who want to be told of this. */
  readonly ofTaxpayer: (tipo: EventoWebhook) => string;
  /** Those among the candidates who still want it, locked in the order of their ids where writing to them locks. */
  readonly alive: string;
  /** Tells `e.destino`. */
  readonly tell: string;
}

const WEBHOOKS: Destino = {
  aviso: 'webhook_aviso',
  columna: 'webhook_id',
  ofTaxpayer: (tipo) => `SELECT id, cuenta_id FROM webhook
    WHERE cuenta_id = d.cuenta_id AND estado = 'ACTIVO' AND '${tipo}' = ANY (eventos) AND (rfcs = '{}' OR d.rfc = ANY (rfcs))`,
  alive: `SELECT w.id FROM webhook w WHERE w.id = ANY (ARRAY(SELECT destino FROM candidata)) AND w.estado = 'ACTIVO' ORDER BY w.id FOR NO KEY UPDATE`,
  tell: 'webhook_anota(ARRAY[e.destino], e.cuenta_id, e.rfc, e.tipo, NULL, e.datos)',
};

const CORREO: Destino = {
  aviso: 'correo_aviso',
  columna: 'usuario_id',
  // `correo_avisa` skips members without the right to it. A suspended account gets the notice later.
  ofTaxpayer: (
    tipo,
  ) => `SELECT m.usuario_id AS id, m.cuenta_id FROM miembro m JOIN usuario u ON u.id = m.usuario_id JOIN cuenta q ON q.id = m.cuenta_id
    WHERE m.cuenta_id = d.cuenta_id AND q.suspendida_en IS NULL AND u.correo_verificado_en IS NOT NULL AND '${tipo}' <> ALL (u.avisos_apagados)`,
  alive: 'SELECT DISTINCT destino AS id FROM candidata ORDER BY destino',
  tell: `correo_avisa(e.destino, e.cuenta_id, e.tipo, e.datos || jsonb_strip_nulls(jsonb_build_object('rfc', e.rfc)))`,
};

/**
 * One page, in the order of an index, of what may be the case, and who is to be told. `$1` rows, beyond `$3` (an id);
 * `$2` events. `pagina` gives `en` and `id`, `estado` an event for each `destino`, with the time until which it has to
 * be known that it was told. Endpoints are locked in the order of their ids, as by whoever else writes events.
 */
const look = ({ aviso, columna, alive, tell }: Destino, { pagina, estado }: Record<'pagina' | 'estado', string>) => `
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

const AHORA = 'coalesce($5::timestamptz, now())';

/**
 * What comes to an end by its time, of the taxpayer `d`, for each who wants to be told of him. `OFFSET 0`: he is looked
 * up, whatever the planner thinks of the length of a page.
 */
const byTime = (
  destino: Destino,
  tipo: EventoWebhook,
  { de, isDue, en, clave, hasta, datos }: Record<string, string>,
) =>
  look(destino, {
    pagina: `SELECT ${en} AS en, x.id, x.contribuyente_id FROM ${de} AND ${isDue}
      AND (${en}, x.id) > (coalesce($4::timestamptz, '-infinity'), $3) ORDER BY ${en}, x.id`,
    estado: `SELECT w.id AS destino, w.cuenta_id, d.rfc, '${tipo}' AS tipo, ${clave} AS clave, ${hasta} AS hasta, jsonb_build_object(${datos}) AS datos
      FROM pagina p CROSS JOIN LATERAL (SELECT id, cuenta_id, rfc FROM contribuyente WHERE id = p.contribuyente_id OFFSET 0) d
      CROSS JOIN LATERAL (${destino.ofTaxpayer(tipo)} OFFSET 0) w`,
  });

/** `$6` days before an end. */
const certificados = (destino: Destino) =>
  byTime(destino, 'credencial.por_vencer', {
    de: `credencial x WHERE x.tipo = 'efirma_cer'`,
    en: 'x.vigente_hasta',
    isDue: `x.vigente_hasta > ${AHORA} AND x.vigente_hasta < ${AHORA} + make_interval(days => (SELECT max(n) FROM unnest($6::int[]) n))`,
    clave: `format('credencial.por_vencer %s %s %s', d.id, ${ISO('p.en')}, (SELECT min(n) FROM unnest($6::int[]) n WHERE p.en < ${AHORA} + make_interval(days => n)))`,
    hasta: 'p.en',
    datos: `'modo', (SELECT k.modo FROM credencial x JOIN api_key k ON k.id = x.api_key_id WHERE x.id = p.id), 'credencial', 'efirma', 'vence_en', ${ISO('p.en')}`,
  });

const CERTIFICADOS = certificados(WEBHOOKS);
const CERTIFICADOS_CORREO = certificados(CORREO);

/** `$4` credits. */
const SALDO = look(WEBHOOKS, {
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

/** A balance that is above its threshold again may fall below it again. `$1` rows, beyond `$2`; `$3` credits. */
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

/** Where a look goes on: after this time and this id. */
interface Lugar {
  readonly en: string | null;
  readonly id: string;
}

interface Vista {
  readonly leidas: number;
  /** Those who were not told yet. */
  readonly nuevas: number;
  readonly ultimo: Lugar | null;
}

const CERO = '00000000-0000-0000-0000-000000000000';

type AjustesPagina = Pick<AjustesAvisos, 'limite' | 'pagina'>;

/** Reads looks page by page. Where each goes on is in memory. */
function createPages(pool: Database['pool']) {
  const lugares = new Map<string, Lugar>();
  return {
    isWithin: (text: string) => lugares.has(text),

    /** Looks at the next page, and after the last one at the first again. */
    async page(
      text: string,
      { limite, pagina }: AjustesPagina,
      valuesAt: (lugar: Lugar | undefined) => readonly unknown[],
    ): Promise<'MORE_TO_TELL' | 'MORE_PAGES' | 'END'> {
      const vista = await rowOf<Vista>(pool, text, [pagina, limite, ...valuesAt(lugares.get(text))]);
      if (vista === null) throw new Error('a look gives one row');
      // The same page again: who was told is found no more.
      if (vista.nuevas >= limite) return 'MORE_TO_TELL';
      if (vista.ultimo === null || vista.leidas < pagina) lugares.delete(text);
      else lugares.set(text, vista.ultimo);
      return lugares.has(text) ? 'MORE_PAGES' : 'END';
    },
  };
}

/**
 * Tells webhooks what is the case and nobody did: a balance below its account's threshold, a certificate near its end,
 * an old key. Each endpoint is told once: of a certificate at each of the days before its end, of a key once a year, of
 * a balance each time that it falls. Who was told is in the database, so that nothing is lost or repeated while nobody
 * looks or a clock jumps.
 */
export function createAvisos({ pool }: Pick<Database, 'pool'>) {
  const { isWithin, page } = createPages(pool);

  async function forgetRisen({ pagina, saldoAviso }: AjustesAvisos): Promise<void> {
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
      if (!isWithin(SALDO)) await forgetRisen(ajustes);
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

/** Mails people about certificates near their end, by the same rules. */
export function createAvisosCorreo({ pool }: Pick<Database, 'pool'>) {
  const { page } = createPages(pool);
  return {
    /** Looks at one page of certificates. True when there is more to tell at once. */
    async look(ajustes: AjustesPagina & Pick<AjustesAvisos, 'diasAntes' | 'ahora'>): Promise<boolean> {
      const { diasAntes, ahora = null } = ajustes;
      const told = await page(CERTIFICADOS_CORREO, ajustes, (lugar) => [
        ...[lugar?.id ?? CERO, lugar?.en ?? null, ahora, diasAntes],
      ]);
      return told === 'MORE_TO_TELL';
    },
  };
}

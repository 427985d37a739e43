import type { Autor } from '@acuse/core';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { execute, isOne, rowOf, rowsOf } from '../statements.ts';
import { inTransaction } from '../transaction.ts';
import type { CfdiDeContraparte } from './riesgo.ts';

/** Days before the end of a term at which whoever it is about is reminded; the first is the day after the publication. */
const DIAS_ANTES = [30, 10, 3, 0];
/** Notices that a taxpayer may have. */
export const MAX_AVISOS_49BIS = 500;

/** That the SAT published an issuer, and on which day. */
export interface NuevoAviso49Bis extends Autor {
  /** Null: of the operator, for everybody. */
  readonly contribuyenteId: string | null;
  /** The issuer. */
  readonly rfc: string;
  /** `yyyy-MM-dd`. */
  readonly publicadoEn: string;
  readonly nota: string | null;
}

/** The 30 days of article 49 Bis that run for an issuer. */
export interface Plazo49Bis {
  readonly rfc: string;
  readonly nombre: string;
  readonly publicadoEn: string;
  /** The last day, `yyyy-MM-dd`, and how many are left to it: 0 on that day, fewer later. */
  readonly venceEn: string;
  readonly quedan: number;
  readonly nota: string | null;
  /** Entered by the operator, for everybody. */
  readonly isDelOperador: boolean;
  /** Null where the taxpayer's CFDI are not known. */
  readonly cfdi: CfdiDeContraparte | null;
}

/** A publication as it was entered. */
export type Aviso49Bis = Pick<Plazo49Bis, 'rfc' | 'publicadoEn' | 'venceEn' | 'nota'>;

const suyo = (contribuyente: string) =>
  `coalesce(contribuyente_id, '00000000-0000-0000-0000-000000000000') = coalesce(${contribuyente}::uuid, '00000000-0000-0000-0000-000000000000')`;

const noteOf = (accion: string, de: string) =>
  nota({
    ...{ accion, de, cuenta: '(SELECT c.cuenta_id FROM contribuyente c WHERE c.id = contribuyente_id)' },
    contribuyente: 'contribuyente_id',
    detalle: `jsonb_build_object('proveedor', rfc, 'publicado_en', publicado_en)`,
    ...{ actor: '$3', ip: '$4' },
  });

/** Two that are entered at once follow each other. */
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('aviso_49bis ' || $1::text, 0))`;

/** Whoever gave another day before is reminded of this one anew. */
const FORGET = `DELETE FROM aviso_49bis WHERE ${suyo('$1')} AND rfc = $2`;

const COUNT = `SELECT count(*)::int AS n FROM aviso_49bis WHERE ${suyo('$1')} AND rfc <> $2`;

const ADD = `
WITH nuevo AS (
  INSERT INTO aviso_49bis (contribuyente_id, rfc, publicado_en, nota) VALUES ($1, $2, $5, $6) RETURNING contribuyente_id, rfc, publicado_en
), dicho AS (
  ${noteOf('anotar-aviso-49bis', 'nuevo')}
)
SELECT vence_49bis(publicado_en)::text AS vence FROM nuevo`;

const SAME_DAY = `
UPDATE aviso_49bis SET nota = $4 WHERE ${suyo('$1')} AND rfc = $2 AND publicado_en = $3::date RETURNING vence_49bis(publicado_en)::text AS vence`;

const REMOVE = `
WITH ido AS (
  DELETE FROM aviso_49bis WHERE ${suyo('$1')} AND rfc = $2 RETURNING contribuyente_id, rfc, publicado_en
)
${noteOf('borrar-aviso-49bis', 'ido')}`;

/** The operator's concern whoever else received a CFDI of the issuer; a day that the taxpayer gave himself goes before his. */
const LIST = `
SELECT a.rfc, coalesce(contraparte_nombre($2, a.rfc), '') AS nombre, a.publicado_en::text AS "publicadoEn", vence_49bis(a.publicado_en)::text AS "venceEn",
  vence_49bis(a.publicado_en) - $6::date AS quedan, a.nota, a.contribuyente_id IS NULL AS "isDelOperador", CASE WHEN $2::integer IS NOT NULL THEN contraparte_cfdi($2, a.rfc, $5) END AS cfdi
FROM (
  SELECT DISTINCT ON (x.rfc) x.* FROM aviso_49bis x
  WHERE x.rfc > $3 AND (x.contribuyente_id = $1 OR (x.contribuyente_id IS NULL AND recibe_cfdi($2, x.rfc)
    AND x.rfc <> (SELECT c.rfc FROM contribuyente c WHERE c.id = $1))) ORDER BY x.rfc, x.contribuyente_id NULLS LAST LIMIT $4
) a ORDER BY a.rfc`;

const OF_ALL = `
SELECT rfc, publicado_en::text AS "publicadoEn", vence_49bis(publicado_en)::text AS "venceEn", nota FROM aviso_49bis
WHERE contribuyente_id IS NULL ORDER BY publicado_en DESC, rfc`;

/** `$1` today in central Mexico; `$3` the days. Who was told at one of them is not told at it again, nor of himself. */
const REMIND = `
/* plazos */ WITH toca AS MATERIALIZED (
  SELECT a.id, a.contribuyente_id, a.rfc, q.quedan, (SELECT min(n) FROM unnest($3::int[]) n WHERE n >= q.quedan) AS dias
  FROM aviso_49bis a CROSS JOIN LATERAL (SELECT vence_49bis(a.publicado_en) - $1::date AS quedan) q
  WHERE q.quedan >= 0 AND q.quedan <= (SELECT max(n) FROM unnest($3::int[]) n)
), quien AS (
  SELECT t.id, t.rfc, t.contribuyente_id, t.dias, t.quedan FROM toca t WHERE t.contribuyente_id IS NOT NULL
  UNION ALL
  SELECT t.id, t.rfc, s.contribuyente_id, t.dias, t.quedan FROM toca t JOIN sincronizacion s ON s.estado <> 'BORRADA'
  WHERE t.contribuyente_id IS NULL AND NOT EXISTS (SELECT FROM aviso_49bis p WHERE p.contribuyente_id = s.contribuyente_id AND p.rfc = t.rfc)
    AND recibe_cfdi(s.almacen_id, t.rfc)
)
INSERT INTO aviso_49bis_dicho (aviso_id, contribuyente_id, dias, quedan)
SELECT q.id, q.contribuyente_id, q.dias, q.quedan FROM quien q JOIN contribuyente c ON c.id = q.contribuyente_id AND c.rfc <> q.rfc
WHERE NOT EXISTS (SELECT FROM aviso_49bis_dicho y WHERE y.aviso_id = q.id AND y.contribuyente_id = q.contribuyente_id AND y.dias = q.dias)
ORDER BY q.contribuyente_id, q.id LIMIT $2 ON CONFLICT DO NOTHING`;

/** The terms of article 49 Bis of the CFF, from days that somebody enters: no list of them can be read by a machine. */
export function createPlazos({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Enters the day on which an issuer was published, in the place of the one that was entered before. Gives the last
     * day of the term, and null when the taxpayer has as many notices as he may.
     */
    async add({ contribuyenteId, rfc, publicadoEn, nota: texto, actor, ip }: NuevoAviso49Bis): Promise<string | null> {
      return inTransaction(pool, async (client) => {
        await execute(client, LOCK, [`${contribuyenteId} ${rfc}`]);
        const same = await rowOf<{ vence: string }>(client, SAME_DAY, [contribuyenteId, rfc, publicadoEn, texto]);
        if (same !== null) return same.vence;
        const held = await rowOf<{ n: number }>(client, COUNT, [contribuyenteId, rfc]);
        if (contribuyenteId !== null && (held?.n ?? 0) >= MAX_AVISOS_49BIS) return null;
        await execute(client, FORGET, [contribuyenteId, rfc]);
        const added = await rowOf<{ vence: string }>(client, ADD, [
          contribuyenteId,
          rfc,
          actor,
          ip,
          publicadoEn,
          texto,
        ]);
        return added?.vence ?? null;
      });
    },

    /** Takes back what was entered of an issuer. False when nothing was. */
    remove: (contribuyenteId: string | null, rfc: string, { actor, ip }: Autor) =>
      isOne(pool, REMOVE, [contribuyenteId, rfc, actor, ip]),

    /** Those that concern a taxpayer, by issuer, after this one; `almacenId` null where his CFDI are not known. */
    list(de: {
      contribuyenteId: string;
      almacenId: number | null;
      despuesDe: string;
      limite: number;
      uuids: number;
      hoy: string;
    }): Promise<Plazo49Bis[]> {
      return rowsOf(pool, LIST, [de.contribuyenteId, de.almacenId, de.despuesDe, de.limite, de.uuids, de.hoy]);
    },

    /** Those of the operator, the newest first. */
    ofAll: () => rowsOf<Aviso49Bis>(pool, OF_ALL),

    /**
     * Reminds, once at each of the days before an end, whoever entered it, and of those of the operator whoever
     * received a CFDI of the issuer. Gives how many: as many as `limite` when there may be more.
     */
    remind: (hoy: string, limite: number) => execute(pool, REMIND, [hoy, limite, DIAS_ANTES]),
  };
}

export type Plazos = ReturnType<typeof createPlazos>;

import type { TipoDescarga } from '@acuse/core';
import { type Cambio, createAlmacenes } from '@acuse/sincronizacion/db';
import { expect } from 'vitest';
import type { TestDatabase } from '../../integration/fixtures/database.ts';
import type { Random } from '../random.ts';
import { type Answered, createMirror, type Known } from './mirror.ts';

/** Follows the changes of one subscription by its cursor, and keeps the CFDI that they describe. */
export function createFollower(database: Pick<TestDatabase, 'db'>, almacenId: number, azar: Random) {
  const { cambios } = createAlmacenes(database.db);
  const kept = new Map<string, Known>();
  let cursor = 0n;
  let deaths = 0;

  function apply(page: readonly Cambio[]) {
    for (const cambio of page) {
      const { n, clase, tipo, uuid, isVigente, canceladaEn, contraparte, monto, efecto } = cambio;
      if (n !== cursor + 1n) throw new Error(`store ${almacenId} told ${n} after ${cursor}`);
      cursor = n;
      const key = `${tipo} ${uuid}`;
      if (kept.has(key) !== (clase !== 'nuevo')) throw new Error(`store ${almacenId} told twice of ${key}: ${clase}`);
      const data = JSON.stringify([canceladaEn, Number(monto), contraparte.rfc, contraparte.nombre, efecto]);
      kept.set(key, { data, isVigente, canceladaEn, isAusente: clase === 'ausente' });
    }
  }

  return {
    kept: kept as ReadonlyMap<string, Known>,
    cursor: () => cursor,
    deaths: () => deaths,
    /** Reads on to the last page, or until it dies with a page in its hands that it has not noted. */
    async poll(mayDie: boolean): Promise<void> {
      for (;;) {
        const page = await cambios({ almacenId, despuesDe: cursor, limite: 1 + azar.below(200) });
        if (page.length === 0) return;
        if (mayDie && azar.below(6) === 0) {
          deaths += 1;
          return;
        }
        apply(page);
      }
    },
  };
}

type Follower = ReturnType<typeof createFollower>;

interface StoredRow extends Omit<Known, 'data'> {
  readonly uuid: string;
  readonly tipo: TipoDescarga;
  readonly data: readonly [string | null, number, string, string, string];
}

/** What a store should be by what the SAT said, and whether it is, and tells so. */
export function createAuditor(database: Pick<TestDatabase, 'sql'>, almacenId: number) {
  const { sql } = database;
  const mirrors = { emitidos: createMirror(false), recibidos: createMirror(true) };
  let [readings, changes] = [0, 0];

  /** Applies the readings merged since, one after the other, and compares their results. */
  async function takeIn(answers: Map<string, Answered>): Promise<void> {
    const lecturas = await sql<{
      n: number;
      solicitudId: string;
      tipo: TipoDescarga;
      period: string;
      isDudosa: boolean;
    }>`
      SELECT n, solicitud_id AS "solicitudId", tipo, desde || ' ' || hasta AS period, es_dudosa AS "isDudosa"
      FROM lectura WHERE almacen_id = ${almacenId} AND n > ${readings} ORDER BY n`;
    const told = await sql<{ lectura: number; what: string }>`
      SELECT lectura, CASE clase WHEN 'N' THEN 'nuevo' WHEN 'C' THEN 'cancelado' WHEN 'V' THEN 'vigente' WHEN 'D' THEN 'corregido'
        WHEN 'A' THEN 'ausente' ELSE 'presente' END || ' ' || upper(uuid::text) AS what
      FROM cfdi_cambio WHERE almacen_id = ${almacenId} AND n > ${changes} ORDER BY n`;
    const byLectura = new Map<number, string[]>();
    for (const { lectura, what } of told) byLectura.set(lectura, [...(byLectura.get(lectura) ?? []), what]);
    for (const { n, solicitudId, tipo, period, isDudosa } of lecturas) {
      const answered = answers.get(solicitudId);
      if (answered === undefined) throw new Error(`reading ${n} of ${almacenId} is of nothing that the SAT said`);
      answers.delete(solicitudId);
      const should = mirrors[tipo].read(answered);
      const told = (byLectura.get(n) ?? []).toSorted();
      expect({ n, period, isDudosa, told }).toEqual({
        n: readings + 1,
        period: `${answered.desde} ${answered.hasta}`,
        isDudosa: should.isDudosa,
        told: should.told.toSorted(),
      });
      readings = n;
    }
    changes += told.length;
  }

  return {
    mirrors,
    counts: () => ({ readings, changes }),
    /**
     * Checks that the store equals its readings, its numbers have no gap, and a follower of its changes has the same.
     */
    async check(answers: Map<string, Answered>, follower: Follower): Promise<void> {
      await takeIn(answers);
      const rows = await sql<StoredRow>`
        SELECT CASE WHEN x.recibido THEN 'recibidos' ELSE 'emitidos' END AS tipo, upper(x.uuid::text) AS uuid, x.vigente AS "isVigente",
          to_char(x.cancelada, 'YYYY-MM-DD"T"HH24:MI:SS') AS "canceladaEn", x.ausente IS NOT NULL AS "isAusente",
          json_build_array(to_char(x.cancelada, 'YYYY-MM-DD"T"HH24:MI:SS'), x.monto::float8, c.rfc, c.nombre, x.efecto) AS data
        FROM cfdi x JOIN nombrado c ON c.id = x.contraparte_id WHERE x.almacen_id = ${almacenId}`;
      const stored = new Map(
        rows.map(({ tipo, uuid, data, ...row }) => [`${tipo} ${uuid}`, { ...row, data: JSON.stringify(data) }]),
      );
      const should = new Map(
        Object.entries(mirrors).flatMap(([tipo, { known }]) =>
          [...known].map(([uuid, { data, isVigente, canceladaEn, isAusente }]) => {
            return [`${tipo} ${uuid}`, { data, isVigente, canceladaEn, isAusente }] as const;
          }),
        ),
      );
      expect(differences(stored, should)).toEqual([]);
      await follower.poll(false);
      expect(differences(follower.kept, stored)).toEqual([]);
      const [numbers] = await sql<{ cambios: number; count: number; last: number }>`
        SELECT a.cambios::int AS cambios, count(k.n)::int AS count, coalesce(max(k.n), 0)::int AS last
        FROM almacen a LEFT JOIN cfdi_cambio k ON k.almacen_id = a.id WHERE a.id = ${almacenId} GROUP BY a.id`;
      expect(numbers).toEqual({ cambios: changes, count: changes, last: Number(follower.cursor()) });
    },
  };
}

/** What two maps do not have alike, the first ten of it. */
export function differences(is: ReadonlyMap<string, Known>, should: ReadonlyMap<string, Known>): unknown[] {
  const wrong: unknown[] = [];
  for (const key of new Set([...is.keys(), ...should.keys()])) {
    const [one, other] = [is.get(key), should.get(key)];
    const isAlike =
      one !== undefined &&
      other !== undefined &&
      one.data === other.data &&
      one.isAusente === other.isAusente &&
      one.isVigente === other.isVigente &&
      one.canceladaEn === other.canceladaEn;
    if (!isAlike) wrong.push({ key, is: one, should: other });
    if (wrong.length === 10) break;
  }
  return wrong;
}

import type { EstadoEdos, ListaEdos } from '@acuse/core';
import type pg from 'pg';
import { nota } from '../cuentas/auditoria.ts';
import type { Database } from '../database.ts';
import { inTransaction } from '../transaction.ts';

/** Any number of its own: two imports follow each other. */
const LOCK = 7_211_964_070;

async function readEstado(client: Pick<pg.ClientBase, 'query'>): Promise<EstadoEdos | null> {
  const { rows } = await client.query<{ fuente: string; rfcs: number; importada_en: Date }>(
    'SELECT fuente, rfcs, importada_en FROM edos_lista',
  );
  const row = rows[0];
  return row ? { fuente: row.fuente, rfcs: row.rfcs, importadaEn: row.importada_en } : null;
}

const IMPORT = `
WITH lista AS (
  INSERT INTO edos_lista (fuente, rfcs) VALUES ($3, $4)
  ON CONFLICT (unica) DO UPDATE SET fuente = excluded.fuente, rfcs = excluded.rfcs, importada_en = now() RETURNING fuente, rfcs
)
${nota({
  accion: 'importar-edos',
  de: 'lista',
  cuenta: 'NULL::uuid',
  detalle: `jsonb_build_object('fuente', fuente, 'rfcs', rfcs)`,
  actor: '$1',
  ip: '$2',
})}`;

const DROP = `
WITH lista AS (DELETE FROM edos_lista RETURNING unica)
${nota({ accion: 'borrar-edos', de: 'lista', cuenta: 'NULL::uuid', actor: '$1', ip: '$2' })}`;

/** The operator's list over PostgreSQL. Changes go to the audit log. */
export function createListaEdos({ pool }: Pick<Database, 'pool'>): ListaEdos {
  const change = <T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
    inTransaction(pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await client.query('DELETE FROM edos_rfc');
      return run(client);
    });

  return {
    importar: ({ fuente, rfcs, actor, ip }) =>
      change(async (client) => {
        const unique = [...new Set(rfcs)];
        await client.query('INSERT INTO edos_rfc (rfc) SELECT unnest($1::text[])', [unique]);
        await client.query('ANALYZE edos_rfc');
        await client.query(IMPORT, [actor, ip, fuente, unique.length]);
        const estado = await readEstado(client);
        if (estado === null) throw new Error('the imported list is not there');
        return estado;
      }),
    estado: () => readEstado(pool),
    borrar: ({ actor, ip }) => change(async (client) => (await client.query(DROP, [actor, ip])).rowCount === 1),
  };
}

import type { EstadoEdos, ListaEdos } from '@acuse/core';
import type pg from 'pg';
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

/** The operator's list over PostgreSQL. Changes go to the audit log. */
export function createListaEdos({ pool }: Pick<Database, 'pool'>): ListaEdos {
  const change = <T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
    inTransaction(pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      return run(client);
    });

  const note = (client: pg.PoolClient, actor: string, accion: string, detalle: Record<string, unknown>) =>
    client.query('INSERT INTO auditoria (actor, accion, detalle) VALUES ($1, $2, $3)', [
      actor,
      accion,
      JSON.stringify(detalle),
    ]);

  return {
    importar: ({ fuente, rfcs, actor }) =>
      change(async (client) => {
        const unique = [...new Set(rfcs)];
        await client.query('DELETE FROM edos_rfc');
        await client.query('INSERT INTO edos_rfc (rfc) SELECT unnest($1::text[])', [unique]);
        await client.query('ANALYZE edos_rfc');
        await client.query(
          `INSERT INTO edos_lista (fuente, rfcs) VALUES ($1, $2)
           ON CONFLICT (unica) DO UPDATE SET fuente = excluded.fuente, rfcs = excluded.rfcs, importada_en = now()`,
          [fuente, unique.length],
        );
        await note(client, actor, 'importar-edos', { fuente, rfcs: unique.length });
        const estado = await readEstado(client);
        if (estado === null) throw new Error('the imported list is not there');
        return estado;
      }),
    estado: () => readEstado(pool),
    borrar: ({ actor }) =>
      change(async (client) => {
        await client.query('DELETE FROM edos_rfc');
        const { rowCount } = await client.query('DELETE FROM edos_lista');
        if (rowCount === 0) return false;
        await note(client, actor, 'borrar-edos', {});
        return true;
      }),
  };
}

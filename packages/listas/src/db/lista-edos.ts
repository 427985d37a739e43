import type { Autor } from '@acuse/core';
import { type Connection, type Database, execute, inTransaction, isOne, nota, rowOf } from '@acuse/db';
import type pg from 'pg';
import type { EstadoEdos } from '../listas.ts';

/** Any number of its own: two imports follow each other. */
const LOCK = 7_211_964_070;

const readEstado = (connection: Connection) =>
  rowOf<EstadoEdos>(connection, 'SELECT fuente, rfcs, importada_en AS "importadaEn" FROM edos_lista');

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

/**
 * The operator's own list of EDOS, under the name of its source: no list by RFC is published. Changes go to the audit
 * log.
 */
export function createListaEdos({ pool }: Pick<Database, 'pool'>) {
  const change = <T>(run: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
    inTransaction(pool, async (client) => {
      await execute(client, 'SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await execute(client, 'DELETE FROM edos_rfc');
      return run(client);
    });

  return {
    /** Takes the place of the earlier list, all of it or nothing. */
    importar: ({ fuente, rfcs, actor, ip }: { readonly fuente: string; readonly rfcs: readonly string[] } & Autor) =>
      change(async (client) => {
        const unique = [...new Set(rfcs)];
        await execute(client, 'INSERT INTO edos_rfc (rfc) SELECT unnest($1::text[])', [unique]);
        await execute(client, "SELECT lista_analiza('edos_rfc')");
        await execute(client, IMPORT, [actor, ip, fuente, unique.length]);
        const estado = await readEstado(client);
        if (estado === null) throw new Error('the imported list is not there');
        return estado;
      }),
    estado: () => readEstado(pool),
    /** False when there was none. */
    remove: ({ actor, ip }: Autor) => change(async (client) => isOne(client, DROP, [actor, ip])),
  };
}

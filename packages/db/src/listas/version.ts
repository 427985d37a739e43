import type { VersionEfos } from '@acuse/core';
import type pg from 'pg';
import { rowOf } from '../statements.ts';

const CURRENT = `
SELECT v.id, v.fecha_corte::text AS "fechaCorte", v.fuente, v.etag, v.ultima_modificacion AS "ultimaModificacion", v.filas, v.sha256,
       v.cargada_en AS "cargadaEn", v.revisada_en AS "revisadaEn"
FROM efos_vigente g JOIN efos_version v ON v.id = g.version_id WHERE g.unica`;

/**
 * The version that answers are given from, or null. With `isLocked` it stays the current one until the transaction
 * ends.
 */
export async function readVigente(
  client: Pick<pg.ClientBase, 'query'>,
  { isLocked = false } = {},
): Promise<VersionEfos | null> {
  return rowOf<VersionEfos>(client, isLocked ? `${CURRENT} FOR UPDATE OF g` : CURRENT);
}

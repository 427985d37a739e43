import type { VersionEfos } from '@acuse/core';
import type pg from 'pg';

interface VersionRow {
  id: string;
  fecha_corte: string;
  fuente: string;
  etag: string | null;
  ultima_modificacion: string | null;
  filas: number;
  sha256: string;
  cargada_en: Date;
  revisada_en: Date;
}

const CURRENT = `
SELECT v.id, v.fecha_corte::text AS fecha_corte, v.fuente, v.etag, v.ultima_modificacion, v.filas, v.sha256, v.cargada_en, v.revisada_en
FROM efos_vigente g JOIN efos_version v ON v.id = g.version_id WHERE g.unica`;

/**
 * The version that answers are given from, or null. With `isLocked` it stays the current one until the transaction
 * ends.
 */
export async function readVigente(
  client: Pick<pg.ClientBase, 'query'>,
  { isLocked = false } = {},
): Promise<VersionEfos | null> {
  const { rows } = await client.query<VersionRow>(isLocked ? `${CURRENT} FOR UPDATE OF g` : CURRENT);
  const row = rows[0];
  if (!row) return null;
  return {
    id: row.id,
    fechaCorte: row.fecha_corte,
    fuente: row.fuente,
    etag: row.etag,
    ultimaModificacion: row.ultima_modificacion,
    filas: row.filas,
    sha256: row.sha256,
    cargadaEn: row.cargada_en,
    revisadaEn: row.revisada_en,
  };
}

import { randomUUID } from 'node:crypto';
import { type ClaveListado, type FilaListado, LISTADOS } from '@acuse/listas';
import { createCargaListado } from '@acuse/listas/db';
import type { TestDatabase } from '../fixtures/database.ts';
import { abrirListado } from '../listas/lista-fingida.ts';

/** A row of list 69-B. */
export interface Renglon {
  readonly rfc: string | null;
  readonly situacion: 'PRESUNTO' | 'DESVIRTUADO' | 'DEFINITIVO' | 'SENTENCIA_FAVORABLE';
  readonly publicada?: string | null;
}

/** Puts these rows in the place of the current version of list 69-B, in one transaction, as its loader does. */
export async function publish({ db }: Pick<TestDatabase, 'db'>, renglones: readonly Renglon[]): Promise<string> {
  const id = randomUUID();
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(
      `INSERT INTO efos_version (id, fecha_corte, fuente, filas) VALUES ($1, '2026-07-31', 'prueba', $2)`,
      [id, renglones.length],
    );
    await client.query(
      `INSERT INTO efos_fila (version_id, orden, rfc, nombre, situacion, historial)
       SELECT $1, f.orden, f.rfc, 'Alguien', f.situacion,
         CASE WHEN f.publicada IS NULL THEN '[]' ELSE jsonb_build_array(jsonb_build_object('situacion', f.situacion, 'fechaSat', f.publicada)) END
       FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS f (rfc, situacion, publicada, orden)`,
      [
        id,
        renglones.map(({ rfc }) => rfc),
        renglones.map(({ situacion }) => situacion),
        renglones.map(({ publicada = null }) => publicada),
      ],
    );
    await client.query(
      `INSERT INTO efos_vigente (unica, version_id) VALUES (true, $1) ON CONFLICT (unica) DO UPDATE SET version_id = excluded.version_id`,
      [id],
    );
    await client.query('DELETE FROM efos_version WHERE id <> $1', [id]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return id;
}

/** Loads these rows as the current version of another list's file, by its loader. */
export async function loadListado(
  { db }: Pick<TestDatabase, 'db'>,
  clave: Exclude<ClaveListado, '69-b'>,
  renglones: readonly (Pick<FilaListado, 'rfc'> & Partial<FilaListado>)[],
): Promise<void> {
  const { supuesto } = LISTADOS[clave];
  const filas = renglones.map((renglon) => ({ nombre: 'Alguien', supuesto, publicada: null, ...renglon }));
  const abrir = abrirListado({ filas });
  await createCargaListado(db, clave).loadList({ abrir, minFilas: 0, forzar: true }, AbortSignal.timeout(60_000));
}

/** The same, loaded long ago: the crossing skips a list that has only just been loaded. */
export async function publishListado(t: TestDatabase, ...args: Tail<Parameters<typeof loadListado>>): Promise<void> {
  await loadListado(t, ...args);
  await settle(t);
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer R] ? R : never;

/** Lets the minutes go by that list 69 waits for its next file. */
export const settle = ({ sql }: Pick<TestDatabase, 'sql'>) =>
  sql`UPDATE listado_carga SET iniciada_en = iniciada_en - interval '2 hours', terminada_en = terminada_en - interval '2 hours'`;

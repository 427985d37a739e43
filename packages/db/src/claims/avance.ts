import { randomUUID } from 'node:crypto';
import type { Avance, CambioParte } from '@acuse/core';
import type pg from 'pg';
import { execute } from '../statements.ts';

const COLUMNS = {
  estado: 'estado',
  canal: 'canal',
  vacias: 'vacias',
  folio: 'folio',
  desfase: 'desfase',
  envios: 'envios',
  reenvios: 'reenvios',
  consultas: 'consultas',
  fallos: 'fallos',
  accesos: 'accesos',
  registros: 'registros',
} as const satisfies Partial<Record<keyof CambioParte, string>>;

/**
 * Notes what happened. A look at the authority that finds what the last event says is counted in its row: nearly all
 * looks find nothing new.
 */
const NOTE = `
WITH ultimo AS (
  SELECT id, tipo, codigo, detalle FROM evento WHERE solicitud_id = $1 ORDER BY id DESC LIMIT 1
), repetido AS (
  UPDATE evento e SET veces = e.veces + 1, ultima_en = now() FROM ultimo u
  WHERE e.id = u.id AND cardinality($2::text[]) = 1 AND u.tipo IN ('SAT_EN_PROCESO', 'SAT_SIN_RESPUESTA')
    AND (u.tipo, u.codigo, u.detalle) IS NOT DISTINCT FROM (($2::text[])[1], ($3::text[])[1], ($4::text[])[1]) RETURNING e.id
)
INSERT INTO evento (solicitud_id, tipo, codigo, detalle)
SELECT $1, n.tipo, n.codigo, n.detalle FROM unnest($2::text[], $3::text[], $4::text[]) AS n (tipo, codigo, detalle)
WHERE NOT EXISTS (SELECT FROM repetido)`;

/** Writes the changes of one step. The caller holds the row lock of the solicitud in this transaction. */
export async function writeAvance(client: pg.PoolClient, solicitudId: string, avance: Avance): Promise<void> {
  for (const cambio of avance.partes ?? []) await writeParte(client, solicitudId, cambio);
  if (avance.nuevas) {
    const { reemplaza, periodos, canal = null, vacias = [] } = avance.nuevas;
    if (reemplaza !== null)
      await execute(client, 'DELETE FROM parte WHERE id = $1 AND solicitud_id = $2', [reemplaza, solicitudId]);
    await execute(
      client,
      `INSERT INTO parte (id, solicitud_id, inicio, fin, canal, vacias)
       SELECT n.id, $1, n.inicio, n.fin, $5, $6 FROM unnest($2::uuid[], $3::text[], $4::text[]) AS n (id, inicio, fin)`,
      [
        solicitudId,
        periodos.map(() => randomUUID()),
        periodos.map((p) => p.inicio),
        periodos.map((p) => p.fin),
        canal,
        vacias,
      ],
    );
  }
  if (avance.eventos && avance.eventos.length > 0)
    await execute(client, NOTE, [
      solicitudId,
      avance.eventos.map((e) => e.tipo),
      avance.eventos.map((e) => e.codigo ?? null),
      avance.eventos.map((e) => e.detalle?.slice(0, 500) ?? null),
    ]);
}

async function writeParte(client: pg.PoolClient, solicitudId: string, cambio: CambioParte): Promise<void> {
  const values: unknown[] = [cambio.parteId, solicitudId];
  const sets: string[] = [];
  const set = (expression: (parameter: string) => string, value: unknown) => {
    values.push(value);
    sets.push(expression(`$${values.length}`));
  };
  for (const [field, column] of Object.entries(COLUMNS)) {
    const value = cambio[field as keyof typeof COLUMNS];
    if (value !== undefined) set((parameter) => `${column} = ${parameter}`, value);
  }
  if (cambio.dueInSeconds !== undefined)
    set((parameter) => `due_at = now() + make_interval(secs => ${parameter})`, cambio.dueInSeconds);
  if (cambio.estado === 'SOLICITADA') sets.push('solicitada_en = now()');
  if (sets.length > 0)
    await execute(client, `UPDATE parte SET ${sets.join(', ')} WHERE id = $1 AND solicitud_id = $2`, values);

  if (cambio.paquetes) {
    await execute(client, 'DELETE FROM paquete_sat WHERE parte_id = $1', [cambio.parteId]);
    await execute(
      client,
      `INSERT INTO paquete_sat (parte_id, paquete, orden)
       SELECT $1, n.paquete, n.orden FROM unnest($2::text[]) WITH ORDINALITY AS n (paquete, orden)`,
      [cambio.parteId, cambio.paquetes],
    );
  }
  if (cambio.guardado) {
    const { paquete, objectKey, bytes, sha256 } = cambio.guardado;
    await execute(
      client,
      `UPDATE paquete_sat SET object_key = $3, bytes = $4, sha256 = $5, guardado_en = now() WHERE parte_id = $1 AND paquete = $2`,
      [cambio.parteId, paquete, objectKey, bytes, sha256],
    );
  }
  if (cambio.releer)
    await execute(
      client,
      'UPDATE paquete_sat SET object_key = NULL, relecturas = relecturas + 1 WHERE parte_id = $1 AND paquete = $2',
      [cambio.parteId, cambio.releer.paquete],
    );
}

import { randomUUID } from 'node:crypto';
import {
  type AbrirListaEfos,
  type FilaEfos,
  type ListaEfosAbierta,
  ListaRechazada,
  type ResultadoCarga,
  type VersionEfos,
} from '@acuse/core';
import type pg from 'pg';
import { execute } from '../statements.ts';
import { transactionOn } from '../transaction.ts';
import { readVigente } from './version.ts';

/** Part of the current version's rows that a new one has to have: the list hardly ever loses any. */
const REMAINING_PART = 0.9;

const INSERT_ROWS = `
INSERT INTO efos_fila (version_id, orden, rfc, nombre, situacion, historial)
SELECT $1, f.orden, f.rfc, f.nombre, f.situacion, f.historial
FROM unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::jsonb[]) AS f (orden, rfc, nombre, situacion, historial)`;

export interface CargaOptions {
  readonly abrir: AbrirListaEfos;
  readonly minFilas: number;
  /** Takes a list however short or old it is: the operator knows why. */
  readonly forzar: boolean;
  /** Notes how it ended, in the transaction that ends it. */
  readonly note: (resultado: 'CARGADA' | 'SIN_CAMBIO') => Promise<unknown>;
}

/**
 * Brings the list up to date over one connection, which holds the lock of loading: when it drops, whatever it would
 * still do fails, and the next loader removes what it left. Readers see the earlier version until the one transaction
 * that ends this.
 */
export async function cargarVersion(
  client: pg.ClientBase,
  options: CargaOptions,
  signal: AbortSignal,
): Promise<ResultadoCarga> {
  await execute(
    client,
    'DELETE FROM efos_version v WHERE NOT EXISTS (SELECT FROM efos_vigente g WHERE g.version_id = v.id)',
  );
  const previa = await readVigente(client);
  const lista = await options.abrir(previa, signal);
  if (lista === null) {
    if (previa === null) throw new Error('the source says unchanged, and there is nothing to compare with');
    return await confirm(client, previa, options);
  }
  try {
    if (!options.forzar) refuseOlder(lista, previa);
    const id = await insertVersion(client, lista);
    const filas = await insertRows(client, id, lista, signal);
    const sha256 = lista.sha256();
    if (previa !== null && previa.sha256 === sha256) {
      await execute(client, 'DELETE FROM efos_version WHERE id = $1', [id]);
      return await confirm(client, previa, options, lista);
    }
    if (!options.forzar) refuseShort(filas, options.minFilas, previa);
    // Before anybody reads the new version, so that nobody's plan is made for the one before.
    await client.query('ANALYZE efos_fila');
    return { resultado: 'CARGADA', version: await swap(client, { id, filas, sha256 }, lista, options) };
  } finally {
    lista.close();
  }
}

function refuseOlder({ fechaCorte }: ListaEfosAbierta, previa: VersionEfos | null): void {
  if (previa === null || fechaCorte >= previa.fechaCorte) return;
  throw new ListaRechazada(
    'LISTA_ANTERIOR',
    `su corte es del ${fechaCorte} y el de la vigente, del ${previa.fechaCorte}`,
  );
}

function refuseShort(filas: number, minFilas: number, previa: VersionEfos | null): void {
  const least = Math.max(minFilas, Math.ceil((previa?.filas ?? 0) * REMAINING_PART));
  if (filas >= least) return;
  throw new ListaRechazada('LISTA_MENGUADA', `tiene ${filas} renglones y se esperaban al menos ${least}`);
}

async function insertVersion(client: pg.ClientBase, lista: ListaEfosAbierta): Promise<string> {
  const id = randomUUID();
  await execute(
    client,
    'INSERT INTO efos_version (id, fecha_corte, fuente, etag, ultima_modificacion) VALUES ($1, $2, $3, $4, $5)',
    [id, lista.fechaCorte, lista.fuente, lista.etag, lista.ultimaModificacion],
  );
  return id;
}

async function insertRows(
  client: pg.ClientBase,
  id: string,
  lista: ListaEfosAbierta,
  signal: AbortSignal,
): Promise<number> {
  let filas = 0;
  for await (const batch of lista.batches) {
    signal.throwIfAborted();
    const column = <T>(of: (fila: FilaEfos, index: number) => T) => batch.map(of);
    await execute(client, INSERT_ROWS, [
      id,
      column((_, index) => filas + index + 1),
      column((fila) => fila.rfc),
      column((fila) => fila.nombre),
      column((fila) => fila.situacion),
      column((fila) => JSON.stringify(fila.historial)),
    ]);
    filas += batch.length;
  }
  return filas;
}

/** The swap itself. The current version is read again under a lock: the last word on what is older is said here. */
async function swap(
  client: pg.ClientBase,
  { id, filas, sha256 }: { id: string; filas: number; sha256: string },
  lista: ListaEfosAbierta,
  { forzar, note }: CargaOptions,
): Promise<VersionEfos> {
  await transactionOn(client, async () => {
    const current = await readVigente(client, { isLocked: true });
    if (!forzar) refuseOlder(lista, current);
    await execute(
      client,
      'UPDATE efos_version SET filas = $2, sha256 = $3, cargada_en = now(), revisada_en = now() WHERE id = $1',
      [id, filas, sha256],
    );
    await execute(
      client,
      `INSERT INTO efos_vigente (unica, version_id) VALUES (true, $1)
       ON CONFLICT (unica) DO UPDATE SET version_id = excluded.version_id`,
      [id],
    );
    await note('CARGADA');
  });
  await execute(
    client,
    'DELETE FROM efos_version v WHERE NOT EXISTS (SELECT FROM efos_vigente g WHERE g.version_id = v.id)',
  );
  return await requireVigente(client);
}

/** The source has nothing newer: the current version counts as looked at now. */
async function confirm(
  client: pg.ClientBase,
  previa: VersionEfos,
  { note }: CargaOptions,
  lista?: ListaEfosAbierta,
): Promise<ResultadoCarga> {
  await transactionOn(client, async () => {
    await execute(
      client,
      `UPDATE efos_version SET revisada_en = now(), fuente = coalesce($2, fuente),
         etag = CASE WHEN $2::text IS NULL THEN etag ELSE $3 END,
         ultima_modificacion = CASE WHEN $2::text IS NULL THEN ultima_modificacion ELSE $4 END
       WHERE id = $1`,
      [previa.id, lista?.fuente ?? null, lista?.etag ?? null, lista?.ultimaModificacion ?? null],
    );
    await note('SIN_CAMBIO');
  });
  return { resultado: 'SIN_CAMBIO', version: await requireVigente(client) };
}

async function requireVigente(client: pg.ClientBase): Promise<VersionEfos> {
  const version = await readVigente(client);
  if (version === null) throw new Error('the list has no current version');
  return version;
}

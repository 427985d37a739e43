import type { EstadoSolicitud } from '@acuse/contract';
import { type Aceptacion, type NuevaSolicitud, ResultadoIncierto } from '@acuse/core';
import type { Database } from '../database.ts';
import { isUniqueViolation, sendOnce } from '../errors.ts';
import { NOTIFY_OUTBOX } from '../outbox.ts';
import { prepared } from '../statements.ts';

/** Columns of a request, by their names in `solicitud_acepta` (prisma/functions/solicitud.sql). */
const COLUMNS: Readonly<Record<string, readonly [type: string, value: (nueva: NuevaSolicitud) => unknown]>> = {
  id: ['uuid', (n) => n.id],
  contribuyente_id: ['uuid', (n) => n.contribuyenteId],
  api_key_id: ['text', (n) => n.apiKeyId],
  version: ['bigint', (n) => n.version.toString()],
  tipo: ['text', (n) => n.tipo],
  desde: ['date', (n) => n.desde],
  hasta: ['date', (n) => n.hasta],
  formato: ['text', (n) => n.formato],
  filtros: ['jsonb', criteriosOf],
  canal: ['text', (n) => n.canal],
  gratis: ['boolean', (n) => n.costo === 0],
  deadline_at: ['timestamptz', (n) => n.deadlineAt],
  expira_en: ['timestamptz', (n) => n.sellada.expiraEn],
  credencial_tipo: ['text', (n) => n.sellada.tipo],
  kid: ['text', (n) => n.sellada.kid],
  sobre: ['bytea', (n) => n.sellada.sobre],
  otra_tipo: ['text', (n) => n.otra?.tipo ?? null],
  otra_kid: ['text', (n) => n.otra?.kid ?? null],
  otra_sobre: ['bytea', (n) => n.otra?.sobre ?? null],
  otra_expira_en: ['timestamptz', (n) => n.otra?.expiraEn ?? null],
  idem_key: ['text', (n) => n.idemKey],
  traceparent: ['text', (n) => n.traceparent ?? null],
  capsula: ['boolean', (n) => n.mayPresign ?? false],
};

/** All that makes two requests of the same period different, in the column `filtros`; null for the metadata of all CFDI. */
function criteriosOf({ filtros, contenido = 'metadata', tablas = false }: NuevaSolicitud): string | null {
  const criterios = { ...filtros, ...(contenido === 'xml' ? { contenido } : {}), ...(tablas ? { tablas } : {}) };
  return Object.keys(criterios).length === 0 ? null : JSON.stringify(criterios);
}

/** Columns of the solicitud `t` that {@link criteriosOf} wrote as one. */
export const criteriosIn = (t: string) => `nullif(${t}.filtros - '{contenido,tablas}'::text[], '{}') AS filtros,
  coalesce(${t}.filtros ->> 'contenido', 'metadata') AS contenido, coalesce(${t}.filtros ? 'tablas', false) AS tablas`;

const REQUESTS = Object.entries(COLUMNS).map(([name, [type]], at) => `${name} => $${at + 1}::${type}[]`);

/**
 * Accepts any number of requests of different accounts: each as a whole, or nothing of it. The last parameter says whether
 * the commit notifies the relay.
 */
export const ACCEPT = `/* accept */ SELECT *, (SELECT ${NOTIFY_OUTBOX} WHERE $${REQUESTS.length + 1}::boolean) FROM solicitud_acepta(${REQUESTS.join(', ')})`;

interface AcceptRow {
  pedido: string;
  pase: boolean;
  aceptada: boolean;
  igual: string | null;
  igual_estado: EstadoSolicitud | null;
}

function aceptacionOf(row: AcceptRow): Aceptacion {
  // Its own id is there when an earlier try was carried out without saying so.
  if (row.aceptada || row.igual === row.pedido) return { resultado: 'ACEPTADA', solicitudId: row.pedido };
  if (!row.pase) return { resultado: 'STALE_ACCESS' };
  if (row.igual !== null && row.igual_estado !== null)
    return { resultado: 'DUPLICADA', solicitudId: row.igual, estado: row.igual_estado };
  return { resultado: 'SALDO_INSUFICIENTE' };
}

/**
 * Accepts requests of different accounts in one statement; the answers are in the order of `nuevas`. The statement
 * begins before `until`, on the clock of `performance.now`, or not at all. After an unknown outcome it runs once more
 * and finds the first acceptance; rejects with `ResultadoIncierto` when that outcome is unknown too. `notifies`: the commit
 * notifies the relay.
 */
export async function acceptAll(
  { pool }: Pick<Database, 'pool'>,
  nuevas: readonly NuevaSolicitud[],
  { until, notifies }: { readonly until: number; readonly notifies: boolean },
): Promise<Aceptacion[]> {
  const values = [...Object.values(COLUMNS).map(([, value]) => nuevas.map(value)), notifies];
  const run = () => sendOnce<AcceptRow>(pool, prepared(ACCEPT, values), until);
  const { rows } = await run().catch((error) => {
    if (error instanceof ResultadoIncierto)
      return run().catch(() => {
        throw error;
      });
    // An equal one was being accepted at this moment; everything of ours is rolled back and the other row is visible
    // now.
    if (!isUniqueViolation(error)) throw error;
    return run();
  });
  const byId = new Map(rows.map((row) => [row.pedido, row]));
  return nuevas.map(({ id }) => {
    const row = byId.get(id);
    if (!row) throw new Error('the acceptance answered nothing for one of its requests');
    return aceptacionOf(row);
  });
}

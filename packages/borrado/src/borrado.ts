import { randomUUID } from 'node:crypto';
import type { Autor } from '@acuse/core';
import {
  againAfterDeadlock,
  type Connection,
  createLlaves,
  type Database,
  endWithoutPaquete,
  execute,
  inTransaction,
  isOne,
  nota,
  rowOf,
  rowsOf,
} from '@acuse/db';
import type pg from 'pg';
import { MAPA } from './mapa.ts';
import { about, deleteAll, dondeOf, erasureOrder, ROOTS, type Root, under } from './plan.ts';

/** An order to delete everything of one taxpayer of one account. */
export interface Borrado {
  readonly id: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  readonly rfc: string;
  readonly rfcHuella: string;
  readonly pedidoEn: Date;
  /** Rows that are gone so far, by table, and what else was counted. */
  readonly contado: Readonly<Record<string, number>>;
}

type Db = Pick<Database, 'pool'>;

/** Rows of one batch. */
const BATCH = 500;

const COLUMNS = `id, cuenta_id AS "cuentaId", contribuyente_id AS "contribuyenteId", rfc, rfc_huella AS "rfcHuella",
  pedido_en AS "pedidoEn", contado`;

const ASK = `
WITH suyo AS (SELECT id, cuenta_id, rfc FROM contribuyente WHERE cuenta_id = $1 AND rfc = $2),
nuevo AS (
  INSERT INTO borrado (id, cuenta_id, contribuyente_id, rfc, rfc_huella) SELECT $3, cuenta_id, id, rfc, $4 FROM suyo
  ON CONFLICT (contribuyente_id) WHERE terminado_en IS NULL DO NOTHING RETURNING id, cuenta_id, contribuyente_id
)
${nota({ accion: 'borrar-rfc', de: 'nuevo', contribuyente: 'contribuyente_id', detalle: `jsonb_build_object('borrado', id)`, actor: '$5', ip: '$6' })}`;

const OPEN = `SELECT ${COLUMNS} FROM borrado WHERE terminado_en IS NULL AND cuenta_id = $1 AND rfc = $2`;

/**
 * Orders that everything of a taxpayer be deleted, or finds the order that is not done yet, and gives it; null when the
 * account has no such RFC. `rfcHuella` is what will tell whose the report is. `id` is that of an order to be repeated.
 */
export async function askErasure(
  { pool }: Db,
  {
    cuentaId,
    rfc,
    rfcHuella,
    id = randomUUID(),
    actor,
    ip,
  }: Autor & Record<'cuentaId' | 'rfc' | 'rfcHuella', string> & { id?: string },
): Promise<Borrado | null> {
  await execute(pool, ASK, [cuentaId, rfc, id, rfcHuella, actor, ip]);
  return rowOf<Borrado>(pool, OPEN, [cuentaId, rfc]);
}

/** The taxpayer that a report is about, where the database still, or again, has it. */
export const findErased = ({ pool }: Db, informe: { cuentaId: string; contribuyenteId: string }) =>
  rowOf<{ rfc: string }>(
    pool,
    `SELECT rfc FROM contribuyente WHERE id = $2 AND cuenta_id = $1
     UNION ALL SELECT rfc FROM borrado WHERE contribuyente_id = $2 AND cuenta_id = $1 AND terminado_en IS NULL LIMIT 1`,
    [informe.cuentaId, informe.contribuyenteId],
  );

/** Accounts with an RFC, or with an unfinished deletion of it. */
export const accountsOf = async ({ pool }: Db, rfc: string): Promise<string[]> => {
  const rows = await rowsOf<{ id: string }>(
    pool,
    'SELECT cuenta_id AS id FROM contribuyente WHERE rfc = $1 UNION SELECT cuenta_id FROM borrado WHERE rfc = $1 ORDER BY 1',
    [rfc],
  );
  return rows.map(({ id }) => id);
};

const IS_OPEN = `(EXISTS (SELECT FROM api_key WHERE contribuyente_id = $2 AND estado = 'ACTIVA')
  OR EXISTS (SELECT FROM solicitud WHERE contribuyente_id = $2 AND estado IN ('EN_PROCESO', 'ESPERA_EFIRMA')))`;

const NOTE_OPEN = `UPDATE borrado SET cerrado_en = now() WHERE id = $1 AND (cerrado_en IS NULL OR $3 OR ${IS_OPEN})`;

const END = endWithoutPaquete(`s.id = ANY (ARRAY(SELECT x.id FROM solicitud x
  WHERE x.contribuyente_id = $4 AND x.estado IN ('EN_PROCESO', 'ESPERA_EFIRMA') ORDER BY x.id LIMIT ${BATCH}))`);

/** How many solicitudes were ended, after as many tries as it takes beside the workers. */
const endSome = (pool: pg.Pool, contribuyenteId: string): Promise<number> =>
  againAfterDeadlock(() => execute(pool, END, ['ERROR', 'API_KEY_REVOCADA', null, contribuyenteId]));

/**
 * Stops everything of the taxpayer: revokes its keys, ends open solicitudes with a refund, deletes credentials, and
 * marks its SAT sessions for logout. `isQuiet`: this state has lasted `graceSeconds`, longer than any call or step;
 * `quietAt`: the time from which it holds.
 */
export async function closeTaxpayer(
  database: Db,
  { id, contribuyenteId, rfc }: Borrado,
  { graceSeconds, ...autor }: Autor & { graceSeconds: number },
): Promise<{ isQuiet: boolean; quietAt: Date }> {
  const { pool } = database;
  const isFound = await isOne(pool, NOTE_OPEN, [id, contribuyenteId, false]);
  const keys = await rowsOf<{ id: string }>(
    pool,
    `SELECT id FROM api_key WHERE contribuyente_id = $1 AND estado = 'ACTIVA'`,
    [contribuyenteId],
  );
  let ended = 0;
  for (const key of keys) ended += await createLlaves(database).revoke({ apiKeyId: key.id, ...autor });
  for (;;) {
    const some = await endSome(pool, contribuyenteId);
    ended += some;
    if (some < BATCH) break;
  }
  await count(pool, id, { api_keys_revocadas: keys.length, solicitudes_terminadas: ended });
  const stop = `UPDATE sincronizacion SET estado = 'BORRADA', motivo = NULL, pausada_en = NULL WHERE contribuyente_id = $1`;
  await execute(pool, stop, [contribuyenteId]);
  for (const tabla of ['efirma_shred', 'credencial'])
    await eraseRows(database, { id, contribuyenteId, rfc, cuentaId: '' }, tabla);
  await execute(pool, 'UPDATE sesion_portal SET por_cerrar = true WHERE rfc = $1 AND NOT por_cerrar', [rfc]);
  if (isFound) await execute(pool, NOTE_OPEN, [id, contribuyenteId, true]);
  const row = await rowOf<{ isQuiet: boolean; quietAt: Date }>(
    pool,
    `SELECT cerrado_en + make_interval(secs => $2) AS "quietAt", cerrado_en + make_interval(secs => $2) <= now() AS "isQuiet"
     FROM borrado WHERE id = $1`,
    [id, graceSeconds],
  );
  if (!row) throw new Error('the order of a deletion is gone');
  return row;
}

/** Adds to what an order has counted. */
async function count(connection: Connection, id: string, more: Readonly<Record<string, number>>): Promise<void> {
  const seen = Object.entries(more).filter(([, n]) => n > 0);
  if (seen.length === 0) return;
  await execute(
    connection,
    `UPDATE borrado SET contado = contado || (
       SELECT jsonb_object_agg(n.tabla, coalesce((contado ->> n.tabla)::bigint, 0) + n.filas) FROM unnest($2::text[], $3::bigint[]) AS n (tabla, filas))
     WHERE id = $1`,
    [id, seen.map(([tabla]) => tabla), seen.map(([, n]) => n)],
  );
}

/** The same from outside: objects of the storage. */
export const noteErased = ({ pool }: Db, { id }: Pick<Borrado, 'id'>, more: Readonly<Record<string, number>>) =>
  count(pool, id, more);

type Whose = Pick<Borrado, 'id' | 'contribuyenteId' | 'cuentaId' | 'rfc'>;
const valuesOf = ({ contribuyenteId, cuentaId, rfc }: Omit<Whose, 'id'>) => [contribuyenteId, cuentaId, rfc];

/** Deletes what a table has of the taxpayer, batch by batch, each counted in its own transaction. */
async function eraseRows({ pool }: Db, whose: Whose, tabla: string): Promise<void> {
  const key = MAPA[tabla]?.llave;
  const text = about(tabla, (donde) =>
    key === undefined
      ? `DELETE FROM ${tabla} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${tabla} WHERE ${donde} LIMIT ${BATCH}))`
      : `DELETE FROM ${tabla} WHERE (${key}) IN (SELECT ${key} FROM ${tabla} WHERE ${donde} LIMIT ${BATCH})`,
  );
  for (let n = BATCH; n === BATCH; ) {
    n = await inTransaction(pool, async (client) => {
      const gone = await execute(client, text, valuesOf(whose));
      await count(client, whose.id, { [tabla]: gone });
      return gone;
    });
  }
}

/** Deletes some solicitudes or events with everything that hangs on them, in one transaction. */
async function eraseUnder({ pool }: Db, id: string, root: Root, ids: readonly string[]): Promise<void> {
  const order = under(await erasureOrder({ pool }), root);
  await inTransaction(pool, async (client) => {
    const gone: Record<string, number> = {};
    for (const tabla of order) {
      const donde = tabla === ROOTS[root].tabla ? 'id = ANY ($1)' : dondeOf(tabla, 'SELECT unnest($1::uuid[])');
      gone[tabla] = await execute(client, `DELETE FROM ${tabla} WHERE ${donde}`, [ids]);
    }
    await count(client, id, gone);
  });
}

/**
 * The next ended solicitudes whose objects and rows are to go; before everything is quiet, without those that ended so
 * shortly ago that a worker may still write an object of theirs. `hasObjects` is false where retention has deleted them.
 */
export const solicitudesToErase = (
  { pool }: Db,
  { contribuyenteId }: Pick<Borrado, 'contribuyenteId'>,
  { isQuiet, graceSeconds, limit }: { isQuiet: boolean; graceSeconds: number; limit: number },
) =>
  rowsOf<{ id: string; hasObjects: boolean }>(
    pool,
    `SELECT id, objetos_borrados_en IS NULL AS "hasObjects" FROM solicitud
     WHERE contribuyente_id = $1 AND terminada_en IS NOT NULL AND ($2 OR terminada_en < now() - make_interval(secs => $3))
     ORDER BY creada_en LIMIT $4`,
    [contribuyenteId, isQuiet, graceSeconds, limit],
  );

/** Deletes solicitudes with everything that hangs on them, whose objects are gone. */
export const eraseSolicitudes = (database: Db, { id }: Pick<Borrado, 'id'>, solicitudes: readonly string[]) =>
  eraseUnder(database, id, ':s', solicitudes);

/** The next documents of the taxpayer, whose objects may still be there. */
export const documentosToErase = ({ pool }: Db, { contribuyenteId }: Pick<Borrado, 'contribuyenteId'>) =>
  rowsOf<{ id: string; objectKey: string }>(
    pool,
    `SELECT id, object_key AS "objectKey" FROM documento WHERE contribuyente_id = $1 ORDER BY id LIMIT ${BATCH}`,
    [contribuyenteId],
  );

/** Forgets documents whose objects are gone. */
export const eraseDocumentos = ({ pool }: Db, { id }: Pick<Borrado, 'id'>, documentos: readonly string[]) =>
  inTransaction(pool, async (client) =>
    count(client, id, { documento: await execute(client, 'DELETE FROM documento WHERE id = ANY ($1)', [documentos]) }),
  );

const EVENTS = `SELECT id FROM webhook_evento WHERE cuenta_id = $1 AND rfc = $2 AND id > $3 ORDER BY id LIMIT ${BATCH}`;

/** What webhooks were told of the taxpayer, from one end of the table to the other once. */
async function eraseTold(database: Db, { id, cuentaId, rfc }: Borrado): Promise<void> {
  const { pool } = database;
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const ids: string[] = (await rowsOf<{ id: string }>(pool, EVENTS, [cuentaId, rfc, after])).map((row) => row.id);
    if (ids.length > 0) await eraseUnder(database, id, ':e', ids);
    after = ids.length === BATCH ? ids.at(-1) : undefined;
  }
}

/** Parts of a mail that concern the RFC in this account. */
const OF_MAIL = `jsonb_build_object('rfc', $1::text, 'cuenta_id', $2::text)`;
const WITH_RFC = `datos @> jsonb_build_array(${OF_MAIL})`;

/** One that was of this RFC alone is no webhook any more: told of no RFC in particular, it would be told of all. */
const CLEAN: readonly (readonly [tabla: string, text: string])[] = [
  [
    'webhook',
    `UPDATE webhook SET rfcs = array_remove(rfcs, $1), borrado_en = CASE WHEN rfcs <@ ARRAY[$1] THEN coalesce(borrado_en, now()) ELSE borrado_en END,
       estado = CASE WHEN rfcs <@ ARRAY[$1] THEN 'APAGADO' ELSE estado END,
       motivo = CASE WHEN rfcs <@ ARRAY[$1] THEN coalesce(motivo, 'USUARIO') ELSE motivo END,
       apagado_en = CASE WHEN rfcs <@ ARRAY[$1] THEN coalesce(apagado_en, now()) ELSE apagado_en END
     WHERE cuenta_id = $2 AND $1 = ANY (rfcs)`,
  ],
  [
    'correo',
    `DELETE FROM correo WHERE ${WITH_RFC} AND NOT EXISTS (SELECT FROM jsonb_array_elements(datos) d WHERE NOT d @> ${OF_MAIL})`,
  ],
  [
    'correo',
    `UPDATE correo SET (datos, cuantas) = (SELECT jsonb_agg(d), greatest(1, cuantas - jsonb_array_length(datos) + count(*)::int)
       FROM jsonb_array_elements(datos) d WHERE NOT d @> ${OF_MAIL}) WHERE ${WITH_RFC}`,
  ],
  ['sesion', `UPDATE sesion SET aviso = NULL WHERE $2::text IS NOT NULL AND position($1 in aviso::text) > 0`],
];

/** What stands in an RFC's place in the audit log. */
const ERASED = 'RFC_BORRADO';

const CLEAN_AUDIT = `
WITH pagina AS (SELECT id, contribuyente_id, detalle FROM auditoria WHERE cuenta_id = $1 AND id > $4::bigint ORDER BY id LIMIT 5000),
limpia AS (
  UPDATE auditoria a SET detalle = replace((CASE WHEN p.contribuyente_id = $2 THEN p.detalle - ARRAY['nombre', 'id_cif', 'cidrs', 'no_serie', 'nota'] ELSE p.detalle END)::text,
    $3, '${ERASED}')::jsonb
  FROM pagina p WHERE a.id = p.id
    AND ((p.contribuyente_id = $2 AND p.detalle ?| ARRAY['nombre', 'id_cif', 'cidrs', 'no_serie', 'nota']) OR position($3 in p.detalle::text) > 0) RETURNING a.id
)
SELECT (SELECT max(id) FROM pagina)::text AS ultima, (SELECT count(*) FROM limpia)::int AS limpias`;

/** Takes the RFC out of rows that stay. */
async function clean({ pool }: Db, { id, cuentaId, contribuyenteId, rfc }: Borrado): Promise<void> {
  for (const [tabla, text] of CLEAN)
    await inTransaction(pool, async (client) =>
      count(client, id, { [`${tabla}_limpias`]: await execute(client, text, [rfc, cuentaId]) }),
    );
  for (let after: string | null = '0'; after !== null; ) {
    const from: string = after;
    after = await inTransaction(pool, async (client) => {
      const row = await rowOf<{ ultima: string | null; limpias: number }>(client, CLEAN_AUDIT, [
        cuentaId,
        contribuyenteId,
        rfc,
        from,
      ]);
      await count(client, id, { auditoria_limpias: row?.limpias ?? 0 });
      return row?.ultima ?? null;
    });
  }
}

/** Deletes and cleans everything but what has objects, and what goes with the taxpayer itself. */
export async function eraseAround(database: Db, borrado: Borrado): Promise<void> {
  const order = await erasureOrder(database);
  const elsewhere = new Set(['documento', ...under(order, ':s'), ...under(order, ':e')]);
  for (const tabla of order)
    if (!elsewhere.has(tabla) && !MAPA[tabla]?.isLast) await eraseRows(database, borrado, tabla);
  await eraseTold(database, borrado);
  await clean(database, borrado);
}

/**
 * Deletes the taxpayer, with what hangs on it, in one transaction. False when something of it is there again, or still:
 * then the deletion begins again. A process that writes for it meanwhile is refused for want of the row.
 */
export const eraseTaxpayer = ({ pool }: Db, borrado: Borrado): Promise<boolean> =>
  inTransaction(pool, async (client) => {
    await execute(client, 'SELECT FROM contribuyente WHERE id = $1 FOR UPDATE', [borrado.contribuyenteId]);
    const order = await erasureOrder({ pool: client });
    const rest = await inventory({ pool: client }, borrado);
    const isLeft = order.some((tabla) => !MAPA[tabla]?.isLast && (rest[tabla] ?? 0) > 0);
    const active = await isOne(client, `SELECT WHERE ${IS_OPEN.replaceAll('$2', '$1')}`, [borrado.contribuyenteId]);
    if (isLeft || active) return false;
    const gone: Record<string, number> = {};
    for (const tabla of order.filter((each) => MAPA[each]?.isLast))
      gone[tabla] = await execute(client, deleteAll(tabla), valuesOf(borrado));
    await count(client, borrado.id, gone);
    return true;
  });

/** How many rows each table has of a taxpayer, those that would stay among them. */
export async function inventory(
  { pool }: { pool: Connection },
  whose: Omit<Whose, 'id'>,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [tabla, { donde }] of Object.entries(MAPA)) {
    if (donde === undefined) continue;
    const text = about(tabla, (where) => `SELECT count(*)::int AS n FROM ${tabla} WHERE ${where}`);
    const row = await rowOf<{ n: number }>(pool, text, valuesOf(whose));
    found[tabla] = row?.n ?? 0;
  }
  return found;
}

/** Solicitudes of a taxpayer that the ledger still names, by ids that lead nowhere else. */
export const chargedSolicitudes = async ({ pool }: Db, { contribuyenteId }: Pick<Borrado, 'contribuyenteId'>) => {
  const text =
    'SELECT DISTINCT solicitud_id::text AS id FROM movimiento WHERE contribuyente_id = $1 AND solicitud_id IS NOT NULL';
  return new Set((await rowsOf<{ id: string }>(pool, text, [contribuyenteId])).map(({ id }) => id));
};

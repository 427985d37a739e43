import type { Autor, Modo } from '@acuse/core';
import {
  againAfterDeadlock,
  CANAL_OUTBOX,
  type Connection,
  type Database,
  execute,
  isOne,
  isUuid,
  nota,
  rowOf,
  rowsOf,
} from '@acuse/db';

/** States as callers see them; while the database says VERIFICADA the outer layer is still missing. */
export const ESTADOS = [
  'PENDIENTE',
  'VERIFICANDO',
  'CONECTADA',
  'FALLIDA',
  'REVOCADA',
  'TERMINADA',
  'VENCIDA',
] as const;

/** Why the last try came to nothing. */
export const MOTIVOS = ['CIEC_RECHAZADA', 'SAT_NO_RESPONDE', 'ILEGIBLE', 'LLAVE_CAMBIADA', 'OTRO_ENLACE'] as const;
export type Motivo = (typeof MOTIVOS)[number];

/** CIECs that one link takes: the SAT locks a taxpayer out after a few wrong ones. */
export const MAX_INTENTOS = 3;

/** Logo as a data URL and colour as `#rrggbb`. */
interface Marca {
  readonly logo?: string | undefined;
  readonly color?: string | undefined;
}

export interface Conexion {
  readonly id: string;
  readonly cuentaId: string;
  readonly rfc: string;
  readonly solicitante: string;
  readonly finalidad: string;
  readonly regreso: string | null;
  readonly marca: Marca;
  readonly estado: (typeof ESTADOS)[number];
  readonly motivo: Motivo | null;
  readonly intentos: number;
  readonly expiraEn: Date;
  readonly hasta: Date;
  readonly creadaEn: Date;
  readonly conectadaEn: Date | null;
  readonly terminadaEn: Date | null;
}

export interface NuevaConexion
  extends Pick<Conexion, 'id' | 'cuentaId' | 'rfc' | 'solicitante' | 'finalidad' | 'regreso' | 'marca'> {
  readonly contribuyenteId: string;
  readonly apiKeyId: string;
  readonly modo: Modo;
  readonly huella: Buffer;
  readonly boleto: Buffer;
  readonly hasta: Date;
  readonly minutos: number;
}

/** What a worker verified, and what the bytes are bound to. */
export interface Verificada {
  readonly id: string;
  readonly cuentaId: string;
  readonly rfc: string;
  readonly apiKeyId: string;
  readonly hasta: Date;
  readonly sellada: Buffer;
}

const SELECT = `SELECT c.id, c.cuenta_id AS "cuentaId", c.rfc, c.solicitante, c.finalidad, c.regreso, c.marca, c.motivo, c.intentos,
  CASE WHEN c.estado = 'VERIFICADA' THEN 'VERIFICANDO'
    WHEN c.estado = 'PENDIENTE' AND (c.expira_en <= now() OR NOT EXISTS (SELECT FROM api_key k WHERE k.id = c.api_key_id AND k.estado = 'ACTIVA'))
    THEN 'VENCIDA' ELSE c.estado END AS estado,
  c.expira_en AS "expiraEn", c.hasta, c.creada_en AS "creadaEn", c.conectada_en AS "conectadaEn", c.terminada_en AS "terminadaEn"
FROM conexion c`;

/** Topic of connections that wait for a worker. */
export const TOPIC = 'conexiones';
const ANNOUNCE = `SELECT pg_notify('${CANAL_OUTBOX}', '${TOPIC}')`;

/** One link of a key is open at a time. */
const CREATE = `
WITH antes AS (
  UPDATE conexion SET estado = 'TERMINADA', motivo = 'OTRO_ENLACE', terminada_en = now(), boleto = NULL
  WHERE contribuyente_id = ANY ($3::uuid[]) AND api_key_id = ANY ($4::text[]) AND estado = 'PENDIENTE'
), nueva AS (
  INSERT INTO conexion (id, cuenta_id, contribuyente_id, api_key_id, rfc, modo, huella, solicitante, finalidad, regreso, marca, boleto, hasta, expira_en)
  SELECT p.id, p.cuenta_id, p.contribuyente_id, p.api_key_id, p.rfc, p.modo, p.huella, p.solicitante, p.finalidad, p.regreso, p.marca, p.boleto, p.hasta,
    now() + make_interval(mins => p.minutos)
  FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::text[], $9::text[], $10::text[], $11::jsonb[],
    $12::bytea[], $13::timestamptz[], $14::int[])
    AS p (id, cuenta_id, contribuyente_id, api_key_id, rfc, modo, huella, solicitante, finalidad, regreso, marca, boleto, hasta, minutos)
  RETURNING id, cuenta_id, contribuyente_id, solicitante, expira_en
), hecho AS (
  ${nota({
    accion: 'crear-conexion',
    de: 'nueva',
    contribuyente: 'contribuyente_id',
    detalle: `jsonb_build_object('conexion', id, 'solicitante', solicitante)`,
    actor: '$15',
    ip: '$16',
  })}
) SELECT expira_en AS "expiraEn" FROM nueva`;

const SUBMIT = `
WITH enviada AS (UPDATE conexion c SET estado = 'VERIFICANDO', motivo = NULL, sobre = $2, retiro = $3, intentos = c.intentos + 1, due_at = now(), enviada_en = now()
WHERE c.id = $1 AND c.estado = 'PENDIENTE' AND c.expira_en > now() AND c.intentos < ${MAX_INTENTOS}
  AND EXISTS (SELECT FROM api_key k WHERE k.id = c.api_key_id AND k.estado = 'ACTIVA') RETURNING c.id)
${ANNOUNCE} FROM enviada`;

/**
 * Makes links, each of a key of its own, that expire after their `minutos`; an earlier open one of the same key ends.
 * Returns when the first expires.
 */
export async function insertConexiones(
  connection: Connection,
  nuevas: readonly NuevaConexion[],
  { actor, ip }: Autor,
): Promise<Date> {
  const each = <T>(read: (nueva: NuevaConexion) => T) => nuevas.map(read);
  const row = await rowOf<{ expiraEn: Date }>(connection, CREATE, [
    ...[each(({ id }) => id), each(({ cuentaId }) => cuentaId), each(({ contribuyenteId }) => contribuyenteId)],
    ...[each(({ apiKeyId }) => apiKeyId), each(({ rfc }) => rfc), each(({ modo }) => modo)],
    ...[each(({ huella }) => huella), each(({ solicitante }) => solicitante), each(({ finalidad }) => finalidad)],
    ...[each(({ regreso }) => regreso), each(({ marca }) => JSON.stringify(marca)), each(({ boleto }) => boleto)],
    ...[each(({ hasta }) => hasta), each(({ minutos }) => minutos), actor, ip],
  ]);
  if (row === null) throw new Error('the new connection is gone');
  return row.expiraEn;
}

/** Connections, for the API. */
export function createConexiones({ pool }: Pick<Database, 'pool'>) {
  const where = (condition: string, values: readonly unknown[]) =>
    rowOf<Conexion>(pool, `${SELECT} WHERE ${condition}`, values);
  return {
    /** Makes one link. Returns when it expires. */
    create: (nueva: NuevaConexion, autor: Autor) => insertConexiones(pool, [nueva], autor),
    /** A connection of this API key. */
    find: async (apiKeyId: string, id: string) =>
      isUuid(id) ? where('c.id = $1 AND c.api_key_id = $2', [id, apiKeyId]) : null,
    /** The connection of a link. */
    findByHuella: (huella: Buffer) => where('c.huella = $1', [huella]),
    /** The connection of a revocation link. */
    findByRetiro: (retiro: Buffer) => where('c.retiro = $1', [retiro]),
    /** Takes what a browser sealed. False when the link is not open. */
    submit: ({ id, sobre, retiro }: { readonly id: string; readonly sobre: Buffer; readonly retiro: Buffer }) =>
      isOne(pool, SUBMIT, [id, sobre, retiro]),
    /** Whether a worker or the outer layer is still awaited. */
    isUnderWay: (id: string) =>
      isOne(pool, `SELECT FROM conexion WHERE id = $1 AND estado IN ('VERIFICANDO', 'VERIFICADA')`, [id]),
    /** What waits for its outer layer; null otherwise. */
    verificada: (id: string) =>
      rowOf<Verificada>(
        pool,
        `SELECT id, cuenta_id AS "cuentaId", rfc, api_key_id AS "apiKeyId", hasta, sellada FROM conexion WHERE id = $1 AND estado = 'VERIFICADA'`,
        [id],
      ),
    /** Stores the CIEC of a verified connection as that of the taxpayer. False when it was revoked or the key died. */
    async store(id: string, { kid, sobre }: { readonly kid: string; readonly sobre: Buffer }): Promise<boolean> {
      const row = await againAfterDeadlock(() =>
        rowOf<{ ok: boolean }>(pool, 'SELECT conexion_guarda($1, $2, $3) AS ok', [id, kid, sobre]),
      );
      return row?.ok === true;
    },
    /** Ends a connection and every use of its CIEC. False when it was over. */
    async revoke(id: string, { actor, ip }: Autor): Promise<boolean> {
      const row = await againAfterDeadlock(() =>
        rowOf<{ ok: boolean }>(pool, 'SELECT conexion_revoca($1, $2, $3) AS ok', [id, actor, ip]),
      );
      return row?.ok === true;
    },
  };
}

export type Conexiones = ReturnType<typeof createConexiones>;

/** A connection that a worker holds under an epoch. */
export interface Tomada {
  readonly id: string;
  readonly cuentaId: string;
  readonly apiKeyId: string;
  readonly rfc: string;
  readonly modo: Modo;
  readonly boleto: Buffer;
  readonly sobre: Buffer;
  readonly hasta: Date;
  readonly epoch: number;
  /** Seconds since the browser sent it. */
  readonly segundos: number;
}

const TAKE = `
WITH debida AS (
  SELECT id FROM conexion WHERE estado = 'VERIFICANDO' AND due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
UPDATE conexion c SET epoch = c.epoch + 1, due_at = now() + make_interval(secs => $2) FROM debida WHERE c.id = debida.id
RETURNING c.id, c.cuenta_id AS "cuentaId", c.api_key_id AS "apiKeyId", c.rfc, c.modo, c.boleto, c.sobre, c.hasta, c.epoch,
  extract(epoch FROM now() - c.enviada_en)::float8 AS segundos`;

const MINE = `WHERE id = $1 AND epoch = $2 AND estado = 'VERIFICANDO'`;

const REFUSE = `
UPDATE conexion SET motivo = $3, sobre = NULL, intentos = intentos - CASE WHEN $4::boolean THEN 0 ELSE 1 END,
  estado = CASE WHEN $4 AND intentos >= ${MAX_INTENTOS} THEN 'FALLIDA' ELSE 'PENDIENTE' END,
  boleto = CASE WHEN $4 AND intentos >= ${MAX_INTENTOS} THEN NULL ELSE boleto END,
  terminada_en = CASE WHEN $4 AND intentos >= ${MAX_INTENTOS} THEN now() END ${MINE}`;

const OVERDUE = `
${ANNOUNCE} WHERE EXISTS (SELECT FROM conexion WHERE estado = 'VERIFICANDO' AND due_at < now() - interval '10 seconds')`;

const POSTPONE = `
WITH aplazada AS (UPDATE conexion SET due_at = now() + $3 * interval '1 millisecond' ${MINE} RETURNING id)
${ANNOUNCE} FROM aplazada WHERE $3 = 0`;

/** Rows without a consent go 30 days after their link, those with one a year after its end. */
const FORGET = `
DELETE FROM conexion WHERE id IN (SELECT id FROM conexion
  WHERE CASE WHEN conectada_en IS NULL THEN expira_en < now() - interval '30 days'
    ELSE estado <> 'CONECTADA' AND terminada_en < now() - interval '1 year' END LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** Connections, for the workers. */
export function createPorVerificar({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Takes due ones for `seconds` each. */
    take: (limit: number, seconds: number) => rowsOf<Tomada>(pool, TAKE, [limit, seconds]),
    /** Announces again that some wait, when no worker took them for ten seconds. */
    announceOverdue: () => execute(pool, OVERDUE),
    /** Keeps what the API wraps, in place of what the browser sealed. */
    verified: ({ id, epoch }: Tomada, sellada: Buffer) =>
      isOne(pool, `UPDATE conexion SET estado = 'VERIFICADA', sellada = $3, sobre = NULL ${MINE}`, [
        id,
        epoch,
        sellada,
      ]),
    /** Gives the link back to the taxpayer; one that `counts` is one of {@link MAX_INTENTOS}. */
    refused: ({ id, epoch }: Tomada, motivo: Motivo, counts: boolean) =>
      isOne(pool, REFUSE, [id, epoch, motivo, counts]),
    /** Has it taken again after `ms` milliseconds: with 0 by any worker, else by this one, which looks then. */
    postpone: ({ id, epoch }: Tomada, ms: number) => execute(pool, POSTPONE, [id, epoch, ms]),
    /** Deletes at most `limit` rows past their retention. */
    forget: (limit: number) => execute(pool, FORGET, [limit]),
  };
}

export type PorVerificar = ReturnType<typeof createPorVerificar>;

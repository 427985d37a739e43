import { type Database, execute, FIRST_ID, isUniqueViolation, LAST_ID, rowsOf } from '@acuse/db';
import type { FinishedCall } from '@acuse/operation';

/** What a call came to: HTTP below 400, below 500, or above. */
export const RESULTADOS = ['EXITO', 'RECHAZO', 'FALLA'] as const;
export type Resultado = (typeof RESULTADOS)[number];

/** The place of a call in the log of its RFC. */
export interface LugarLlamada {
  readonly en: Date;
  readonly opId: string;
}

export interface LlamadaVista extends LugarLlamada {
  readonly operacion: string;
  readonly http: number;
  readonly codigo: number;
  readonly ms: number;
  /** Charge less refund, from the ledger. */
  readonly creditos: number;
  readonly requestId: string;
  readonly idempotencyKey: string | null;
}

export interface FiltroLlamadas {
  /** Days of central Mexico, yyyy-mm-dd, both included. */
  readonly desde?: string | undefined;
  readonly hasta?: string | undefined;
  readonly operacion?: string | undefined;
  readonly resultado?: Resultado | undefined;
  /** The call behind a charge. */
  readonly opId?: string | undefined;
}

/** A field of a row in text: an empty one is null. Every other field of a call is an id, a path, a time or a number. */
const quoted = (clave: string | null) => (clave === null ? '' : `"${clave.replace(/["\\]/g, '\\$&')}"`);

/** A row in text, with the columns of the table in their order. */
const rowText = (call: FinishedCall) =>
  `(${call.contribuyenteId},${call.at.toISOString()},${call.opId},${call.operacion},${call.status},${call.codigo},${call.ms},${call.requestId},${quoted(call.idempotencyKey)})`;

/**
 * Leaves out calls of a taxpayer that was deleted meanwhile. One array of rows in the order of the main index, without
 * `ON CONFLICT`, takes two thirds of the processor of an array for each column with it.
 */
const NOTE = `INSERT INTO llamada_hecha SELECT l.* FROM unnest($1::llamada_hecha[]) AS l
WHERE l.contribuyente_id IN (SELECT id FROM contribuyente) ORDER BY l.contribuyente_id`;

const WHERE: Readonly<Record<Resultado, string>> = {
  EXITO: 'l.http < 400',
  RECHAZO: 'l.http BETWEEN 400 AND 499',
  FALLA: 'l.http >= 500',
};

/** The first instant of a day. */
const start = (day: string) => `(${day})::timestamp AT TIME ZONE 'America/Mexico_City'`;

/** The log of answered calls. */
export function createLlamadas({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Writes lines, all or none. Those of an attempt with an unknown outcome may come again, as the same lot alone. */
    async note(calls: readonly FinishedCall[]): Promise<void> {
      try {
        await execute(pool, NOTE, [calls.map(rowText)]);
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
      }
    },

    /**
     * A page of the calls of a taxpayer's keys, newest first, or oldest first where `isReversed`; `antes` is the last call
     * of the page before.
     */
    async page(
      contribuyenteId: string,
      { desde, hasta, operacion, resultado, opId }: FiltroLlamadas,
      {
        antes,
        isReversed = false,
        limite,
      }: { readonly antes?: LugarLlamada | undefined; readonly isReversed?: boolean; readonly limite: number },
    ): Promise<LlamadaVista[]> {
      const [sign, order] = isReversed ? ['>', 'ASC'] : ['<', 'DESC'];
      const { en = isReversed ? '-infinity' : 'infinity', opId: before = isReversed ? FIRST_ID : LAST_ID } =
        antes ?? {};
      const values: unknown[] = [contribuyenteId, en, before, desde ?? null, hasta ?? null, limite];
      const equal = (column: string, value?: string) =>
        value === undefined ? [] : [`${column} = $${values.push(value)}`];
      const where = [
        `l.contribuyente_id = $1 AND (l.en, l.op_id) ${sign} ($2::timestamptz, $3::uuid)`,
        `l.en >= coalesce(${start('$4::date')}, '-infinity') AND l.en < coalesce(${start('$5::date + 1')}, 'infinity')`,
        ...equal('l.operacion', operacion),
        ...equal('l.op_id', opId),
        ...(resultado === undefined ? [] : [WHERE[resultado]]),
      ];
      return rowsOf<LlamadaVista>(
        pool,
        `SELECT l.en, l.op_id AS "opId", l.operacion, l.http, l.codigo, l.ms, l.request_id AS "requestId", l.clave AS "idempotencyKey",
  coalesce((SELECT -sum(m.importe) FROM movimiento m WHERE m.op_id = l.op_id), 0)::integer AS creditos
FROM llamada_hecha l WHERE ${where.join(' AND ')} ORDER BY l.en ${order}, l.op_id ${order} LIMIT $6`,
        values,
      );
    },
  };
}

export type Llamadas = ReturnType<typeof createLlamadas>;

/** A place as the text of a cursor. */
export const formatLugar = ({ en, opId }: LugarLlamada): string => `${en.getTime()}.${opId}`;

export const LUGAR = /^(\d{1,14})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads a cursor; undefined for any other text. */
export function parseLugar(text = ''): LugarLlamada | undefined {
  const [, ms, opId] = LUGAR.exec(text) ?? [];
  return ms && opId ? { en: new Date(Number(ms)), opId } : undefined;
}

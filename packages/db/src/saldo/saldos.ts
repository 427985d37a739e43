import type { RespuestaGuardada, ResultadoCargo } from '@acuse/core';
import type { Database } from '../database.ts';
import { isUniqueViolation, sendOnce } from '../errors.ts';
import { isOne, prepared, rowOf, rowsOf } from '../statements.ts';

const CHARGE = 'SELECT * FROM llamada_cobra($1, $2, $3, $4)';

/**
 * After {@link CHARGE}, which takes the open call up again, no sweep gives the charge back any more; one that did
 * before is visible now.
 */
const TAKEN_UP = `
WITH refunded AS (SELECT FROM movimiento WHERE op_id = $1 AND tipo = 'reembolso'),
cerrada AS (DELETE FROM llamada WHERE op_id = $1 AND EXISTS (SELECT FROM refunded))
SELECT EXISTS (SELECT FROM refunded) AS refunded, saldo FROM cuenta WHERE id = $2`;

/** Keeps the answer of the call that the same statement closed; its five values stand from `$first` on. */
const keepSql = (first: number) => `guardada AS (
  UPDATE idempotencia i SET status = $${first + 3}, sobre = $${first + 4} FROM cerrada
  WHERE i.api_key_id = $${first} AND i.operacion = $${first + 1} AND i.clave = $${first + 2} AND i.op_id = cerrada.op_id
)`;

/** The statement that deletes the row of a call settles its charge: an answer, a refund, or the sweep. */
const REFUND = 'SELECT FROM llamada_devuelve($1, $2, false)';

/** Of the process that closed it itself, or does not know whether it did. */
const UNDO = 'SELECT FROM llamada_devuelve($1, $2, true)';

const SETTLE = '/* settle */ DELETE FROM llamada WHERE op_id = $1';

const SETTLE_KEEPING = `
/* settle */ WITH cerrada AS (DELETE FROM llamada WHERE op_id = $1 RETURNING op_id), ${keepSql(2)}
SELECT FROM cerrada`;

const SETTLE_GIVING_BACK = `/* settle */ ${REFUND}`;

const SETTLE_GIVING_BACK_KEEPING = `
/* settle */ WITH cerrada AS MATERIALIZED (SELECT op_id FROM llamada_devuelve($1, $2, false) AS op_id), ${keepSql(3)}
SELECT FROM cerrada`;

const GIVEN_BACK = `SELECT detalle FROM movimiento WHERE op_id = $1 AND tipo = 'reembolso'`;

/** Why the charge of an abandoned call was given back, in its ledger; an index names it too. */
export const SIN_RESPUESTA = 'la llamada quedó sin respuesta';

/** Leaves a call alone that a repetition has taken up again since it was looked for. */
const REFUND_ABANDONED = 'SELECT FROM llamada_abandonada($1, $2)';

const ABANDONED = `SELECT op_id FROM llamada WHERE vence_en < now() ORDER BY vence_en LIMIT $1`;

function settling(opId: string, respuesta: RespuestaGuardada | null, devuelve?: string) {
  const { apiKeyId, operacion, clave, status, sobre } = respuesta ?? {};
  const kept = respuesta === null ? [] : [apiKeyId, operacion, clave, status, sobre];
  if (devuelve === undefined) return prepared(respuesta ? SETTLE_KEEPING : SETTLE, [opId, ...kept]);
  return prepared(respuesta ? SETTLE_GIVING_BACK_KEEPING : SETTLE_GIVING_BACK, [opId, devuelve, ...kept]);
}

interface ChargeRow {
  repetido: boolean;
  despues: number | null;
  saldo: number;
  importe: number;
}

interface Cargo {
  /** Identity of the charge: the same id is charged once and refunded once, however often it is asked. */
  readonly opId: string;
  readonly cuentaId: string;
  readonly contribuyenteId: string;
  /** One that has a price, which the database knows. */
  readonly operacion: string;
  /**
   * Seconds until the call of this charge must be settled or refunded. Later its process has died, and the reconciler
   * refunds the charge.
   */
  readonly plazoSegundos: number;
}

/**
 * Credits of accounts. Every movement is one SQL statement: a balance and its ledger row change together or not at all.
 * The unique (op_id, tipo) of the ledger is what makes every movement happen once.
 */
export function createSaldos({ pool }: Pick<Database, 'pool'>) {
  async function giveBack(text: string, opId: string, detalle: string): Promise<boolean> {
    try {
      return await isOne(pool, text, [opId, detalle]);
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async function takenUp(opId: string, cuentaId: string): Promise<ResultadoCargo> {
    const row = await rowOf<{ refunded: boolean; saldo: number }>(pool, TAKEN_UP, [opId, cuentaId]);
    if (!row) throw new Error('the account is gone');
    return { resultado: row.refunded ? 'DEVUELTO' : 'REPETIDO', saldo: row.saldo };
  }

  return {
    async charge(cargo: Cargo): Promise<ResultadoCargo> {
      const { opId, cuentaId, contribuyenteId, operacion, plazoSegundos } = cargo;
      const values = [opId, contribuyenteId, operacion, plazoSegundos];
      const run = () => rowOf<ChargeRow>(pool, CHARGE, values);
      let row: ChargeRow | null;
      try {
        row = await run();
      } catch (error) {
        // The same op_id was being charged at this moment: now its row is visible.
        if (!isUniqueViolation(error)) throw error;
        row = await run();
      }
      if (!row) throw new Error('the charge returned no row');
      if (row.repetido) return takenUp(opId, cuentaId);
      if (row.despues === null) return { resultado: 'INSUFICIENTE', saldo: row.saldo };
      return { resultado: 'CARGADO', saldo: row.despues, importe: row.importe };
    },

    /**
     * Ends the call behind the charge with an answer, which is kept in the same commit; in it, too, the charge is given
     * back when `devuelve` says why, and else stays. True when this settling did so, also by an earlier try; false when
     * something else became of the charge before, and nothing may be answered any more. Throws `ResultadoIncierto` when
     * it may have been carried out without saying so.
     */
    async settle(opId: string, respuesta: RespuestaGuardada | null, devuelve?: string): Promise<boolean> {
      const { rowCount } = await sendOnce(pool, settling(opId, respuesta, devuelve));
      if (rowCount === 1) return true;
      // Closed before. A statement of its own sees what became of the charge.
      const refund = await rowOf<{ detalle: string | null }>(pool, GIVEN_BACK, [opId]);
      return refund?.detalle === devuelve;
    },

    /** Gives the charge of an open call back and ends the call. False when there is none, or it has ended before. */
    refund: (opId: string, detalle: string) => giveBack(REFUND, opId, detalle),

    /**
     * The same for a call that was not answered although its settling may be written. False when the charge was given
     * back before.
     */
    undo: (opId: string, detalle: string) => giveBack(UNDO, opId, detalle),

    /** Gives back the charges of calls whose time is over without an answer. Returns how many. */
    async refundAbandoned(limit: number): Promise<number> {
      const rows = await rowsOf<{ op_id: string }>(pool, ABANDONED, [limit]);
      let refunded = 0;
      for (const row of rows) {
        if (await giveBack(REFUND_ABANDONED, row.op_id, SIN_RESPUESTA)) refunded += 1;
      }
      return refunded;
    },
  };
}

export type Saldos = ReturnType<typeof createSaldos>;

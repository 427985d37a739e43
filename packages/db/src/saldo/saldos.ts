import type { RespuestaGuardada, ResultadoCargo, Saldos } from '@acuse/core';
import type { Database } from '../database.ts';
import { isUniqueViolation, sendOnce } from '../errors.ts';

const CHARGE = `
WITH antes AS (SELECT 1 FROM movimiento WHERE op_id = $1 AND tipo = 'cargo'),
cargo AS (
  UPDATE cuenta SET saldo = saldo - $5 WHERE id = $2 AND saldo >= $5 AND NOT EXISTS (SELECT FROM antes) RETURNING saldo
), libro AS (
  INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion)
  SELECT $2, $3, $1, 'cargo', -$5::integer, $4 FROM cargo
), abierta AS (
  INSERT INTO llamada (op_id, cuenta_id, operacion, vence_en)
  SELECT $1, $2, $4, now() + make_interval(secs => $6) WHERE EXISTS (SELECT FROM cargo) OR EXISTS (SELECT FROM antes)
  ON CONFLICT (op_id) DO UPDATE SET vence_en = excluded.vence_en
)
SELECT EXISTS (SELECT FROM antes) AS repetido, (SELECT saldo FROM cargo) AS despues,
       (SELECT saldo FROM cuenta WHERE id = $2) AS saldo`;

/**
 * After {@link CHARGE}, which takes the open call up again, no sweep gives the charge back any more; one that did
 * before is visible now.
 */
const TAKEN_UP = `
WITH devuelto AS (SELECT FROM movimiento WHERE op_id = $1 AND tipo = 'reembolso'),
cerrada AS (DELETE FROM llamada WHERE op_id = $1 AND EXISTS (SELECT FROM devuelto))
SELECT EXISTS (SELECT FROM devuelto) AS devuelto, saldo FROM cuenta WHERE id = $2`;

/** Keeps the answer of the call that the same statement closed; its five values stand from `$first` on. */
const keepSql = (first: number) => `guardada AS (
  UPDATE idempotencia i SET status = $${first + 3}, sobre = $${first + 4} FROM cerrada
  WHERE i.api_key_id = $${first} AND i.operacion = $${first + 1} AND i.clave = $${first + 2} AND i.op_id = cerrada.op_id
)`;

const refundSql = ({ whose, charges, also = '' }: { whose: string; charges: string; also?: string }) => `
WITH cerrada AS (DELETE FROM llamada WHERE ${whose} RETURNING op_id), ${also}
cargo AS (
  SELECT * FROM movimiento m WHERE m.op_id ${charges} AND m.tipo = 'cargo'
    AND NOT EXISTS (SELECT FROM movimiento r WHERE r.op_id = $1 AND r.tipo = 'reembolso')
), libro AS (
  INSERT INTO movimiento (cuenta_id, contribuyente_id, op_id, tipo, importe, operacion, solicitud_id, detalle)
  SELECT cuenta_id, contribuyente_id, op_id, 'reembolso', -importe, operacion, solicitud_id, $2 FROM cargo RETURNING cuenta_id, importe
)
UPDATE cuenta SET saldo = saldo + libro.importe FROM libro WHERE cuenta.id = libro.cuenta_id`;

const OF_THE_CLOSED = 'IN (SELECT op_id FROM cerrada)';

/** Whoever deletes the row of a call decides what becomes of its charge: an answer, a refund, or the sweep. */
const REFUND = refundSql({ whose: 'op_id = $1', charges: OF_THE_CLOSED });

/** Of the process that closed it itself, or does not know whether it did. */
const UNDO = refundSql({ whose: 'op_id = $1', charges: '= $1' });

const SETTLE = 'DELETE FROM llamada WHERE op_id = $1';

const SETTLE_KEEPING = `
WITH cerrada AS (DELETE FROM llamada WHERE op_id = $1 RETURNING op_id), ${keepSql(2)}
SELECT FROM cerrada`;

const SETTLE_GIVING_BACK_KEEPING = refundSql({
  whose: 'op_id = $1',
  charges: OF_THE_CLOSED,
  also: `${keepSql(3)},`,
});

const GIVEN_BACK = `SELECT detalle FROM movimiento WHERE op_id = $1 AND tipo = 'reembolso'`;

/** Why the charge of an abandoned call was given back, in its ledger; an index names it too. */
export const SIN_RESPUESTA = 'la llamada quedó sin respuesta';

/** Leaves a call alone that a repetition has taken up again since it was looked for. */
const REFUND_ABANDONED = refundSql({ whose: 'op_id = $1 AND vence_en < now()', charges: OF_THE_CLOSED });

const ABANDONED = `SELECT op_id FROM llamada WHERE vence_en < now() ORDER BY vence_en LIMIT $1`;

const valuesOf = ({ apiKeyId, operacion, clave, status, sobre }: RespuestaGuardada) => [
  apiKeyId,
  operacion,
  clave,
  status,
  sobre,
];

function settling(opId: string, respuesta: RespuestaGuardada | null, devuelve?: string) {
  const kept = respuesta === null ? [] : valuesOf(respuesta);
  if (devuelve === undefined)
    return respuesta === null
      ? { name: 'asentar', text: SETTLE, values: [opId] }
      : { name: 'asentar-respuesta', text: SETTLE_KEEPING, values: [opId, ...kept] };
  return respuesta === null
    ? { name: 'asentar-vacia', text: REFUND, values: [opId, devuelve] }
    : {
        name: 'asentar-vacia-respuesta',
        text: SETTLE_GIVING_BACK_KEEPING,
        values: [opId, devuelve, ...kept],
      };
}

interface ChargeRow {
  repetido: boolean;
  despues: number | null;
  saldo: number;
}

/** Credits over PostgreSQL. The unique (op_id, tipo) of the ledger is what makes every movement happen once. */
export function createSaldos({ pool }: Pick<Database, 'pool'>): Saldos {
  async function giveBack(name: string, text: string, opId: string, detalle: string): Promise<boolean> {
    try {
      const { rowCount } = await pool.query({ name, text, values: [opId, detalle] });
      return rowCount === 1;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async function takenUp(opId: string, cuentaId: string): Promise<ResultadoCargo> {
    const { rows } = await pool.query<{ devuelto: boolean; saldo: number }>({
      name: 'cargo-repetido',
      text: TAKEN_UP,
      values: [opId, cuentaId],
    });
    const [row] = rows;
    if (!row) throw new Error('the account is gone');
    return { resultado: row.devuelto ? 'DEVUELTO' : 'REPETIDO', saldo: row.saldo };
  }

  return {
    async charge({ opId, cuentaId, contribuyenteId, operacion, importe, plazoSegundos }): Promise<ResultadoCargo> {
      const values = [opId, cuentaId, contribuyenteId, operacion, importe, plazoSegundos];
      const run = async () => (await pool.query<ChargeRow>({ name: 'cargo', text: CHARGE, values })).rows[0];
      let row: ChargeRow | undefined;
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
      return { resultado: 'CARGADO', saldo: row.despues };
    },

    async settle(opId, respuesta, devuelve) {
      const { rowCount } = await sendOnce(pool, settling(opId, respuesta, devuelve));
      if (rowCount === 1) return true;
      // Closed before. A statement of its own sees what became of the charge.
      const { rows } = await pool.query<{ detalle: string | null }>({
        name: 'devuelta',
        text: GIVEN_BACK,
        values: [opId],
      });
      const [refund] = rows;
      return refund?.detalle === devuelve;
    },

    refund: (opId, detalle) => giveBack('reembolso', REFUND, opId, detalle),

    undo: (opId, detalle) => giveBack('reembolso-asentada', UNDO, opId, detalle),

    async refundAbandoned(limit) {
      const { rows } = await pool.query<{ op_id: string }>({
        name: 'abandonadas',
        text: ABANDONED,
        values: [limit],
      });
      let refunded = 0;
      for (const row of rows) {
        if (await giveBack('reembolso-abandonada', REFUND_ABANDONED, row.op_id, SIN_RESPUESTA)) refunded += 1;
      }
      return refunded;
    },
  };
}

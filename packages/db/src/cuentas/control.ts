import type { Database } from '../database.ts';
import { isUniqueViolation } from '../errors.ts';
import { inTransaction } from '../transaction.ts';

/** Who does it, for the audit log. */
interface Autor {
  readonly actor: string;
  readonly ip: string | null;
}

/** What became of a correction of the balance; `SALDO_INSUFICIENTE` when it would leave less than nothing. */
export type Ajuste =
  | { readonly resultado: 'AJUSTADO' | 'REPETIDO'; readonly saldo: number }
  | { readonly resultado: 'SALDO_INSUFICIENTE' | 'CUENTA_DESCONOCIDA' };

/** In the order in which an acceptance takes them, so that neither waits for the other in a circle: taxpayers by id, then the account. */
const LOCK = 'SELECT FROM contribuyente WHERE cuenta_id = $1 ORDER BY id FOR NO KEY UPDATE';

const SUSPEND = `
WITH hecho AS (
  UPDATE cuenta SET suspendida_en = now(), suspension_motivo = $2 WHERE id = $1 AND suspendida_en IS NULL RETURNING id
)
INSERT INTO auditoria (cuenta_id, actor, accion, detalle, ip)
SELECT id, $3, 'suspender-cuenta', jsonb_build_object('motivo', $2::text), $4 FROM hecho`;

const REOPEN = `
WITH hecho AS (
  UPDATE cuenta SET suspendida_en = NULL, suspension_motivo = NULL WHERE id = $1 AND suspendida_en IS NOT NULL RETURNING id
)
INSERT INTO auditoria (cuenta_id, actor, accion, ip) SELECT id, $2, 'reabrir-cuenta', $3 FROM hecho`;

const ADJUST = `
WITH antes AS (SELECT cuenta_id, importe FROM movimiento WHERE op_id = $2 AND tipo = 'ajuste'),
ajuste AS (
  UPDATE cuenta SET saldo = saldo + $3::integer
  WHERE id = $1 AND saldo + $3::integer >= 0 AND NOT EXISTS (SELECT FROM antes) RETURNING id, saldo
), libro AS (
  INSERT INTO movimiento (cuenta_id, op_id, tipo, importe, detalle) SELECT id, $2, 'ajuste', $3::integer, $4 FROM ajuste
), nota AS (
  INSERT INTO auditoria (cuenta_id, actor, accion, detalle, ip)
  SELECT id, $5, 'ajustar-saldo', jsonb_build_object('creditos', $3::integer, 'motivo', $4::text, 'saldo', saldo), $6 FROM ajuste
)
SELECT (SELECT saldo FROM ajuste) AS ajustado, saldo,
       EXISTS (SELECT FROM antes WHERE cuenta_id = $1 AND importe = $3::integer) AS repetido
FROM cuenta WHERE id = $1`;

/** What an operator decides about an account. Every change is audited in its own statement. */
export function createAccountControl({ pool }: Pick<Database, 'pool'>) {
  const underLock = (cuentaId: string, text: string, values: readonly unknown[]) =>
    inTransaction(pool, async (client) => {
      await client.query(LOCK, [cuentaId]);
      const { rowCount } = await client.query(text, [cuentaId, ...values]);
      return rowCount === 1;
    });

  return {
    /**
     * Suspends an account: from their next call on, its keys answer 403/1003 to everything, on every instance. What runs goes on, since it
     * is paid for; its packages can be fetched from the panel, or from the API once the account is open again. False when it was suspended
     * already, or is none.
     */
    suspend: ({ cuentaId, motivo, actor, ip }: { cuentaId: string; motivo: string } & Autor) =>
      underLock(cuentaId, SUSPEND, [motivo, actor, ip]),

    /** Opens a suspended account again: its keys answer from their next call. False when it was open, or is none. */
    reopen: ({ cuentaId, actor, ip }: { cuentaId: string } & Autor) =>
      underLock(cuentaId, REOPEN, [actor, ip]),

    /**
     * Corrects a balance by `creditos` (an integer, not 0; negative takes away) with the reason that the ledger and the audit log keep, once per
     * `opId` (UUID) however often it is sent.
     */
    async adjust(
      input: { cuentaId: string; opId: string; creditos: number; motivo: string } & Autor,
    ): Promise<Ajuste> {
      const { cuentaId, opId, creditos, motivo, actor, ip } = input;
      const values = [cuentaId, opId, creditos, motivo, actor, ip];
      const run = () =>
        pool.query<{ ajustado: number | null; saldo: number; repetido: boolean }>(ADJUST, values);
      const { rows } = await run().catch((error: unknown) => {
        // The same adjustment was being made at this moment: now its row is visible.
        if (!isUniqueViolation(error)) throw error;
        return run();
      });
      const row = rows[0];
      if (!row) return { resultado: 'CUENTA_DESCONOCIDA' };
      if (row.ajustado !== null) return { resultado: 'AJUSTADO', saldo: row.ajustado };
      return row.repetido ? { resultado: 'REPETIDO', saldo: row.saldo } : { resultado: 'SALDO_INSUFICIENTE' };
    },
  };
}

export type AccountControl = ReturnType<typeof createAccountControl>;

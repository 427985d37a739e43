import type pg from 'pg';
import { isDeadlock, isReadOnly } from './errors.ts';

/** One moment of the database for several reads. */
export const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Runs `run` in a transaction on one connection and gives what it gives. Whatever it throws undoes all of it and is
 * thrown on; a connection that cannot even undo, or takes no writes, is not used again.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  run: (client: pg.PoolClient) => Promise<T>,
  begin = 'BEGIN',
): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await transactionOn(client, () => run(client), {
      begin,
      onBroken: () => {
        isBroken = true;
      },
    });
  } catch (error) {
    isBroken ||= isReadOnly(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** The same on a connection that its holder keeps; calls `onBroken` when the rollback failed. */
export async function transactionOn<T>(
  client: pg.ClientBase,
  run: () => Promise<T>,
  { begin = 'BEGIN', onBroken = () => {} }: { begin?: string; onBroken?: () => void } = {},
): Promise<T> {
  try {
    await client.query(begin);
    const result = await run();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}

/** Times a change is made when it meets other work on the same rows in a deadlock. */
const MAX_ATTEMPTS = 4;

/** Makes a change, and makes it again where PostgreSQL rolled it back to end a deadlock with other work. */
export async function againAfterDeadlock<T>(change: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await change();
  } catch (error) {
    if (!isDeadlock(error) || attempt === MAX_ATTEMPTS) throw error;
    return againAfterDeadlock(change, attempt + 1);
  }
}

import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import { type Database, type DatabaseSettings, IDLE_MS, openDatabase } from './database.ts';
import { PrismaClient } from './generated/client.ts';

/** A database whose plain records Prisma reads and writes, on the connections of its pool (docs/developers/adr/0015). */
export interface Records extends Database {
  readonly prisma: PrismaClient;
}

/**
 * Opens the pool with Prisma over it. A module of its own, `@acuse/db/records`: the API and the workers start without
 * Prisma, which takes memory and time to load.
 */
export function openRecords(settings: DatabaseSettings): Records {
  const database = openDatabase(settings);
  const { timeoutMs } = settings;
  const transactionOptions = { maxWait: timeoutMs, timeout: IDLE_MS };
  const prisma = new PrismaClient({ adapter: new SteadyPrismaPg(database.pool), transactionOptions });
  return {
    ...database,
    prisma,
    async close() {
      await Promise.allSettled([prisma.$disconnect(), database.close()]);
    },
  };
}

/** Closes the connection of a failed transaction, as `pool.query` does: its state may be why the transaction failed. */
class SteadyPrismaPg extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (level) => {
      const transaction = await start(level);
      const { client } = transaction as unknown as { readonly client: pg.PoolClient };
      transaction.rollback = async () => client.release(true);
      return transaction;
    };
    return adapter;
  }
}

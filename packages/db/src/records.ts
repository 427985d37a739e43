import { PrismaPg } from '@prisma/adapter-pg';
import { type Database, type DatabaseSettings, openDatabase } from './database.ts';
import { PrismaClient } from './generated/client.ts';

/** A database whose plain records Prisma reads, on the connections of its pool (docs/adr/0015). */
export interface Records extends Database {
  readonly prisma: PrismaClient;
}

/**
 * Opens the pool with Prisma over it. A module of its own, `@acuse/db/records`: the API and the workers start without
 * Prisma, which takes memory and time to load.
 */
export function openRecords(settings: DatabaseSettings): Records {
  const database = openDatabase(settings);
  const prisma = new PrismaClient({ adapter: new PrismaPg(database.pool) });
  return {
    ...database,
    prisma,
    async close() {
      await Promise.allSettled([prisma.$disconnect(), database.close()]);
    },
  };
}

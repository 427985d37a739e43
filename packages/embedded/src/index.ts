export { waitGone } from './children.ts';
export { freePort } from './free-port.ts';
export { findSystemPostgres } from './postgres/binaries.ts';
export { createDatabase, databaseUrl, dropDatabase } from './postgres/databases.ts';
export { startPostgres } from './postgres.ts';
export { type AppProcess, createProcessGroup } from './process-group.ts';
export { startRedis } from './redis.ts';
export { startS3 } from './s3.ts';
export { type Providing, type SharedTestServers, sharedTestServers } from './testing.ts';

export { commandLineOf, isAlive, residentBytes, waitGone } from './children/processes.ts';
export { freePort } from './free-port.ts';
export { findSystemPostgres } from './postgres/binaries.ts';
export { createDatabase, databaseUrl, dropDatabase, ensureDatabase } from './postgres/databases.ts';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres.ts';
export {
  type AppProcess,
  type AppSpec,
  createProcessGroup,
  type ProcessGroup,
  type ProcessGroupOptions,
} from './process-group.ts';
export { findRedisServer, type RedisOptions, type RunningRedis, startRedis } from './redis.ts';
export { type RunningS3, type S3Options, startS3 } from './s3.ts';
export { type PanelProcess, type RunningStack, type StackOptions, startStack } from './stack.ts';
export type { S3Access, StackAddresses } from './stack-env.ts';
export type { StackSecrets } from './stack-secrets.ts';
export { type Providing, type SharedTestServers, sharedTestServers } from './testing.ts';

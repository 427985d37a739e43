export { createDatabase, databaseUrl, dropDatabase, ensureDatabase } from './postgres/databases.ts';
export { type PostgresOptions, type RunningPostgres, startPostgres } from './postgres.ts';
export { type RunningS3, type S3Options, startS3 } from './s3.ts';

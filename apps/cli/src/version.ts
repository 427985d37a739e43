import { createRequire } from 'node:module';

/** The version of this command line. */
export const readVersion = (): string => createRequire(import.meta.url)('../package.json').version;

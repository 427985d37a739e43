export { cliConfig } from './config.ts';
export { type CliDeps, openDeps } from './deps.ts';
export { createProgram } from './program.ts';
export { resellar } from './secretos/resellar.ts';

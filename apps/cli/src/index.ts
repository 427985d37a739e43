export { cliConfig } from './config.ts';
export { openDeps } from './deps.ts';
export { createProgram } from './program.ts';
export { resellar } from './secretos/reseal.ts';

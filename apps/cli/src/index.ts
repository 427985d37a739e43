export { createCliente } from './cliente/program.ts';
export { cliConfig } from './operador/config.ts';
export { openDeps } from './operador/deps.ts';
export { createProgram } from './operador/program.ts';
export { resellar, resellarTodo } from './operador/secretos/reseal.ts';

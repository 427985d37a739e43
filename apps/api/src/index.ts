export { loadOperations } from './http/operation.ts';
export { startApi } from './start.ts';

export { apiConfig, readConfig } from './config.ts';
export { loadOperations } from './http/operation.ts';
export { startApi } from './start.ts';

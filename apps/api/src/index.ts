export { apiConfig, readConfig } from './config.ts';
export { loadOperations } from './http/load-operations.ts';
export { startApi } from './start.ts';

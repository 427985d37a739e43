export { ROLES, workerConfig } from './config.ts';

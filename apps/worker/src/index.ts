export { ROLES, type Role, workerConfig } from './config.ts';

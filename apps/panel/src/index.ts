export { type Argon2, createPasswords } from './acceso/passwords.ts';
export type { PanelDeps } from './deps.ts';
export { startPanel } from './start.ts';

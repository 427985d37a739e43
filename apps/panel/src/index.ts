export { type Argon2, createPasswords, type Passwords } from './acceso/passwords.ts';
export { type PanelConfig, panelConfig, readConfig } from './config.ts';
export type { PanelDeps } from './panel-deps.ts';
export { type PanelEnMarcha, startPanel } from './start.ts';

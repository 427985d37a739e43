export type { PanelDeps } from './panel-deps.ts';

export * from './contrapartes.ts';
export * from './rfcs-listados.ts';
export type * from './riesgo.ts';

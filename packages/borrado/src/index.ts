export * from './borrado.ts';
export * from './informes.ts';
export { columnsIn, MAPA, type Tratado } from './mapa.ts';
export { checkErasure } from './plan.ts';
export * from './search.ts';

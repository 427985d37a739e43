export * from './listados.ts';
export * from './listas.ts';

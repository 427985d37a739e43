export { createCargaListado, createCargaListas } from './carga-listas.ts';
export * from './consulta-listas.ts';
export * from './lista-edos.ts';
export * from './listados.ts';

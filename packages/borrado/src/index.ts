export { inventory } from './borrado.ts';
export { columnsIn, MAPA } from './mapa.ts';

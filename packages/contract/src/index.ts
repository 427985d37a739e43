export type { EntradaCatalogo } from './catalogo/entrada.ts';
export * from './errors.ts';
export * from './fields.ts';
export type { OperacionPublicada } from './operacion-publicada.ts';
export { OPERACIONES, type PathOperacion } from './operaciones.ts';
export { meantBy } from './slips.ts';

export * from './envelope.ts';
export * from './errors.ts';
export * from './estados.ts';
export * from './fields.ts';
export type { OperacionPublicada } from './operacion-publicada.ts';
export { OPERACIONES, type PathOperacion } from './operaciones.ts';
export * from './rfc.ts';

export * from './eventos.ts';
export * from './feature.ts';
export * from './fields.ts';
export * from './filtros.ts';
export * from './operation.ts';
export * from './schema.ts';
export * from './solicitud.ts';
export * from './token-bucket.ts';

export * from './envelope.ts';
export * from './errors.ts';
export * from './estados.ts';
export * from './fields.ts';
export * from './rfc.ts';

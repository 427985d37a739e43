export * from './avisos.ts';
export * from './entregas.ts';
export * from './secretos.ts';
export * from './webhooks.ts';

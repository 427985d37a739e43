export * from './buzones.ts';
export * from './correos.ts';

export * from './avisos.ts';
export * from './buzones.ts';
export * from './correos.ts';

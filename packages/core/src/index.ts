export * from './credencial.ts';
export * from './paquete-sat-invalido.ts';
export * from './periodo.ts';
export * from './ports/paquetes.ts';
export * from './ports/sat.ts';
export * from './sat-error.ts';

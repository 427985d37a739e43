export { cruceDePaquete } from './cruce.ts';
export { createRfcsListados, type LectorRfcsListados } from './rfcs-listados.ts';
export * from './riesgo.ts';

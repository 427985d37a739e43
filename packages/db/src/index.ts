export * from './bandeja.ts';
export * from './boveda.ts';
export * from './consultas-en-curso.ts';
export {
  type AuditoriaPanel,
  type Autor,
  createAuditoria,
  type FiltroAuditoria,
  type LineaAuditoria,
} from './cuentas/auditoria.ts';
export * from './cuentas/contribuyentes.ts';
export * from './cuentas/control.ts';
export { type CuentaVista, createCuentas } from './cuentas/cuentas.ts';
export * from './cuentas/llaves.ts';
export * from './cuentas/rechazo.ts';
export * from './cuentas/solicitudes-lista.ts';
export * from './database.ts';
export * from './documentos.ts';
export * from './idempotencia.ts';
export * from './latidos.ts';
export * from './listas/carga-listas.ts';
export * from './listas/lista-edos.ts';
export * from './listas/listas.ts';
export * from './listas/rfcs-csv.ts';
export * from './migrate.ts';
export * from './panel/inicio.ts';
export * from './panel/intentos.ts';
export * from './panel/llaves-recordadas.ts';
export * from './panel/operador.ts';
export * from './panel/saldo/cobro.ts';
export * from './panel/saldo/libro.ts';
export * from './panel/saldo/pagos.ts';
export * from './panel/salud.ts';
export * from './panel/segundo-factor.ts';
export * from './panel/sesiones.ts';
export * from './panel/solicitudes.ts';
export * from './panel/solicitudes-lista.ts';
export * from './panel/uso.ts';
export * from './panel/usuarios.ts';
export * from './puerta.ts';
export {
  type Cuelga,
  cuelgan,
  requireSecretos,
  SECRETOS,
  type Secreto,
  SecretoFaltante,
  SI_FALTAN,
} from './rotacion/cuelgan.ts';
export * from './rotacion/resellables.ts';
export { createSaldos } from './saldos.ts';
export * from './sat/captchas.ts';
export * from './sat/estado-cortacircuitos.ts';
export * from './sat/medidor-sat.ts';
export * from './sat/sesiones-portal.ts';
export * from './solicitudes/solicitudes.ts';
export * from './taller/retention.ts';
export * from './taller/taller.ts';
export { isUuid } from './uuid.ts';
export * from './vigilancia.ts';

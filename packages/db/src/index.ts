export type { Autor } from '@acuse/core';
export { type AccessSnapshots, createAccessSnapshots } from './access-snapshots.ts';
export type { ClaimPart } from './claims/claim-parts.ts';
export * from './claims/claims.ts';
export { endWithoutPaquete } from './claims/end.ts';
export type { FinishNote } from './claims/finish-notes.ts';
export type { ConsultaDePaso, PasoEnCurso } from './claims/paso.ts';
export * from './claims/retention.ts';
export {
  type AuditoriaPanel,
  changeUser,
  createAuditoria,
  cuentaOf,
  type FiltroAuditoria,
  type LineaAuditoria,
  nota,
} from './cuentas/auditoria.ts';
export * from './cuentas/contribuyentes.ts';
export * from './cuentas/credenciales.ts';
export * from './cuentas/cuentas.ts';
export * from './cuentas/equipo.ts';
export * from './cuentas/intentos.ts';
export * from './cuentas/invitaciones.ts';
export * from './cuentas/llaves.ts';
export * from './cuentas/llaves-recordadas.ts';
export * from './cuentas/rechazo.ts';
export * from './cuentas/segundo-factor.ts';
export * from './cuentas/sesiones.ts';
export * from './cuentas/usuarios.ts';
export * from './database.ts';
export * from './documentos.ts';
export { isDataException, isDeadlock, isReadOnly, isTimedOut, isUniqueViolation, sendOnce } from './errors.ts';
export { createHeartbeats, type Heartbeats, type SeenHeartbeat } from './heartbeats.ts';
export * from './idempotencia.ts';
export * from './instalacion/avisos.ts';
export { type Backlog, createBacklog } from './instalacion/backlog.ts';
export * from './instalacion/inspect-database.ts';
export { AlteredMigration, type MigrationState, migrate } from './migrate.ts';
export * from './outbox.ts';
export { ROLES_BASE, type RolBase } from './permisos/permisos.ts';
export * from './permisos/usuarios-base.ts';
export type { Records } from './records.ts';
export * from './recuperacion/recuperacion.ts';
export * from './rotacion/cuelgan.ts';
export * from './rotacion/resellables.ts';
export * from './saldo/libro.ts';
export * from './saldo/pagos.ts';
export { createSaldos, type Saldos } from './saldo/saldos.ts';
export * from './saldo/uso.ts';
export * from './sat/breaker-state.ts';
export * from './sat/captchas.ts';
export * from './sat/consultas-en-curso.ts';
export * from './sat/esperas.ts';
export * from './sat/salud-publica.ts';
export * from './sat/sat-metrics.ts';
export * from './sat/sesiones-portal.ts';
export * from './solicitudes/lista.ts';
export * from './solicitudes/solicitudes.ts';
export * from './solicitudes/traza.ts';
export * from './statements.ts';
export * from './sweeper.ts';
export * from './transaction.ts';
export { FIRST_ID, isUuid, LAST_ID } from './uuid.ts';

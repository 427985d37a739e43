export * from './credencial.ts';
export { datosDeSolicitud, datosDeXml } from './datos-solicitud.ts';
export * from './estimate.ts';
export * from './explicaciones.ts';
export * from './firma-manifiesto.ts';
export * from './ports/autoridad.ts';
export * from './ports/boveda.ts';
export type * from './ports/consultas.ts';
export type * from './ports/credential-source.ts';
export type * from './ports/cuotas.ts';
export type * from './ports/metadata.ts';
export * from './ports/paquetes.ts';
export * from './ports/queue.ts';
export * from './ports/saldos.ts';
export type * from './ports/sat.ts';
export * from './ports/solicitudes.ts';
export * from './salud/canales.ts';
export * from './salud/esperas.ts';
export * from './salud/histograma.ts';
export * from './salud/salud.ts';
export * from './sat-error.ts';
export * from './semaphore.ts';
export { advanceSolicitud } from './solicitud/advance.ts';
export * from './solicitud/agenda.ts';
export { afterWrite, changed, newParte } from './solicitud/cambios.ts';
export { assembleSolicitud, type ObserveRows } from './solicitud/ensamble.ts';
export {
  type AdvanceDeps,
  AT_SAT,
  type Checkpoint,
  noCheckpoint,
  PUNTOS,
  progresoDe,
  sealedCopies,
} from './solicitud/parte.ts';
export * from './solicitud/periodos.ts';
export { claveDia, claveXml, EQUAL_REQUESTS, PACKAGE_DOWNLOADS, quotaRfc, XML_A_DAY } from './xml/cuota-xml.ts';

export { Acuse, type Descarga, type OpcionesAcuse, type OpcionesEspera } from './acuse.ts';
export {
  AcuseError,
  type AcuseErrorDe,
  type CodigoDe,
  type CualquierAcuseError,
  esPasajero,
  type NombreError,
  type NombreLocal,
} from './errors.ts';
export type * from './generated/openapi.ts';
export { elementos, paginas } from './paginas.ts';
export type { OpcionesPaquete, PaqueteAbierto } from './paquete.ts';
export type { AlIntentar, Intento, OpcionesLlamada, Pausa } from './transport.ts';
export { verificarWebhook, type WebhookRecibido } from './webhook.ts';

export { type Driver, driverOf, type QueueSettings } from './connection.ts';
export * from './create-cola.ts';
export * from './create-consumidor.ts';
export type { Consumidor } from './create-consumo.ts';
export * from './create-programador.ts';
export * from './create-tablero.ts';

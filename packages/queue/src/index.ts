export type { QueueSettings } from './connection.ts';
export * from './create-consumer.ts';
export type { Consumer } from './create-consumption.ts';
export * from './create-dashboard.ts';
export * from './create-queue.ts';
export * from './create-scheduler.ts';

export type { QueueSettings } from './connection.ts';
export { type Consumer, createConsumer, createScheduledConsumer, NotBegun } from './consumer.ts';
export { createDashboard, type Dashboard } from './dashboard.ts';
export { inspectQueue, type QueueFacts } from './inspect-queue.ts';
export { createQueue, createScheduler, QueueUnavailable, type WorkQueue } from './queue.ts';
export { searchQueue } from './search-queue.ts';

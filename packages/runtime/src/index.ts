export { DeadlineError, deadline, type LinkedSignal, linkSignals, untilAborted } from './abort.ts';
export * from './config.ts';
export { ExplainedError, explain, explainPrinted } from './explain.ts';
export { closeServer, createHealth, type Health, type HealthCheck, listen, serveHealth, urlOf } from './http-server.ts';
export { createClientIp, formatRange, isInRanges, networkOf, parseIp, parseRange } from './ip.ts';
export { createLogger, type Logger, silentLogger } from './log.ts';
export { createShutdown, runProcess, type Shutdown } from './run-process.ts';
export * from './shared-fields.ts';
export { createUuidV7, uuidV7 } from './uuid.ts';

export { DeadlineError, deadline, type LinkedSignal, linkSignals, untilAborted } from './abort.ts';
export { describeConfig, envExample } from './config/describe.ts';
export {
  bool,
  choice,
  decimal,
  durationMs,
  durationSeconds,
  integer,
  list,
  port,
  secret,
  text,
  url,
} from './config/fields.ts';
export { ConfigError, loadConfig } from './config/load.ts';
export {
  ciecLengthOf,
  credentialFields,
  databaseFields,
  downloadFields,
  modoLlaveOf,
  processFields,
  proxyFields,
  queueFields,
  rotationFields,
  satAddressFields,
  storageFields,
  storageWriterFields,
} from './config/shared-fields.ts';
export { ExplainedError, explain, explainPrinted, type Where } from './explain.ts';
export { createHealth, type Health, type HealthCheck, serveHealth } from './health.ts';
export { closeServer, listen, urlOf } from './http-server.ts';
export { createLogger, type Logger, silentLogger } from './log/logger.ts';
export { createClientIp } from './net/client-ip.ts';
export { formatRange, isInRanges, networkOf, parseIp, parseRange } from './net/ip.ts';
export { runProcess } from './run-process.ts';
export { createShutdown, type Shutdown } from './shutdown.ts';
export { createUuidV7, uuidV7 } from './uuid.ts';

export { DeadlineError, deadline, type LinkedSignal, linkSignals, untilAborted } from './abort.ts';
export { type BackoffOptions, backoff } from './backoff.ts';
export { type ConfigEntry, describeConfig, envExample } from './config/describe.ts';
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
  secretBytes,
  text,
  url,
} from './config/fields.ts';
export { ConfigError, type Environment, loadConfig } from './config/load.ts';
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
export {
  createHealth,
  type Health,
  type HealthCheck,
  type HealthOptions,
  type HealthReport,
  serveHealth,
} from './health.ts';
export { closeServer, listen, urlOf } from './http-server.ts';
export {
  createLogger,
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from './log/logger.ts';
export { scrubText } from './log/scrub.ts';
export { type LoggedError, serializeError } from './log/serialize.ts';
export { createClientIp } from './net/client-ip.ts';
export {
  formatRange,
  type Ip,
  type IpRange,
  isInRanges,
  networkOf,
  parseIp,
  parseRange,
} from './net/ip.ts';
export { runProcess } from './run-process.ts';
export { createShutdown, type Shutdown, type ShutdownOptions } from './shutdown.ts';
export { createUuidV7, isUuidV7, uuidV7, uuidV7Time } from './uuid.ts';

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
  createLogger,
  LOG_LEVELS,
  type LogFields,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
} from './log/logger.ts';
export { scrubText } from './log/scrub.ts';
export { createUuidV7, isUuidV7, uuidV7, uuidV7Time } from './uuid.ts';

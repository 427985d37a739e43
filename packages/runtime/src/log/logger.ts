import { type DestinationStream, pino } from 'pino';
import { scrubText } from './scrub.ts';
import { toLoggable } from './serialize.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Facts that go beside a message. An error belongs under `err`. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes one line: `log.info('listening')` or `log.info({ port }, 'listening')`. */
interface LogMethod {
  (message: string): void;
  (fields: LogFields, message: string): void;
}

/** The logger that every part of a process is given. */
export interface Logger {
  readonly level: LogLevel;
  readonly trace: LogMethod;
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  readonly fatal: LogMethod;
  /** A logger whose lines all carry these fields too. */
  child(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** The process, on every line: `api`, `worker`. */
  readonly name: string;
  readonly level?: LogLevel;
  /**
   * Where the lines go; standard output by default. Writing is synchronous, so that the last line before an exit is not
   * lost.
   */
  readonly destination?: DestinationStream;
}

/**
 * A JSON logger (one line per entry, `time` in ISO 8601 UTC) that keeps secrets out by an allow-list of shapes, hidden
 * names and scrubbed texts: see `toLoggable`. The finished line is scrubbed once more.
 */
export function createLogger(options: LoggerOptions): Logger {
  const base = pino(
    {
      level: options.level ?? 'info',
      base: { name: options.name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // pino's own serializer would copy what `toLoggable` has already reduced.
      serializers: { err: (value: unknown) => value },
      hooks: { streamWrite: scrubApiKeys },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
  return wrap(base);
}

/** A logger that writes nothing. */
export const silentLogger: Logger = wrap(pino({ level: 'silent' }));

function wrap(target: pino.Logger): Logger {
  const method =
    (level: Exclude<LogLevel, 'silent'>): LogMethod =>
    (first: LogFields | string, message?: string) => {
      if (!target.isLevelEnabled(level)) return;
      if (typeof first === 'string') target[level](scrubText(first));
      else target[level](loggableFields(first), scrubText(message ?? ''));
    };
  return {
    level: target.level as LogLevel,
    trace: method('trace'),
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    fatal: method('fatal'),
    child: (fields) => wrap(target.child(loggableFields(fields))),
  };
}

function loggableFields(fields: LogFields): Record<string, unknown> {
  return toLoggable({ ...fields }) as Record<string, unknown>;
}

function scrubApiKeys(line: string): string {
  return line.replace(/acuse_(test|live)_[A-Za-z0-9_-]+/g, 'acuse_$1_[oculto]');
}

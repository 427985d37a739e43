import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, pino } from 'pino';

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
  /** Runs `work`. Meanwhile the lines of every logger of this process carry these fields too. */
  within<T>(fields: LogFields, work: () => T): T;
}

interface LoggerOptions {
  /** The process, on every line: `api`, `worker`. */
  readonly name: string;
  readonly level?: LogLevel;
  /**
   * Where the lines go; standard output by default. Writing is synchronous, so that the last line before an exit is not
   * lost.
   */
  readonly destination?: DestinationStream;
}

/** Characters of lines that wait for room on the disk; what comes beyond them is dropped. */
const MOST_WAITING = 1_000_000;

/** Standard output, whose disk may be full: that costs lines, which are tried again, and never the process. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true, maxLength: MOST_WAITING });
  output.on('error', () => {});
  return output;
}

/**
 * A JSON logger (one line per entry, `time` in ISO 8601 UTC) that keeps secrets out by an allow-list of shapes, hidden
 * names and scrubbed texts: see `toLoggable`. The finished line is scrubbed once more.
 */
export function createLogger(options: LoggerOptions): Logger {
  const context: LogContext = new AsyncLocalStorage();
  const base = pino(
    {
      mixin: () => loggableFields(context.getStore() ?? {}),
      level: options.level ?? 'info',
      base: { name: options.name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      // pino's own serializer would copy what `toLoggable` has already reduced.
      serializers: { err: (value: unknown) => value },
      hooks: { streamWrite: scrubApiKeys },
    },
    options.destination ?? standardOutput(),
  );
  return wrap(base, context);
}

/** A logger that writes nothing. */
export const silentLogger: Logger = wrap(pino({ level: 'silent' }), new AsyncLocalStorage());

/** Fields of the work in progress, added to the lines logged meanwhile. */
type LogContext = AsyncLocalStorage<LogFields>;

function wrap(target: pino.Logger, context: LogContext): Logger {
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
    child: (fields) => wrap(target.child(loggableFields(fields)), context),
    // Most work logs no line: fields are reduced when a line is written.
    within: (fields, work) => context.run({ ...context.getStore(), ...fields }, work),
  };
}

function loggableFields(fields: LogFields): Record<string, unknown> {
  return toLoggable({ ...fields }) as Record<string, unknown>;
}

function scrubApiKeys(line: string): string {
  return line.replace(/acuse_(test|live)_[A-Za-z0-9_-]+/g, 'acuse_$1_[oculto]');
}

const MAX_DEPTH = 6;
const MAX_ITEMS = 50;
const MAX_TEXT = 4_000;
const ERROR_CODES = ['code', 'codigo', 'cfdiCodigo', 'status', 'statusCode', 'syscall', 'attempt'] as const;

/** What the log keeps of an error: never its other properties, which may hold the request that failed. */
interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
  readonly [code: string]: unknown;
}

/**
 * The part of a value that may be logged. Plain objects, arrays and primitives go through, with secret names hidden
 * and texts scrubbed; errors are reduced to codes, name, message and frames; bytes to their length; an instance of any
 * other class (a request, a socket, a client) to its class name.
 */
function toLoggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return scrubText(clip(value));
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'symbol' || typeof value === 'function') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return serializeError(value, depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (value instanceof URL) return scrubText(value.href);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[...]';
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => toLoggable(item, depth + 1));
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return `[${className(prototype)}]`;
  return serializeFields(value, depth);
}

function serializeFields(value: object, depth: number): Record<string, unknown> {
  const clean: Record<string, unknown> = {};
  for (const name of Object.keys(value).slice(0, MAX_ITEMS)) {
    const item = readField(value, name);
    const hidden = isSecretName(name) && item !== null && item !== undefined && typeof item !== 'boolean';
    clean[scrubText(name)] = hidden ? HIDDEN : toLoggable(item, depth + 1);
  }
  return clean;
}

function readField(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return '[unreadable]';
  }
}

/** Reduces an error, its causes and its aggregated errors to what may be logged. */
function serializeError(error: Error, depth = 0): LoggedError {
  const logged: Record<string, unknown> & { name: string; message: string } = {
    name: scrubText(String(error.name)),
    message: scrubText(clip(messageOf(error))),
  };
  for (const name of ERROR_CODES) {
    const code = (error as unknown as Record<string, unknown>)[name];
    if (typeof code === 'number' || (typeof code === 'string' && code.length <= 80)) {
      logged[name] = typeof code === 'string' ? scrubText(code) : code;
    }
  }
  const frames = String(error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line));
  if (frames.length > 0) logged['stack'] = scrubText(frames.join('\n'));
  if (depth < MAX_DEPTH && error.cause !== undefined) logged['cause'] = toLoggable(error.cause, depth + 1);
  if (depth < MAX_DEPTH && error instanceof AggregateError) {
    logged['errors'] = error.errors.slice(0, MAX_ITEMS).map((item) => toLoggable(item, depth + 1));
  }
  return logged;
}

/** Prisma prints the arguments of a rejected call in the message; only its last line names the fault. */
function messageOf(error: Error): string {
  const message = String(error.message);
  return error.name.startsWith('PrismaClient') ? (message.trim().split('\n').at(-1) ?? '') : message;
}

function className(prototype: object): string {
  const maker = (prototype as { constructor?: unknown }).constructor;
  return typeof maker === 'function' && maker.name !== '' ? maker.name : 'object';
}

function clip(value: string): string {
  return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}...` : value;
}

/** What stands where a secret stood. */
const HIDDEN = '[oculto]';

const SECRET_WORDS = new Set([
  'authorization',
  'bearer',
  'cer',
  'ciec',
  'contrasena',
  'cookie',
  'cookies',
  'kek',
  'key',
  'keys',
  'pass',
  'passphrase',
  'passwd',
  'password',
  'pepper',
  'pem',
  'secret',
  'secrets',
  'signature',
  'token',
  'tokens',
]);

const NAMES =
  'authorization|proxy-authorization|(?:set-)?cookie|[a-z_-]{0,30}(?:ciec|contrasena|contraseña|password|passphrase|passwd|secret|token|key|cer|pepper|kek)';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/acuse_(test|live)_[A-Za-z0-9_-]+/g, `acuse_$1_${HIDDEN}`],
  [/-----BEGIN ([A-Z ]+)-----[\s\S]*?(?:-----END \1-----|$)/g, HIDDEN],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]+/gi, `$1 ${HIDDEN}`],
  // The password inside the address of a database or a queue.
  [/([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s/]+@/gi, `$1:${HIDDEN}@`],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=)[^&\s"']+/gi, `$1${HIDDEN}`],
  // name=value, name: value, "name":"value", name: 'value', also inside JSON that was escaped once more.
  [
    new RegExp(`((?<![a-z_-])(?:${NAMES})\\\\?["']?\\s*[:=]\\s*)(\\\\?"[^"]*"|'[^']*'|[^\\s,;&}\\])]+)`, 'gi'),
    `$1${HIDDEN}`,
  ],
  [/[A-Za-z0-9+/_-]{200,}={0,2}/g, HIDDEN],
];

/** Takes out of a text everything that has the shape of a secret. It is a net: callers must not put one in at all. */
export function scrubText(value: string): string {
  return PATTERNS.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), value);
}

/**
 * Tells whether a field's name announces a secret: one of its words (camelCase, snake_case and kebab-case are
 * taken apart) is on the list, unless the name says that it is only an identifier (`keyId`, `token_id`).
 */
function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/);
  return words.at(-1) !== 'id' && words.some((word) => SECRET_WORDS.has(word));
}

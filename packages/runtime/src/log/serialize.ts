import { HIDDEN, isSecretName, scrubText } from './scrub.ts';

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
export function toLoggable(value: unknown, depth = 0): unknown {
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

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type CampoErroneo, CfdiError, meantBy } from '@acuse/contract';
import type { Operation, Secreto } from '@acuse/operation';
import type { ApiSettings } from '@acuse/settings/api';
import { CuerpoIlegible, decodeBase64, JsonScanner, secretBytes, takeSecretFields } from '@acuse/vault';
import type { z } from 'zod';
import type { ApiDeps } from '../deps.ts';
import type { Body, Llamada } from './llamada.ts';

const KIB = 1_024;
/** JSON's white space (RFC 8259 section 2). */
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d]);
const MEDIA_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

const COMPRESSED = { campo: 'Content-Encoding', motivo: 'el cuerpo debe llegar sin comprimir' };

/** 64 KiB, and 256 KiB for the vault, whose bodies carry files. */
const bodyLimit = (path: string) => (path.startsWith('vault/') ? 256 : 64) * KIB;

/**
 * Reads the body once: media type, size, JSON, then every field. The error lists all wrong fields, a wrong RFC before
 * any other.
 */
export async function readBody(llamada: Llamada, { settings }: Pick<ApiDeps, 'settings'>): Promise<undefined> {
  llamada.bodyRead ??= read(llamada, settings);
  llamada.body = await llamada.bodyRead;
}

async function read(llamada: Llamada, settings: ApiDeps['settings']): Promise<Body> {
  const { headers, source, operation, now } = llamada;
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') throw new CfdiError('TIPO_DE_CONTENIDO', COMPRESSED);
  if (!MEDIA_TYPE.test(headers.get('content-type') ?? '')) throw new CfdiError('TIPO_DE_CONTENIDO');
  const limit = bodyLimit(operation.path);
  if ((source.declaredBytes ?? 0) > limit) throw new CfdiError('CUERPO_DEMASIADO_GRANDE');
  const raw = await source.read(limit);
  if (isBlank(raw)) throw new CfdiError('CUERPO_VACIO');
  const { rest, secretos, reparos } = takeSecretos(raw, operation.secretos, settings);
  try {
    const sent = parseJsonObject(rest);
    const parsed = operation.body.safeParse(sent);
    const wrong = wrongFields(operation, sent, parsed.error?.issues ?? [], reparos);
    if (!parsed.success) throw asWrongFields(operation, sent, wrong);
    const between = operation.check(parsed.data, now);
    const all = between === null ? wrong : [...wrong, between];
    if (all.length > 0) throw asWrongFields(operation, sent, all);
    return { value: parsed.data, secretos };
  } catch (error) {
    for (const secreto of Object.values(secretos)) secreto.fill(0);
    throw error;
  }
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => BLANKS.has(byte));

/** Where the bytes of a body come from. */
export interface BodySource {
  /** Value of Content-Length, or null. */
  readonly declaredBytes: number | null;
  /**
   * Reads everything into one buffer of its own. Throws `CUERPO_DEMASIADO_GRANDE` as soon as `limit` bytes are passed.
   */
  read(limit: number): Promise<Buffer>;
}

/** Reads from the socket without an intermediate copy, so that secrets have as few places in memory as possible. */
export function incomingBody(incoming: IncomingMessage): BodySource {
  return {
    declaredBytes: declared(incoming.headers['content-length']),
    read: (limit) =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const finish = (settle: () => void) => {
          incoming.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut);
          settle();
        };
        const onData = (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size <= limit) return;
          incoming.pause();
          wipe(chunks);
          finish(() => reject(new CfdiError('CUERPO_DEMASIADO_GRANDE')));
        };
        const onEnd = () => finish(() => resolve(join(chunks, size)));
        const onCut = () => {
          wipe(chunks);
          finish(() => reject(new CfdiError('PETICION_ILEGIBLE')));
        };
        if (incoming.readableEnded || incoming.destroyed) onCut();
        else incoming.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut);
      }),
  };
}

/** Reads from a Request that did not come over a socket. */
export function requestBody(request: Request): BodySource {
  return {
    declaredBytes: declared(request.headers.get('content-length') ?? undefined),
    async read(limit) {
      const chunks: Buffer[] = [];
      let size = 0;
      if (request.body === null) return Buffer.alloc(0);
      const reader = request.body.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        const chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
        size += chunk.length;
        chunks.push(chunk);
        if (size <= limit) continue;
        await reader.cancel();
        throw new CfdiError('CUERPO_DEMASIADO_GRANDE');
      }
      return join(chunks, size);
    },
  };
}

function declared(text: string | undefined): number | null {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
}

/** One buffer of its own; the pieces are zeroed. */
function join(chunks: readonly Buffer[], size: number): Buffer {
  const whole = secretBytes(size);
  let offset = 0;
  for (const chunk of chunks) offset += chunk.copy(whole, offset);
  wipe(chunks);
  return whole;
}

function wipe(chunks: readonly Buffer[]): void {
  for (const chunk of chunks) chunk.fill(0);
}

interface SecretosTomados {
  /** The body without its secret fields: JSON that may become strings. */
  readonly rest: Buffer;
  /** Decoded values of the fields that were there. */
  readonly secretos: Readonly<Record<string, Buffer>>;
  /** The secret fields that are missing or wrong. Told after the other fields. */
  readonly reparos: readonly CampoErroneo[];
}

/**
 * Takes the secret fields of an operation out of the raw body, without making strings of them. Changes `raw` in place.
 * Throws `JSON_INVALIDO` or `CAMPO_INVALIDO` (a secret field that stands there twice); everything is zeroed then.
 */
function takeSecretos(
  raw: Buffer,
  declared: Readonly<Record<string, Secreto>>,
  settings: ApiSettings,
): SecretosTomados {
  const names = Object.keys(declared);
  if (names.length === 0) return { rest: raw, secretos: {}, reparos: [] };
  const { secrets, rest } = split(raw, names);
  const secretos: Record<string, Buffer> = {};
  const reparos: CampoErroneo[] = [];
  for (const [campo, secreto] of Object.entries(declared)) {
    const bytes = secrets[campo] ?? null;
    const motivo = bytes === null ? whyMissing(rest, campo, secreto) : null;
    const decoded = bytes === null ? motivo : decode(bytes, secreto, settings);
    if (typeof decoded === 'string') reparos.push({ campo, motivo: decoded });
    else if (decoded !== null) secretos[campo] = decoded;
  }
  return { rest, secretos, reparos };
}

function split(raw: Buffer, names: readonly string[]): ReturnType<typeof takeSecretFields<string>> {
  try {
    return takeSecretFields(raw, names);
  } catch (error) {
    if (!(error instanceof CuerpoIlegible)) throw error;
    if (error.campo === null) throw unreadable(error);
    throw new CfdiError('CAMPO_INVALIDO', { campo: error.campo, motivo: 'aparece más de una vez' });
  }
}

/** A field that was there but is no string left a 0 in the rest. */
function whyMissing(rest: Buffer, campo: string, { required }: Secreto): string | null {
  const isThere = Object.hasOwn(JSON.parse(rest.toString('utf8')), campo);
  if (isThere) return 'debe ser un texto';
  return required ? 'falta' : null;
}

/** The value for the handler, or a text that says why it is wrong. Zeroes the bytes that it does not hand over. */
function decode(bytes: Buffer, secreto: Secreto, settings: ApiSettings): Buffer | string {
  const value = secreto.encoding === 'base64' ? fromBase64(bytes) : bytes;
  if (value !== bytes) bytes.fill(0);
  const motivo = value === null ? 'no es base64 válido' : whyWrong(value, secreto, settings);
  if (motivo === null && value !== null) return value;
  value?.fill(0);
  return motivo ?? '';
}

function whyWrong(value: Buffer, secreto: Secreto, settings: ApiSettings): string | null {
  if (value.length === 0 && secreto.required) return 'no puede estar vacío';
  if (value.length > secreto.maxBytes) return 'es demasiado grande';
  return secreto.check?.(value, settings) ?? null;
}

/** Base64 with or without line breaks (RFC 4648 section 3.1 leaves them to the application; many tools write them). */
function fromBase64(text: Buffer): Buffer | null {
  const compact = secretBytes(text.length);
  let length = 0;
  for (const byte of text) {
    if (byte === 0x0a || byte === 0x0d) continue;
    compact[length] = byte;
    length += 1;
  }
  const decoded = decodeBase64(compact.subarray(0, length));
  compact.fill(0);
  return decoded;
}

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in one bit, and so do `]` and `}`. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON object from UTF-8 bytes. Throws `JSON_INVALIDO` for anything else, and for more than 32 levels. */
export function parseJsonObject(bytes: Buffer): Record<string, unknown> {
  if (isTooDeep(bytes)) throw new CfdiError('JSON_INVALIDO', { motivo: `Tiene más de ${MAX_DEPTH} niveles.` });
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    if (isObject(value)) return value;
  } catch {
    // The parser's message quotes the body: it is left behind.
  }
  throw unreadable(isUtf8(bytes) ? mistakeIn(bytes) : null);
}

function mistakeIn(bytes: Buffer): unknown {
  try {
    return new JsonScanner(bytes).readObject(() => {});
  } catch (error) {
    return error;
  }
}

/** `JSON_INVALIDO` with the place of a {@link CuerpoIlegible}; bytes without one are not UTF-8. */
function unreadable(error: unknown): CfdiError {
  const place = error instanceof CuerpoIlegible ? error.place : null;
  const motivo = place ? `El error está en la línea ${place.line}, columna ${place.column}.` : 'No está en UTF-8.';
  return new CfdiError('JSON_INVALIDO', { motivo });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counts brackets outside of strings; bytes of UTF-8 beyond ASCII never look like one. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0;
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if ((byte | CASE_BIT) === OPENING) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if ((byte | CASE_BIT) === CLOSING) depth -= 1;
  }
  return false;
}

/** Programs send this one along everywhere: beside the field that could be meant it is none of the operation's. */
const ALONG = 'rfc';

type Sent = Readonly<Record<string, unknown>>;
type Fields = Pick<Operation, 'body' | 'secretos'>;

const namesOf = ({ body, secretos }: Fields) => [...Object.keys(body.shape), ...Object.keys(secretos)];

/**
 * Everything that is wrong with the fields that were sent, one entry a field: first the names that are a slip of a
 * known one, then texts that cannot be kept, then what the schema refuses, then the secret fields. Other unknown fields
 * are no concern.
 */
function wrongFields(
  operation: Fields,
  sent: Sent,
  issues: readonly z.core.$ZodIssue[],
  secretos: readonly CampoErroneo[],
): readonly CampoErroneo[] {
  const known = namesOf(operation);
  const slips = Object.keys(sent).flatMap((campo) => {
    const meant = known.includes(campo) ? undefined : meantBy(campo, known);
    return meant === undefined || (campo === ALONG && Object.hasOwn(sent, meant))
      ? []
      : [{ campo, motivo: `no existe; ¿quiso decir ${meant}?` }];
  });
  const unusable = Object.entries(sent).flatMap(([campo, value]) =>
    known.includes(campo) && !isKept(value) ? [{ campo, motivo: 'tiene un carácter nulo, o uno incompleto' }] : [],
  );
  const refused = issues.map((issue) => ({ campo: issue.path.map(String).join('.'), motivo: motivoOf(issue, sent) }));
  const all = [...slips, ...unusable, ...refused, ...secretos];
  return all.filter(({ campo }, at) => all.findIndex((other) => other.campo === campo) === at);
}

/** Whether PostgreSQL can hold all texts of a value: it has no place for U+0000, nor for half of a surrogate pair. */
function isKept(value: unknown): boolean {
  if (typeof value === 'string') return !/\0|\p{Surrogate}/u.test(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isKept);
}

/**
 * The error for a body with these wrong fields. A wrong RFC has a meaning of its own in the specification and goes
 * first.
 */
function asWrongFields(
  operation: Fields & Pick<Operation, 'rfc'>,
  sent: Sent,
  campos: readonly CampoErroneo[],
): CfdiError {
  const rfc = operation.rfc === 'ninguno' ? undefined : campos.find(({ campo }) => campo === 'rfc');
  const [first = { campo: '', motivo: '' }] = rfc === undefined ? campos : [rfc];
  const datos = { ...first, campos: [first, ...campos.filter((other) => other !== first)] };
  if (rfc !== undefined) return new CfdiError('RFC_INVALIDO', datos);
  const [name = ''] = first.campo.split('.');
  if (first.motivo === FALTA) return new CfdiError('CAMPO_FALTANTE', datos);
  const isKnown = namesOf(operation).includes(name) || !Object.hasOwn(sent, name);
  return new CfdiError(isKnown ? 'CAMPO_INVALIDO' : 'CAMPO_DESCONOCIDO', datos);
}

/** What a required field that was not sent has wrong. */
const FALTA = 'falta';

function motivoOf(issue: z.core.$ZodIssue, sent: Sent): string {
  const [campo = ''] = issue.path;
  if (!Object.hasOwn(sent, campo)) return FALTA;
  const value = sent[String(campo)];
  const isOtherType = issue.code === 'invalid_type' && !(issue.expected === 'int' && typeof value === 'number');
  return isOtherType && issue.path.length === 1 ? `${issue.message}, llegó ${kindOf(value)}` : issue.message;
}

const KINDS: Readonly<Record<string, string>> = { string: 'un texto', number: 'un número', boolean: 'un booleano' };

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'una lista' : (KINDS[typeof value] ?? 'un objeto');
}

export const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

/** JSON with the names of every object in order, so that the same content has the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(byName))
      : item,
  );
}

import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** What a field says about itself beyond its type; `describeConfig` reads it. */
interface FieldMeta {
  readonly description: string;
  /** Never printed, and read from a file when `NAME_FILE` is set. */
  readonly secret?: boolean;
  /** What the name of the variable must end with. */
  readonly suffix?: string;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

const TRUE = new Set(['true', '1', 'yes', 'si', 'sí', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** Free text of one line, trimmed, not empty. */
export function text(description: string) {
  return z.string().trim().min(1, { error: 'no puede estar vacía' }).meta({ description });
}

/** A whole number, by default not negative. */
export function integer(description: string, range: Range = {}) {
  return whole(range).meta({ description });
}

/** A number that may have decimals. */
export function decimal(description: string, range: Range = {}) {
  return numeric(/^-?\d+(\.\d+)?$/, 'un número', range).meta({ description });
}

/** A TCP port; 0 lets the system choose. */
export function port(description: string) {
  return whole({ max: 65_535 }).meta({ description });
}

/** A duration in whole seconds. The variable's name must end in `_SECONDS`. */
export function durationSeconds(description: string, range: Range = {}) {
  return whole(range).meta({ description, suffix: '_SECONDS' });
}

/** A duration in whole milliseconds. The variable's name must end in `_MS`. */
export function durationMs(description: string, range: Range = {}) {
  return whole(range).meta({ description, suffix: '_MS' });
}

/**
 * An absolute URL, kept as the text that was given.
 * @param options.protocols accepted schemes without the colon; by default http and https.
 * @param options.secret true when the address carries a password (a database's).
 */
export function url(
  description: string,
  options: { readonly protocols?: readonly string[]; readonly secret?: boolean } = {},
) {
  const protocols = options.protocols ?? ['http', 'https'];
  return z
    .string()
    .trim()
    .overwrite(withOneHost)
    .refine((value) => protocols.includes(protocolOf(value)), {
      error: `debe ser una dirección completa que empiece con ${protocols.map((p) => `${p}://`).join(' o ')}`,
    })
    .meta({ description, ...(options.secret ? { secret: true } : {}) });
}

/**
 * An address of several hosts as libpq writes it (`postgres://u:p@a:5432,b:5432/db`) with one host, and all of them as the
 * parameters `host` and `port`, which libpq reads too: so every parser of URLs takes it. Any other address unchanged.
 */
export function withOneHost(value: string): string {
  const [, before, list, after] =
    /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([\w.-]+(?::\d+)?(?:,[\w.-]+(?::\d+)?)+)(.*)$/.exec(value) ?? [];
  if (list === undefined) return value;
  const hosts = list.split(',').map((each) => each.split(':'));
  const address = new URL(`${before}${hosts[0]?.join(':')}${after}`);
  address.searchParams.set('host', hosts.map(([host]) => host).join());
  address.searchParams.set('port', hosts.map(([, port = '5432']) => port).join());
  return address.href;
}

/** A list separated by commas; the empty items are left out. */
export function list(description: string) {
  return z
    .string()
    .transform((value): readonly string[] =>
      value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .meta({ description });
}

/** Yes or no: true, 1, yes, si, on / false, 0, no, off. */
export function bool(description: string) {
  return z
    .string()
    .transform((value, context) => {
      const word = value.trim().toLowerCase();
      if (TRUE.has(word)) return true;
      if (FALSE.has(word)) return false;
      context.addIssue({ code: 'custom', message: 'debe ser true o false' });
      return z.NEVER;
    })
    .meta({ description });
}

/** One word of a closed set. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words, description: string) {
  return z.enum(words, { error: `debe ser una de: ${words.join(', ')}` }).meta({ description });
}

/** A secret: never printed, and `NAME_FILE` may name the file that holds it. */
export function secret(description: string, options: { readonly minLength?: number } = {}) {
  const minLength = options.minLength ?? 1;
  return z
    .string()
    .min(minLength, { error: `debe tener al menos ${minLength} caracteres` })
    .meta({ description, secret: true });
}

function whole(range: Range) {
  return numeric(/^-?\d+$/, 'un número entero', { min: 0, ...range });
}

function numeric(pattern: RegExp, kind: string, { min, max }: Range) {
  const limits = [min === undefined ? '' : ` desde ${min}`, max === undefined ? '' : ` hasta ${max}`].join('');
  return z.string().transform((value, context) => {
    const trimmed = value.trim();
    const parsed = Number(trimmed);
    const fits = pattern.test(trimmed) && parsed >= (min ?? -Infinity) && parsed <= (max ?? Infinity);
    if (fits) return parsed;
    context.addIssue({ code: 'custom', message: `debe ser ${kind}${limits}` });
    return z.NEVER;
  });
}

function protocolOf(value: string): string {
  return URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : '';
}

/** The environment of a process, as `process.env` gives it. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Rule between settings: `check` calls `miss` with the name of a setting and its fault (Spanish). */
export interface ConfigRule {
  check(config: object, miss: (name: string, message: string) => void): void;
}

/** All faults of an environment at once; `message` is ready to be printed to the operator (Spanish). */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'CONFIG_INVALID';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      [
        `La configuración tiene ${faults.length === 1 ? 'un error' : `${faults.length} errores`}:`,
        ...faults.map((fault) => `  - ${fault}`),
        'Corrija las variables de entorno (.env.example las describe todas) y vuelva a iniciar.',
      ].join('\n'),
    );
    this.faults = faults;
  }
}

/**
 * Reads the environment by a schema whose keys are the names of the variables. An empty variable counts as not set.
 * `NAME_FILE` gives the path of a file that holds the value of `NAME` (its final line break is dropped). An empty file
 * is a fault, since naming a file means giving a value. The result is frozen.
 * @throws ConfigError with every fault; it never quotes a value.
 */
export function loadConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  env: Environment,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const faults: string[] = [];
  const input: Record<string, string> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    requireUnitInName(name, field);
    const value = readVariable(name, env, `${name}_FILE` in schema.shape, faults);
    if (value !== undefined) input[name] = value;
  }
  const faulty = new Set(faults.map((fault) => fault.slice(0, fault.indexOf(':'))));
  const parsed = schema.safeParse(input, { error: z.locales.es().localeError });
  for (const issue of parsed.success ? [] : parsed.error.issues) {
    const name = String(issue.path[0] ?? '');
    if (!faulty.has(name)) faults.push(describeFault(name, input[name] === undefined, issue, schema));
  }
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(parsed.data);
}

function readVariable(name: string, env: Environment, fileIsOwnField: boolean, faults: string[]): string | undefined {
  const direct = env[name] === '' ? undefined : env[name];
  const file = fileIsOwnField ? undefined : env[`${name}_FILE`];
  if (file === undefined || file === '') return direct;
  if (direct !== undefined) {
    faults.push(`${name}: está puesta dos veces, directamente y como ${name}_FILE; deje solo una`);
    return undefined;
  }
  try {
    const value = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (value.trim() !== '') return value;
    faults.push(`${name}: el archivo que indica ${name}_FILE está vacío; escriba en él el valor, o quite ${name}_FILE`);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'desconocido';
    faults.push(`${name}: no se pudo leer el archivo que indica ${name}_FILE (${code})`);
    return undefined;
  }
}

function describeFault(
  name: string,
  missing: boolean,
  issue: z.core.$ZodIssue,
  schema: z.ZodObject<z.ZodRawShape>,
): string {
  const field = schema.shape[name];
  if (field === undefined) return issue.message;
  if (!missing) return `${name}: ${issue.message}`;
  const { description } = fieldMeta(field);
  return `${name}: falta${description === '' ? '' : ` (${description})`}`;
}

function requireUnitInName(name: string, field: z.core.$ZodType): void {
  const { suffix } = fieldMeta(field);
  if (suffix !== undefined && !name.endsWith(suffix)) {
    throw new TypeError(`The configuration variable ${name} holds a duration: its name must end in ${suffix}`);
  }
}

/** One variable as the documentation shows it. */
interface ConfigEntry {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly secret: boolean;
  /** The default as it would be written in the environment, or null. */
  readonly default: string | null;
}

/** The variables of a schema, in the schema's order. */
export function describeConfig(schema: z.ZodObject<z.ZodRawShape>): readonly ConfigEntry[] {
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, secret = false } = fieldMeta(field);
    const value = fieldDefault(field);
    return {
      name,
      description,
      secret,
      required: !isOptional(field),
      default: value === undefined ? null : asVariable(name, value),
    };
  });
}

/**
 * The lines of an `.env.example` for some variables: required ones bare, the others commented out with their default.
 */
export function envExample(entries: readonly ConfigEntry[]): string {
  return entries
    .map((entry) => {
      const notes = [
        entry.required ? 'Obligatoria.' : 'Opcional.',
        entry.secret ? `Secreta: también se lee del archivo que indique ${entry.name}_FILE.` : '',
      ];
      const line = `${entry.name}=${entry.default ?? ''}`;
      return [
        ...entry.description.split('\n').map((part) => `# ${part}`),
        `# ${notes.filter((note) => note !== '').join(' ')}`,
        entry.required ? line : `#${line}`,
        '',
      ].join('\n');
    })
    .join('\n');
}

/** @throws TypeError for a default that no text of the environment would give. */
function asVariable(name: string, value: unknown): string {
  const items = Array.isArray(value) ? value : [value];
  if (items.some((item) => typeof item === 'object'))
    throw new TypeError(`The default of ${name} is no text: write it as .prefault('…'), as it is in the environment`);
  return items.join(',');
}

/**
 * A field's own description and marks, found through `.default()`, `.optional()`, `.transform()` and the like around
 * it.
 */
function fieldMeta(field: z.core.$ZodType): FieldMeta {
  for (let current: z.core.$ZodType | undefined = field; current; current = innerType(current)) {
    const meta = z.globalRegistry.get(current);
    if (meta?.description !== undefined) return { ...meta, description: meta.description };
  }
  return { description: '' };
}

/** The default of a field, or undefined when it has none. */
function fieldDefault(field: z.core.$ZodType): unknown {
  for (let current: z.core.$ZodType | undefined = field; current; current = innerType(current)) {
    const { def } = current._zod;
    if (def.type === 'default' || def.type === 'prefault') {
      return (def as z.core.$ZodDefaultDef).defaultValue;
    }
  }
  return undefined;
}

/** True when a field accepts that its variable is not set. */
function isOptional(field: z.core.$ZodType): boolean {
  return z.safeParse(field, undefined).success;
}

function innerType(field: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = field._zod.def as { innerType?: z.core.$ZodType; in?: z.core.$ZodType };
  // What comes after `.transform()` is a pipe: the field as it was written is where it begins.
  return def.innerType ?? def.in;
}

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { fieldMeta } from './field-meta.ts';

/** The environment of a process, as `process.env` gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
 * Reads the environment by a schema whose keys are the names of the variables.
 * An empty variable counts as not set. `NAME_FILE` gives the path of a file that holds the value of `NAME`
 * (its final line break is dropped). The result is frozen.
 * @throws ConfigError with every fault; no value is ever quoted in it.
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
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
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

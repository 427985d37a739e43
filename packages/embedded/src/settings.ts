import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import {
  ConfigError,
  databaseFields,
  loadConfig,
  port,
  processFields,
  queueFields,
  secret,
  storageFields,
} from '@acuse/runtime';
import { z } from 'zod';
import type { StackOptions } from './stack.ts';
import type { Env } from './stack-env.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Written from the schemas of the processes: which settings there are, and who reads each. */
const DESCRIBED = `${ROOT}.env.example`;
/** What may stand beside it, which git does not know. */
const ENV_FILE = `${ROOT}.env`;

const PROCESSES = ['api', 'worker', 'panel'] as const;
type Process = (typeof PROCESSES)[number];

/** What the stack itself must know of the settings. */
const own = z.object({
  DATABASE_URL: databaseFields(2).DATABASE_URL.optional(),
  ...queueFields,
  ...storageFields,
  SHUTDOWN_SECONDS: processFields.SHUTDOWN_SECONDS,
  API_KEY_PEPPERS: secret('').optional(),
  API_PORT: port('').optional(),
  PANEL_PORT: port('').optional(),
  HEALTH_PORT: port('').optional(),
});

/** What the operator set for a whole stack. */
export interface Settings
  extends Pick<StackOptions, 'databaseUrl' | 'redisUrl' | 's3' | 'peppers' | 'shutdownSeconds'> {
  /** By process, only those that it reads; ports apart. */
  readonly env: Readonly<Record<Process, Env>>;
  /** Those that were asked for. */
  readonly ports: { readonly api?: number; readonly panel?: number; readonly health?: number };
}

const PORTS = { API_PORT: 'api', PANEL_PORT: 'panel', HEALTH_PORT: 'health' } as const;

/** Pairs of settings: one alone would seal data that no process can open, or sign packages that no process verifies. */
const PAIRS = [
  ['WORKER_PUBLIC_KEY', 'WORKER_KEYS'],
  ['WORKER_PSK', 'WORKER_PSKS'],
  ['MANIFEST_PUBLIC_KEYS', 'MANIFEST_KEYS'],
] as const;

/** Settings that cannot be given to a stack that brings its own simulator: why, and what to do. */
const REFUSED: Readonly<Record<string, (value: string, given: Env) => string | null>> = {
  SAT_BASE_URL: () =>
    'esta orden trae su propio simulador y prepara con él la cuenta de prueba. Quite este ajuste; para otro simulador, o para el SAT, inicie cada proceso por separado (docker-compose.yml dice cómo)',
  SAT_PRUEBAS_URL: () =>
    'esta orden trae su propio simulador, que contesta a todas las llaves. Quite este ajuste; para probarlo, inicie cada proceso por separado (docker-compose.yml dice cómo)',
  CAPTCHA_RESOLVER: (value) =>
    value === 'consola'
      ? 'los procesos que inicia esta orden no tienen terminal. Use personas y conteste con «npx acuse operador captchas», o deje simulador'
      : null,
  S3_FORCE_PATH_STYLE: (value, given) =>
    /^(true|1|yes|s[ií]|on)$/i.test(value.trim()) || given['S3_ENDPOINT']
      ? null
      : 'el almacén incluido solo atiende con el bucket en la ruta. Quite este ajuste, o ponga S3_ENDPOINT',
};

/**
 * The settings of .env.example from the environment and from a file of the form NAME=value, over which the environment
 * wins. Each goes to every process that reads it. @throws ConfigError that names each one that cannot be followed, with
 * its reason and its remedy.
 */
export function readSettings(environment: NodeJS.ProcessEnv, file: string = ENV_FILE): Settings {
  const all: Env = Object.fromEntries(
    Object.entries({ ...readEnvFile(file), ...withoutEmpty(environment) }).filter(isSet),
  );
  const faults = [...refusals(all)];
  if (faults.length > 0) throw new ConfigError(faults);
  const config = loadConfig(own, all);
  const ports = Object.entries(PORTS).flatMap(([name, part]) => {
    const value = config[name as keyof typeof PORTS];
    return value === undefined ? [] : [[part, value]];
  });
  return {
    env: envOfEach(all),
    ports: Object.fromEntries(ports),
    shutdownSeconds: config.SHUTDOWN_SECONDS,
    s3: {
      ...(config.S3_ENDPOINT ? { endpoint: config.S3_ENDPOINT } : {}),
      ...(all['S3_BUCKET'] ? { bucket: config.S3_BUCKET } : {}),
      ...(config.S3_ACCESS_KEY_ID ? { accessKeyId: config.S3_ACCESS_KEY_ID } : {}),
      ...(config.S3_SECRET_ACCESS_KEY ? { secretAccessKey: config.S3_SECRET_ACCESS_KEY } : {}),
    },
    ...(config.DATABASE_URL ? { databaseUrl: config.DATABASE_URL } : {}),
    ...(config.QUEUE_URL ? { redisUrl: config.QUEUE_URL } : {}),
    ...(config.API_KEY_PEPPERS ? { peppers: config.API_KEY_PEPPERS } : {}),
  };
}

function* refusals(given: Env): Generator<string> {
  for (const [name, refuse] of Object.entries(REFUSED)) {
    const value = given[name];
    const reason = value === undefined ? null : refuse(value, given);
    if (reason !== null) yield `${name}: ${reason}`;
  }
  for (const pair of PAIRS) {
    const [one, other] = pair.filter((name) => !(name in given) && !(`${name}_FILE` in given));
    if (one === undefined || other !== undefined) continue;
    yield `${one}: falta; es la pareja de ${pair.find((name) => name !== one)}, y solo una de las dos sellaría lo que nadie abre. Ponga ambas o ninguna`;
  }
}

/** Which settings each process reads, and which of them are secrets. */
function envOfEach(given: Env): Record<Process, Env> {
  const text = readFileSync(DESCRIBED, 'utf8');
  const sections = text.split(/^# --- .*\(apps\/(\w+)\) ---$/m);
  const envOf = (process: Process) => {
    const section = sections[sections.indexOf(process) + 1] ?? '';
    const names = [...section.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
    const files = [...section.matchAll(/\b([A-Z][A-Z0-9_]*_FILE)\b/g)].map(([, name = '']) => name);
    const read = [...names.filter((name) => !(name in PORTS)), ...files];
    return Object.fromEntries(read.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
  };
  return Object.fromEntries(PROCESSES.map((name) => [name, envOf(name)])) as Record<Process, Env>;
}

const isSet = (entry: [string, string | undefined]): entry is [string, string] =>
  entry[1] !== undefined && entry[1] !== '';

const withoutEmpty = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(isSet));

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

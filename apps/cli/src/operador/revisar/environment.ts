import type { Secreto } from '@acuse/db';
import { ConfigError, describeConfig, loadConfig } from '@acuse/runtime';
import { apiConfig } from '@acuse/settings/api';
import { panelConfig } from '@acuse/settings/panel';
import { workerConfig } from '@acuse/settings/worker';
import { z } from 'zod';
import { ACCESOS, cliConfig } from '../config.ts';

const SCHEMAS = { api: apiConfig, worker: workerConfig, panel: panelConfig } as const;

export type ProcessName = keyof typeof SCHEMAS;
export const PROCESS_NAMES = Object.keys(SCHEMAS) as ProcessName[];

/** The settings of all processes, each absent where it is not set, has no default, or cannot be read. */
export type Settings = Partial<
  z.output<typeof apiConfig> & z.output<typeof workerConfig> & z.output<typeof panelConfig>
> &
  Partial<Readonly<Record<Secreto, string>>>;
type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment of this machine says to the processes that are judged. */
export interface Installation {
  readonly processes: readonly ProcessName[];
  /** Of each of them, by its own defaults. */
  readonly settingsOf: ReadonlyMap<ProcessName, Settings>;
  /** Of all of them together. */
  readonly settings: Settings;
  /** What a process would refuse to start for, with the processes that would. */
  readonly faults: ReadonlyMap<string, readonly ProcessName[]>;
  /** The setting with what each of them logs in to the database by, and its value, where it is set. */
  readonly logins: ReadonlyMap<ProcessName, { readonly name: string; readonly url: string }>;
  /** Every text that must not be printed. */
  readonly secrets: readonly string[];
}

/** The image sets it for every process, though only the workers read it. */
const SET_FOR_ALL = new Set(['NODE_ENV']);

/**
 * The processes that a machine is for, by the settings that only they read; all of them where none is set. Secrets count
 * by the file that names them too.
 */
function guessProcesses(env: Environment): readonly ProcessName[] {
  const readers = (name: string) => PROCESS_NAMES.filter((process) => name in SCHEMAS[process].shape);
  const isSet = (name: string) => [name, `${name}_FILE`].some((one) => (env[one] ?? '') !== '');
  const found = PROCESS_NAMES.filter((process) =>
    Object.keys(SCHEMAS[process].shape).some(
      (name) => readers(name).length === 1 && !SET_FOR_ALL.has(name) && isSet(name),
    ),
  );
  return found.length === 0 ? PROCESS_NAMES : found;
}

/** Reads the environment as the processes do. Never throws: faults are findings. */
export function readInstallation(env: Environment, only: readonly ProcessName[] = []): Installation {
  const processes = only.length > 0 ? only : guessProcesses(env);
  const faults = new Map<string, ProcessName[]>();
  const secrets = new Set<string>();
  const settingsOf = new Map<ProcessName, Settings>();
  for (const process of processes) {
    const schema: z.ZodObject<z.ZodRawShape> = SCHEMAS[process];
    for (const each of faultsOf(schema, env)) faults.set(each, [...(faults.get(each) ?? []), process]);
    const values = readEach(schema, env);
    settingsOf.set(process, values as Settings);
    for (const { name, secret } of describeConfig(schema))
      if (secret) for (const part of partsOf(values[name])) secrets.add(part);
  }
  const settings: Settings = Object.assign({}, ...settingsOf.values());
  const logins = new Map<ProcessName, { readonly name: string; readonly url: string }>();
  const given = readEach(cliConfig, env);
  for (const process of processes) {
    const name = given[ACCESOS[process]] === undefined ? 'DATABASE_URL' : ACCESOS[process];
    const url = given[name];
    if (typeof url !== 'string') continue;
    logins.set(process, { name, url });
    for (const part of partsOf(url)) secrets.add(part);
  }
  return { processes, settingsOf, settings, faults, logins, secrets: [...secrets] };
}

function faultsOf(schema: z.ZodObject<z.ZodRawShape>, env: Environment): readonly string[] {
  try {
    loadConfig(schema, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** One by one, so that a wrong one hides no other. */
function readEach(schema: z.ZodObject<z.ZodRawShape>, env: Environment): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]) => {
      try {
        const value = loadConfig(z.object({ [name]: field }), env)[name];
        return value === undefined || value === '' ? [] : [[name, value]];
      } catch {
        return [];
      }
    }),
  );
}

/** A secret and what it is made of: the keys of a list, the password of an address. */
function partsOf(value: unknown): readonly string[] {
  if (typeof value !== 'string') return [];
  const keys = value.split(',').map((entry) => entry.slice(entry.indexOf(':') + 1).trim());
  if (!value.includes('://')) return [value, ...keys];
  const passwords = value.match(/(?<=:\/\/[^:/?#]*:)[^/?#]+(?=@)|(?<=Password=)[^&]+/g) ?? [];
  return [value, ...passwords.flatMap((password) => [password, decodeURIComponent(password)])];
}

const HIDDEN = '•••';
const SHORTEST = 4;

/** Takes every secret out of a text; a last guard, since none should have come into it. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
  return longestFirst.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text);
}

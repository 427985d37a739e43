import { correoFields, loadConfig, queueFields, satAddressFields, secret, storageFields, url } from '@acuse/runtime';
import { z } from 'zod';

/** A secret that only its rotation needs here. */
const deProceso = (de: string) =>
  secret(`El de ${de}: solo lo piden «secretos rotar» y «secretos estado» sin --carpeta.`).optional();

/** What a process logs in to the database with. */
const deUsuario = (de: string) =>
  url(`La DATABASE_URL de ${de}: «migrar» crea el usuario que nombra, con su contraseña y los permisos del proceso.`, {
    protocols: ['postgres', 'postgresql'],
    secret: true,
  }).optional();

/** The secrets that «secretos rotar» changes where they are no files. */
const rotables = {
  API_KEY_PEPPERS: secret(
    'Secretos con los que se guardan las API keys, versión:base64 separados por comas; el primero es el vigente.',
  ).optional(),
  KEYRING: deProceso('la API y el panel'),
  WORKER_PUBLIC_KEY: deProceso('la API y el panel'),
  WORKER_PSK: deProceso('la API y el panel'),
  WORKER_KEYS: deProceso('los workers'),
  WORKER_PSKS: deProceso('los workers'),
  SESSION_KEYS: deProceso('la API y los workers'),
  PANEL_SECRETS: deProceso('el panel'),
  WEBHOOK_KEYS: deProceso('la API, el panel y los workers'),
  MANIFEST_KEYS: deProceso('los workers'),
  MANIFEST_PUBLIC_KEYS: deProceso('la API'),
};
export const ROTABLES = Object.keys(rotables) as (keyof typeof rotables)[];

/** What the operator's command line needs from the environment. The only place of this app where it is read. */
export const cliConfig = z.object({
  DATABASE_URL: url('Base de datos PostgreSQL.', { protocols: ['postgres', 'postgresql'], secret: true }),
  DATABASE_URL_API: deUsuario('la API'),
  DATABASE_URL_PANEL: deUsuario('el panel'),
  DATABASE_URL_WORKER: deUsuario('los workers'),
  DATABASE_URL_COLA: url(
    'La QUEUE_URL de los workers y del panel, si la cola está en el mismo PostgreSQL: «migrar» crea la base que nombra, del usuario que nombra, que no puede nada en otra.',
    { protocols: ['postgres', 'postgresql'], secret: true },
  ).optional(),
  ...satAddressFields,
  API_PUBLIC_URL: url('Dirección de la API para quien la llama: la de los enlaces de «rfc importar».').optional(),
  ...correoFields,
  // Where something of a taxpayer may lie beside the database: only what deletes it looks there.
  QUEUE_URL: queueFields.QUEUE_URL,
  ...storageFields,
  ...rotables,
});

export type CliConfig = Readonly<z.output<typeof cliConfig>>;

/** What processes log in with, by the setting that names it. */
export const ACCESOS = { api: 'DATABASE_URL_API', panel: 'DATABASE_URL_PANEL', worker: 'DATABASE_URL_WORKER' } as const;

/** Reads the environment; throws one `ConfigError` with all faults. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): CliConfig {
  return loadConfig(cliConfig, env);
}

/** Environment of the processes of this machine, for the command that checks it. */
export const readEnvironment = (env: NodeJS.ProcessEnv = process.env): Readonly<Record<string, string | undefined>> =>
  env;

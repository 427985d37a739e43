import {
  createCaptchas,
  createContribuyentes,
  createCuentas,
  createEquipo,
  createLibro,
  createListaSolicitudes,
  createLlaves,
  createPagos,
  createTrazas,
  createUsuarios,
  createUsuariosBase,
  type Database,
  directUrl,
  ROLES_BASE,
} from '@acuse/db';
import { openRecords } from '@acuse/db/records';
import { modoOf } from '@acuse/runtime';
import type { Eraser } from '@acuse/storage';
import { type ApiKeyHasher, openHasher, openSealer } from '@acuse/vault';
import { ACCESOS, type CliConfig, ROTABLES } from './config.ts';

function hasherOf(peppers: string | undefined): ApiKeyHasher {
  if (peppers === undefined) throw new Error('API_KEY_PEPPERS: falta; debe ser la misma que usa la API');
  return openHasher(peppers);
}

const secretosOf = (config: Partial<CliConfig>): Readonly<Record<string, string>> =>
  Object.fromEntries(ROTABLES.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])));

/** Opens what the commands work with. Connects on first use. */
export function openDeps(
  config: Pick<CliConfig, 'DATABASE_URL'> & Partial<CliConfig>,
  print: (line: string) => void,
  exitWith: (code: number) => void,
) {
  const open = (timeoutMs: number) =>
    openRecords({ url: config.DATABASE_URL, poolSize: 4, timeoutMs, applicationName: 'acuse-cli' });
  const database = open(15_000);
  return {
    cuentas: createCuentas(database),
    libro: createLibro(database),
    usuarios: createUsuarios(database),
    equipo: createEquipo(database),
    contribuyentes: createContribuyentes(database),
    llaves: createLlaves(database),
    solicitudes: createListaSolicitudes(database),
    trazas: createTrazas(database),
    captchas: createCaptchas(database),
    pagos: createPagos(database),
    /** Where a person is asked. */
    terminal: { entrada: process.stdin as NodeJS.ReadableStream, salida: process.stderr as NodeJS.WritableStream },
    /** Throws when the peppers are not set: only the commands about keys need them. */
    hasher: () => hasherOf(config.API_KEY_PEPPERS),
    /** Of the keys that this installation issues. */
    modoLlave: modoOf(config),
    /** Whether test keys have a simulator beside the SAT. */
    hayPruebas: config.SAT_PRUEBAS_URL !== undefined,
    /** Throws when the settings are missing: only links need them. */
    sealer() {
      const { WORKER_PUBLIC_KEY, WORKER_PSK } = config;
      if (WORKER_PUBLIC_KEY === undefined || WORKER_PSK === undefined)
        throw new Error('WORKER_PUBLIC_KEY, WORKER_PSK: faltan; deben ser las mismas que usa la API');
      return openSealer(WORKER_PUBLIC_KEY, WORKER_PSK);
    },
    apiUrl: config.API_PUBLIC_URL,
    hayCorreo: config.CORREO_DE !== undefined,
    progreso: process.stderr,
    exitWith,
    databaseUrl: config.DATABASE_URL,
    /** Address of the queue: the database, unless a setting names another. */
    queueUrl: config.QUEUE_URL ?? config.DATABASE_URL_COLA ?? directUrl(config.DATABASE_URL),
    /** The storage, to delete from. */
    async openEraser(): Promise<Eraser> {
      const { S3_BUCKET, S3_REGION, S3_FORCE_PATH_STYLE } = config;
      if (S3_BUCKET === undefined || S3_REGION === undefined || S3_FORCE_PATH_STYLE === undefined)
        throw new Error('S3_BUCKET: falta; debe ser el de los workers');
      // The other orders start without it.
      const { openEraser } = await import('@acuse/storage');
      return openEraser({ ...config, S3_BUCKET, S3_REGION, S3_FORCE_PATH_STYLE });
    },
    /** Lets `ms` milliseconds pass. */
    pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    database,
    usuariosBase: createUsuariosBase(database),
    /** The addresses that processes log in with, of those for which one is configured. */
    usuariosConfigurados: ROLES_BASE.flatMap((rol) => {
      const url = config[ACCESOS[rol]];
      return url === undefined ? [] : [[rol, url] as const];
    }),
    /** The address of the queue, where it is to have a database of its own on this server. */
    colaConfigurada: config.DATABASE_URL_COLA,
    /** Runs what may take longer than an order usually does, `timeoutMs` milliseconds a statement. */
    async slow<T>(timeoutMs: number, run: (database: Database) => Promise<T>): Promise<T> {
      const patient = open(timeoutMs);
      try {
        return await run(patient);
      } finally {
        await patient.close();
      }
    },
    /** The secrets of the environment that can be rotated, by setting. */
    secretos: secretosOf(config),
    /** Prints a result as a line of JSON. */
    show: (result: unknown) => print(JSON.stringify(result)),
    close: () => database.close(),
  };
}

export type CliDeps = ReturnType<typeof openDeps>;

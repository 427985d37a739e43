import {
  createCaptchas,
  createCargaListas,
  createContribuyentes,
  createCuentas,
  createLibro,
  createListaEdos,
  createListaSolicitudes,
  createLlaves,
  createPagos,
  createUsuarios,
  type Database,
  openDatabase,
} from '@acuse/db';
import { modoLlaveOf } from '@acuse/runtime';
import { type ApiKeyHasher, openHasher } from '@acuse/vault';
import type { CliConfig } from './config.ts';

export interface CliDeps {
  readonly cuentas: ReturnType<typeof createCuentas>;
  readonly libro: ReturnType<typeof createLibro>;
  readonly usuarios: ReturnType<typeof createUsuarios>;
  readonly contribuyentes: ReturnType<typeof createContribuyentes>;
  readonly llaves: ReturnType<typeof createLlaves>;
  readonly solicitudes: ReturnType<typeof createListaSolicitudes>;
  readonly captchas: ReturnType<typeof createCaptchas>;
  readonly pagos: ReturnType<typeof createPagos>;
  /** Where a person is asked. */
  readonly terminal: { readonly entrada: NodeJS.ReadableStream; readonly salida: NodeJS.WritableStream };
  readonly efos: Pick<ReturnType<typeof createCargaListas>, 'askFor' | 'estado'>;
  readonly edos: ReturnType<typeof createListaEdos>;
  /** Throws when the peppers are not set: only the commands about keys need them. */
  readonly hasher: () => ApiKeyHasher;
  /** Of the keys that this installation issues. */
  readonly modoLlave: 'live' | 'test';
  readonly databaseUrl: string;
  readonly database: Database;
  /** The secrets of the environment that can be rotated, by setting. */
  readonly secretos: Readonly<Record<string, string>>;
  /** Prints a result as a line of JSON. */
  readonly show: (result: unknown) => void;
  readonly close: () => Promise<void>;
}

function hasherOf(peppers: string | undefined): ApiKeyHasher {
  if (peppers === undefined) throw new Error('API_KEY_PEPPERS: falta; debe ser la misma que usa la API');
  return openHasher(peppers);
}

function secretosOf({ DATABASE_URL: _, SAT_BASE_URL: __, ...secretos }: CliConfig): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(secretos).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Opens what the commands work with. Connects on first use. */
export function openDeps(config: CliConfig, print: (line: string) => void): CliDeps {
  const database = openDatabase({
    url: config.DATABASE_URL,
    poolSize: 4,
    timeoutMs: 15_000,
    applicationName: 'acuse-cli',
  });
  return {
    cuentas: createCuentas(database),
    libro: createLibro(database),
    usuarios: createUsuarios(database),
    contribuyentes: createContribuyentes(database),
    llaves: createLlaves(database),
    solicitudes: createListaSolicitudes(database),
    captchas: createCaptchas(database),
    pagos: createPagos(database),
    terminal: { entrada: process.stdin, salida: process.stderr },
    efos: createCargaListas(database),
    edos: createListaEdos(database),
    hasher: () => hasherOf(config.API_KEY_PEPPERS),
    modoLlave: modoLlaveOf(config),
    databaseUrl: config.DATABASE_URL,
    database,
    secretos: secretosOf(config),
    show: (result) => print(JSON.stringify(result)),
    close: () => database.close(),
  };
}

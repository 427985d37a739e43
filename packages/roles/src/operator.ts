import type { Modo } from '@acuse/core';
import {
  type Autor,
  type Cuentas,
  type CuentaVista,
  type createContribuyentes,
  type Database,
  isUuid,
  Rechazo,
  type RfcVista,
} from '@acuse/db';
import type { Eraser } from '@acuse/storage';
import type { ApiKeyHasher, Sealer } from '@acuse/vault';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { rfcArgument } from './client.ts';

/** Parts of a command of the operator. They connect on first use. */
export interface OperatorDeps {
  readonly cuentas: Pick<Cuentas, 'findByEmail'>;
  readonly contribuyentes: Pick<ReturnType<typeof createContribuyentes>, 'find'>;
  readonly database: Database;
  readonly databaseUrl: string;
  /** Address of the queue: the database, unless a setting names another. */
  readonly queueUrl: string;
  /** Opens the object store to delete from it. Rejects without its settings. */
  openEraser(): Promise<Eraser>;
  /** Waits `ms` milliseconds. */
  pause(ms: number): Promise<void>;
  /** Runs work whose statements may each take `timeoutMs` milliseconds. */
  slow<T>(timeoutMs: number, run: (database: Database) => Promise<T>): Promise<T>;
  /** Throws without the peppers, which only commands about keys need. */
  hasher(): ApiKeyHasher;
  /** Of the keys that this installation issues. */
  readonly modoLlave: Modo;
  /** Whether test keys have a simulator beside the SAT. */
  readonly hayPruebas: boolean;
  /** Throws without the settings that sealing for the workers needs. */
  sealer(): Sealer;
  /** Origin of the API for its callers; undefined where no setting tells it. */
  readonly apiUrl: string | undefined;
  /** Whether the installation sends mails. */
  readonly hayCorreo: boolean;
  /** Where progress is shown. */
  readonly progreso: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
  /** Prints a result as a line of JSON. */
  show(result: unknown): void;
  /** Sets the exit code. */
  exitWith(code: number): void;
}

/** Adds commands of a feature below `acuse operador`. */
export type AddCommands = (program: Command, deps: () => OperatorDeps) => void;

/** Step of a feature in `recuperar`, the preparation of a restored database; runs where its option is given. */
export interface RecoveryStep {
  readonly option: Option;
  run(deps: OperatorDeps, value: string): Promise<void>;
}

/** Author of changes in the audit log. Commands arrive over no network: they have no address. */
export const AUTOR: Autor = { actor: 'operador:cli', ip: null };

export { rfcArgument };

/** The options that name an account and a taxpayer of it. */
export const CUENTA = ['--cuenta <email>', 'correo de la cuenta'] as const;
export const RFC = ['--rfc <rfc>', 'RFC de la cuenta', rfcArgument] as const;

export const PRUEBAS = [
  '--pruebas',
  'para el simulador de SAT_PRUEBAS_URL: no cuesta nada y nada llega al SAT',
] as const;

const SIN_PRUEBAS =
  '--pruebas: una llave acuse_test_ no tendría quien le conteste, porque falta SAT_PRUEBAS_URL. Póngala aquí y en la API, los workers y el panel, o quite --pruebas';

/** Mode of the keys that a command makes, by its option {@link PRUEBAS}. Throws where test keys have no simulator. */
export function modoPedido(
  { modoLlave, hayPruebas }: Pick<OperatorDeps, 'modoLlave' | 'hayPruebas'>,
  pruebas: boolean,
): Modo {
  if (pruebas && modoLlave === 'live' && !hayPruebas) throw new Error(SIN_PRUEBAS);
  return pruebas ? 'test' : modoLlave;
}

export function integerArgument(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number))
    throw new InvalidArgumentError('debe ser un número entero');
  return number;
}

/** Reads an id, or says `que` it has to be. */
export const idArgument = (que: string) => (value: string) => {
  if (!isUuid(value)) throw new InvalidArgumentError(`debe ser ${que}`);
  return value.toLowerCase();
};

/** Reads a text that others are shown. */
export function textArgument(value: string): string {
  const text = value.trim();
  if (text.length < 1 || text.length > 200) throw new InvalidArgumentError('debe tener de 1 a 200 caracteres');
  return text;
}

/** The account of an e-mail, or `CUENTA_DESCONOCIDA`. */
export async function requireCuenta({ cuentas }: Pick<OperatorDeps, 'cuentas'>, email: string): Promise<CuentaVista> {
  const cuenta = await cuentas.findByEmail(email);
  if (!cuenta) throw new Rechazo('CUENTA_DESCONOCIDA');
  return cuenta;
}

/** The taxpayer of an account, or `RFC_DESCONOCIDO`. */
export async function requireRfc(
  deps: Pick<OperatorDeps, 'cuentas' | 'contribuyentes'>,
  email: string,
  rfc: string,
): Promise<RfcVista> {
  const cuenta = await requireCuenta(deps, email);
  const contribuyente = await deps.contribuyentes.find(cuenta.id, rfc);
  if (!contribuyente) throw new Rechazo('RFC_DESCONOCIDO');
  return contribuyente;
}

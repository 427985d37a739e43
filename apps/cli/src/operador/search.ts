import { parseRfc } from '@acuse/contract';
import { type Autor, type CuentaVista, isUuid, Rechazo, type RfcVista } from '@acuse/db';
import { InvalidArgumentError } from 'commander';
import type { CliDeps } from './deps.ts';

/** Who the audit log names for changes made here. Orders reach us by no network: they have no address. */
export const AUTOR: Autor = { actor: 'operador:cli', ip: null };

/** Reads an RFC given as an argument. */
export function rfcArgument(value: string): string {
  const rfc = parseRfc(value);
  if (rfc === null) throw new InvalidArgumentError('debe tener 12 o 13 caracteres con el formato de un RFC');
  return rfc;
}

/** The options that name an account and a taxpayer of it. */
export const CUENTA = ['--cuenta <email>', 'correo de la cuenta'] as const;
export const RFC = ['--rfc <rfc>', 'RFC de la cuenta', rfcArgument] as const;

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
export async function requireCuenta({ cuentas }: CliDeps, email: string): Promise<CuentaVista> {
  const cuenta = await cuentas.findByEmail(email);
  if (!cuenta) throw new Rechazo('CUENTA_DESCONOCIDA');
  return cuenta;
}

/** The taxpayer of an account, or `RFC_DESCONOCIDO`. */
export async function requireRfc(deps: CliDeps, email: string, rfc: string): Promise<RfcVista> {
  const cuenta = await requireCuenta(deps, email);
  const contribuyente = await deps.contribuyentes.find(cuenta.id, rfc);
  if (!contribuyente) throw new Rechazo('RFC_DESCONOCIDO');
  return contribuyente;
}

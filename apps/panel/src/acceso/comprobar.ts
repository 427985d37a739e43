import type { UsuarioAcceso } from '@acuse/db';
import type { PanelDeps } from '../panel-deps.ts';
import { limiteCuenta, limiteIp } from './limites.ts';
import { MAX_PASSWORD } from './reglas.ts';

/** What came of a password that somebody typed. */
export type Comprobacion =
  | { readonly resultado: 'coincide'; readonly usuario: UsuarioAcceso }
  | { readonly resultado: 'no-coincide' }
  /** Not looked at: too many tries. Seconds to wait. */
  | { readonly resultado: 'esperar'; readonly segundos: number };

type Deps = Pick<PanelDeps, 'usuarios' | 'passwords' | 'intentos' | 'settings'>;

/**
 * Checks an e-mail with its password. The try is counted before it is made, for the account and for the address, in the
 * database. An unknown e-mail costs the same work as a wrong password, and gives the same answer.
 */
export async function checkAcceso(
  deps: Deps,
  input: { readonly email: string; readonly password: string; readonly ip: string },
): Promise<Comprobacion> {
  const { usuarios, passwords, intentos, settings } = deps;
  const limites = [limiteIp(input.ip, settings), limiteCuenta(input.email, settings)];
  const permiso = await intentos.take(limites);
  if (!permiso.permitido) return { resultado: 'esperar', segundos: permiso.esperar };

  const usuario = await usuarios.findByEmail(input.email);
  const password = input.password.slice(0, MAX_PASSWORD + 1);
  const { coincide, debeRenovarse } = await passwords.check(password, usuario?.password ?? null);
  if (usuario === null || !coincide) return { resultado: 'no-coincide' };

  await intentos.giveBack(limites);
  if (debeRenovarse && usuario.password)
    await usuarios.rehash(usuario.id, usuario.password, await passwords.hash(password));
  return { resultado: 'coincide', usuario };
}

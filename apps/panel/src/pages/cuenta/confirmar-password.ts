import { checkAcceso } from '../../acceso/comprobar.ts';
import { waitText } from '../../acceso/limites.ts';
import type { ContextoCliente } from '../../http/ruta.ts';

/** Why the own password was not taken. */
export interface FaltaPassword {
  readonly status: 422 | 429;
  readonly texto: string;
  readonly esperar: number;
}

/** Asks somebody who is logged in for the password again, before something that could lock the owner out. Null when it is right. */
export async function confirmPassword(
  { deps, ip, usuario }: ContextoCliente,
  password: string,
): Promise<FaltaPassword | null> {
  const found = await checkAcceso(deps, { email: usuario.email, password, ip });
  if (found.resultado === 'coincide') return null;
  if (found.resultado === 'no-coincide')
    return { status: 422, texto: 'Esa no es su contraseña actual. Escríbala de nuevo.', esperar: 0 };
  const texto = `Hubo varios intentos seguidos. Espere ${waitText(found.segundos)} y vuelva a intentarlo.`;
  return { status: 429, texto, esperar: found.segundos };
}

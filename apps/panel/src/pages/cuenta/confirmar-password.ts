import { checkAcceso } from '../../acceso/comprobar.ts';
import type { ContextoCliente } from '../../http/ruta.ts';
import { demasiados, type Falta } from './falta.ts';

/**
 * Asks somebody who is logged in for the password again, before something that could lock the owner out. Null when it
 * is right.
 */
export async function confirmPassword({ deps, ip, usuario }: ContextoCliente, password: string): Promise<Falta | null> {
  const found = await checkAcceso(deps, { email: usuario.email, password, ip });
  if (found.resultado === 'coincide') return null;
  if (found.resultado === 'esperar') return demasiados(found.segundos);
  return { status: 422, texto: 'Esa no es su contraseña actual. Escríbala de nuevo.' };
}

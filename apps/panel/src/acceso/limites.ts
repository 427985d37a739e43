import { createHash } from 'node:crypto';
import { type Limite, normalizeEmail } from '@acuse/db';
import { networkOf } from '@acuse/runtime';
import type { PanelSettings } from '../panel-settings.ts';

/** Passwords of one account, known or not: the e-mail is hashed, so that the table of tries is no list of customers. */
export function limiteCuenta(email: string, { entradasPorCuenta }: PanelSettings): Limite {
  const hash = createHash('sha256').update(normalizeEmail(email)).digest('base64url');
  return { clave: `cuenta:${hash}`, ...entradasPorCuenta };
}

/** Codes of the second step of one user. */
export function limiteCodigos(usuarioId: string, { entradasPorCuenta }: PanelSettings): Limite {
  return { clave: `codigo:${usuarioId}`, ...entradasPorCuenta };
}

/** Passwords and codes from one address, or one IPv6 network. */
export function limiteIp(ip: string, { entradasPorIp }: PanelSettings): Limite {
  return { clave: `entrar-ip:${networkOf(ip)}`, ...entradasPorIp };
}

/** Sign-ups from one address, which is also how often somebody can ask whether an e-mail has an account. */
export function limiteRegistro(ip: string, { registrosPorIp }: PanelSettings): Limite {
  return { clave: `registro-ip:${networkOf(ip)}`, ...registrosPorIp };
}

/** `1 segundo`, `45 segundos`, `3 minutos`: a wait as text, rounded up. */
export function waitText(segundos: number): string {
  if (segundos < 90) return segundos === 1 ? '1 segundo' : `${segundos} segundos`;
  return `${Math.ceil(segundos / 60)} minutos`;
}

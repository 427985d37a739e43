import { createHash } from 'node:crypto';
import { type Limite, normalizeEmail } from '@acuse/db';
import { networkOf } from '@acuse/runtime';
import type { PageSettings } from '../deps.ts';

/** An e-mail in the table of tries, which is no list of customers. */
export const hashOf = (email: string) => createHash('sha256').update(normalizeEmail(email)).digest('base64url');

/** Passwords and codes from one address, or one IPv6 network. */
export function limiteIp(ip: string, { entradasPorIp }: PageSettings): Limite {
  return { clave: `entrar-ip:${networkOf(ip)}`, ...entradasPorIp };
}

/** Links that are mailed to one e-mail, registered or not. */
export function limiteEnlaces(email: string, { enlacesPorCorreo }: PageSettings): Limite {
  return { clave: `olvido:${hashOf(email)}`, ...enlacesPorCorreo };
}

/** `1 segundo`, `45 segundos`, `3 minutos`: a wait as text, rounded up. */
export function waitText(segundos: number): string {
  if (segundos < 90) return segundos === 1 ? '1 segundo' : `${segundos} segundos`;
  return `${Math.ceil(segundos / 60)} minutos`;
}

/** Why something was not done, as the page says it. */
export interface Falta {
  readonly status: 422 | 429;
  readonly texto: string;
  /** Seconds to wait before it may be tried again. */
  readonly esperar?: number;
}

/** Fields are wrong, each with its fault beside it. */
export const REVISE: Falta = { status: 422, texto: 'Revise lo que se señala abajo.' };

/** It was tried too often. */
export function demasiados(esperar: number): Falta {
  const texto = `Hubo varios intentos seguidos. Espere ${waitText(esperar)} y vuelva a intentarlo.`;
  return { status: 429, texto, esperar };
}

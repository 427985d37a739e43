import type { SatHttpRequest } from '../../http/sat-http.ts';
import { ilegible } from '../../texto.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
import { isPaginaAcceso } from '../paginas/pagina-acceso.ts';
import { isSesionCerrada } from '../paginas/pagina-portal.ts';
import { HOSTS_ACCESO } from '../settings.ts';

/**
 * The portal does not know the session any more. Stays inside this folder: one new log-in follows, or
 * RESPUESTA_ILEGIBLE.
 */
export class SesionVencida extends Error {
  constructor() {
    super('The portal session has expired');
    this.name = 'SesionVencida';
  }
}

/**
 * Throws SesionVencida for a page that asks to log in, says good-bye, or is still an identity provider's, and
 * RESPUESTA_ILEGIBLE for one of another host than `host`.
 */
export function assertSesionViva({ direccion, texto, etiquetas }: Pagina, host = direccion.host): void {
  const isFuera = HOSTS_ACCESO.includes(direccion.host) || isSesionCerrada(texto) || isPaginaAcceso(etiquetas);
  if (isFuera) throw new SesionVencida();
  if (direccion.host !== host) throw ilegible(`el portal ${host} lleva a otro servidor`);
}

/** Whether a text that should have been data is the log-in page or the portal's good-bye instead. */
export function isDespedida(texto: string): boolean {
  return isSesionCerrada(texto) || isPaginaAcceso(readEtiquetas(texto));
}

/** Statuses by which a portal says that a log-in is due; a redirect says the same. */
export const SIN_SESION: readonly number[] = [401, 403];

/**
 * One request within a session, for data and no page: gives the text of the answer. Throws SesionVencida when a
 * redirect, one of {@link SIN_SESION}, the log-in page or the portal's good-bye comes in its place.
 */
export async function askFor(
  pageClient: PageClient,
  peticion: Omit<SatHttpRequest<'text'>, 'signal' | 'expect' | 'acceptStatus'>,
): Promise<string> {
  const { status, body } = await pageClient.request({ ...peticion, expect: 'text', acceptStatus: SIN_SESION });
  if (status >= 300 || (body.trimStart().startsWith('<') && isDespedida(body))) throw new SesionVencida();
  return body;
}

import type { SatHttpRequest } from '../../http/sat-http.ts';
import { ilegible } from '../../texto.ts';
import { type PageClient, type Pagina, submitForm } from '../page-client.ts';
import { readTags } from '../paginas/etiquetas.ts';
import { type Formulario, readCampos } from '../paginas/formulario.ts';
import { isPaginaAcceso } from '../paginas/pagina-acceso.ts';
import { isSesionCerrada } from '../paginas/pagina-portal.ts';
import { HOSTS_ACCESO } from '../settings.ts';

/**
 * The portal does not know the session any more. Never leaves this package: the consulta is asked again, after a new
 * log-in unless `isRenewed`, or is RESPUESTA_ILEGIBLE.
 */
export class SesionVencida extends Error {
  /** An identity provider let the same browser in again, but what it had sent is lost. */
  readonly isRenewed: boolean;

  constructor(isRenewed = false) {
    super('The portal session has expired');
    this.isRenewed = isRenewed;
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

/** Sends a form of a page within a session; throws like {@link assertSesionViva} for the host of the page. */
export async function submitEnSesion(
  pageClient: PageClient,
  pagina: Pagina,
  formulario: Formulario,
  campos: ReadonlyMap<string, string>,
): Promise<Pagina> {
  const after = await submitForm(pageClient, pagina, formulario, campos);
  assertSesionViva(after, pagina.direccion.host);
  if (after.porAcceso) throw new SesionVencida(true);
  return after;
}

/**
 * Whether a text that should have been data is the log-in page, the portal's good-bye, or the form that sends a browser
 * to an identity provider (SAML 2.0 bindings, 3.5).
 */
export function isFarewell(texto: string): boolean {
  if (isSesionCerrada(texto)) return true;
  const etiquetas = readTags(texto);
  return isPaginaAcceso(etiquetas) || readCampos(etiquetas).has('SAMLRequest');
}

/** Statuses by which a portal says that a log-in is due; a redirect says the same. */
export const SIN_SESION: readonly number[] = [401, 403];

/**
 * One request within a session, for data and no page: gives the text of the answer. Throws SesionVencida when a
 * redirect, one of {@link SIN_SESION}, or what {@link isDespedida} tells comes in its place.
 */
export async function askFor(
  pageClient: PageClient,
  peticion: Omit<SatHttpRequest<'text'>, 'signal' | 'expect' | 'acceptStatus'>,
): Promise<string> {
  const { status, body } = await pageClient.request({ ...peticion, expect: 'text', acceptStatus: SIN_SESION });
  if (status >= 300 || (body.trimStart().startsWith('<') && isFarewell(body))) throw new SesionVencida();
  return body;
}

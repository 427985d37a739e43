import { type Credencial, SatError } from '@acuse/core';
import type { PageClient, Pagina } from '../page-client.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { accederConCiec } from './acceder-ciec.ts';
import { accederConEfirma } from './acceder-efirma.ts';
import type { AccesoDeps } from './portal.ts';

/**
 * Completes the log-in page of one of the SAT's identity providers (NetIQ Access Manager) and gives the page after it.
 * Takes the page of the CIEC with its captcha and the one of the e.firma; with an e.firma on the page of the CIEC it
 * goes over by the page's own button.
 *
 * What follows by itself is followed: redirects, auto-submitted forms, and a page of the provider that only a script
 * leaves, unless that leads to the provider's own lobby (`/nidp/app`). Whether the page after it names the RFC is for
 * the caller to check.
 *
 * Rejects with CIEC_RECHAZADA or EFIRMA_RECHAZADA (the credential was sent once and is not to be sent again),
 * CAPTCHA_RECHAZADO, SIN_RESOLVEDOR_DE_CAPTCHA, SERVICIO_CON_ERROR, HOST_NO_PERMITIDO (a form that leaves
 * `hostAcceso`), and RESPUESTA_ILEGIBLE for anything that is not such a page. No error carries the credential, the
 * captcha or a cookie.
 */
export async function acceder(
  deps: AccesoDeps,
  pageClient: PageClient,
  pagina: Pagina,
  credencial: Credencial,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  assertPuedeAcceder(deps, credencial);
  if (pagina.direccion.host !== hostAcceso) throw ilegible('la página de acceso es de otro servidor');
  const after =
    credencial.tipo === 'ciec'
      ? await accederConCiec(deps, pageClient, pagina, credencial, hostAcceso, signal)
      : await accederConEfirma(deps, pageClient, pagina, credencial, hostAcceso, signal);
  deps.onAceptada?.();
  return after;
}

/**
 * Throws SIN_RESOLVEDOR_DE_CAPTCHA before the SAT is asked anything, when a CIEC has nobody who could read its captcha.
 */
export function assertPuedeAcceder({ captcha }: AccesoDeps, { tipo }: Credencial): void {
  if (tipo === 'ciec' && captcha === null) throw new SatError('SIN_RESOLVEDOR_DE_CAPTCHA');
}

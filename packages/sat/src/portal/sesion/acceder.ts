import { type Credencial, SatError } from '@acuse/core';
import type { Navegador, Pagina } from '../navegador.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { readSaltoScript } from '../paginas/salto-script.ts';
import { accederConCiec } from './acceder-ciec.ts';
import { accederConEfirma } from './acceder-efirma.ts';
import type { AccesoDeps } from './portal.ts';

/**
 * Completes the log-in page of one of the SAT's identity providers (NetIQ Access Manager) and gives the page after it. Takes the page
 * of the CIEC with its captcha and the one of the e.firma; with an e.firma on the page of the CIEC it goes over by the page's own button.
 *
 * What follows by itself is followed: redirects, auto-submitted forms, and a page of the provider that only a script leaves, unless that
 * leads to the provider's own lobby (`/nidp/app`). Whether the page after it names the RFC is for the caller to check.
 *
 * Rejects with CIEC_RECHAZADA or EFIRMA_RECHAZADA (the credential was sent once and is not to be sent again), CAPTCHA_RECHAZADO,
 * SIN_RESOLVEDOR_DE_CAPTCHA, SERVICIO_CON_ERROR, HOST_NO_PERMITIDO (a form that leaves `hostAcceso`), and RESPUESTA_ILEGIBLE for anything
 * that is not such a page. No error carries the credential, the captcha or a cookie.
 */
export async function acceder(
  deps: AccesoDeps,
  navegador: Navegador,
  pagina: Pagina,
  credencial: Credencial,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  assertPuedeAcceder(deps, credencial);
  if (pagina.direccion.host !== hostAcceso) throw ilegible('la página de acceso es de otro servidor');
  const after =
    credencial.tipo === 'ciec'
      ? await accederConCiec(deps, navegador, pagina, credencial, hostAcceso, signal)
      : await accederConEfirma(navegador, pagina, credencial, hostAcceso, signal);
  return follow(deps, navegador, after, hostAcceso, signal);
}

/** Throws SIN_RESOLVEDOR_DE_CAPTCHA before the SAT is asked anything, when a CIEC has nobody who could read its captcha. */
export function assertPuedeAcceder({ captcha }: AccesoDeps, { tipo }: Credencial): void {
  if (tipo === 'ciec' && captcha === null) throw new SatError('SIN_RESOLVEDOR_DE_CAPTCHA');
}

const VESTIBULO = /^\/nidp\/app\/?(?:\?|$)/;

async function follow(
  { settings }: AccesoDeps,
  navegador: Navegador,
  first: Pagina,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  let pagina = first;
  for (let saltos = 0; saltos <= settings.maxSaltos; saltos += 1) {
    if (pagina.direccion.host !== hostAcceso) return pagina;
    const url = readSaltoScript(pagina.etiquetas);
    if (url === null) return pagina;
    const destino = navegador.resolve(url, pagina.direccion);
    if (destino.host === hostAcceso && VESTIBULO.test(destino.path)) return pagina;
    pagina = await navegador.open(destino, signal);
  }
  throw ilegible('demasiadas redirecciones');
}

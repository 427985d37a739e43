import { SatError } from '@acuse/core';
import type { DireccionSat } from '../../http/direcciones.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { readSaltoScript } from '../paginas/acceso/salto-script.ts';
import { ilegible } from '../paginas/ilegible.ts';
import type { PortalSettings } from '../settings.ts';

/** The lobby of an identity provider, where a log-in that no service asked for ends. */
const VESTIBULO = /^\/nidp\/app\/?(?:\?|$)/;

/**
 * Sends a filled-in log-in form and gives the page that it leads to: redirects, auto-submitted forms, and pages of the
 * provider that only a script leaves, except to its lobby. The body is zeroed.
 *
 * Rejects with CANCELADA when the caller has left before it is sent. Afterwards the answer is read whoever has left:
 * one that is lost would let the next log-in send a refused credential again.
 */
export async function enviarAcceso(
  pageClient: PageClient,
  destino: DireccionSat,
  body: Buffer,
  { maxSaltos }: Required<PortalSettings>,
  signal: AbortSignal,
): Promise<Pagina> {
  try {
    if (signal.aborted) throw new SatError('CANCELADA');
    const always = new AbortController().signal;
    let pagina = await pageClient.submit(destino, body, always);
    for (let saltos = 0; saltos <= maxSaltos; saltos += 1) {
      if (pagina.direccion.host !== destino.host) return pagina;
      const url = readSaltoScript(pagina.etiquetas);
      if (url === null) return pagina;
      const next = pageClient.resolve(url, pagina.direccion);
      if (next.host === destino.host && VESTIBULO.test(next.path)) return pagina;
      pagina = await pageClient.open(next, always);
    }
    throw ilegible('demasiadas redirecciones');
  } finally {
    body.fill(0);
  }
}

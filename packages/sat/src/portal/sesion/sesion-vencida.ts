import type { Pagina } from '../navegador.ts';
import { readPaginaAcceso } from '../paginas/pagina-acceso.ts';
import { isSesionCerrada } from '../paginas/pagina-portal.ts';
import { HOST_ACCESO } from '../settings.ts';

/** The portal does not know the session any more. Stays inside this folder: one new log-in follows, or RESPUESTA_ILEGIBLE. */
export class SesionVencida extends Error {
  constructor() {
    super('The portal session has expired');
    this.name = 'SesionVencida';
  }
}

/** Throws SesionVencida for a page that asks to log in, says good-bye, or is still the identity provider's. */
export function assertSesionViva(pagina: Pagina): void {
  if (pagina.direccion.host === HOST_ACCESO || isDespedida(pagina.texto)) throw new SesionVencida();
}

/** Whether a text that should have been data is the log-in page or the portal's good-bye instead. */
export function isDespedida(texto: string): boolean {
  return isSesionCerrada(texto) || readPaginaAcceso(texto) !== null;
}

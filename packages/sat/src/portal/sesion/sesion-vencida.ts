import type { Pagina } from '../page-client.ts';
import { isPaginaAcceso } from '../paginas/acceso/pagina-acceso.ts';
import { readEtiquetas } from '../paginas/etiquetas.ts';
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

/** Throws SesionVencida for a page that asks to log in, says good-bye, or is still an identity provider's. */
export function assertSesionViva({ direccion, texto, etiquetas }: Pagina): void {
  const isFuera = HOSTS_ACCESO.includes(direccion.host) || isSesionCerrada(texto) || isPaginaAcceso(etiquetas);
  if (isFuera) throw new SesionVencida();
}

/** Whether a text that should have been data is the log-in page or the portal's good-bye instead. */
export function isDespedida(texto: string): boolean {
  return isSesionCerrada(texto) || isPaginaAcceso(readEtiquetas(texto));
}

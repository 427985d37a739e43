import type { Credencial } from '@acuse/core';
import type { DireccionSat } from '../http/direcciones.ts';
import type { PageClient, Pagina } from './page-client.ts';
import { isPaginaAcceso } from './paginas/acceso/pagina-acceso.ts';
import { encodeFormulario } from './paginas/cuerpo-formulario.ts';
import { hasCamposVisibles, readCampos, readFormularios } from './paginas/formulario.ts';
import { ilegible } from './paginas/ilegible.ts';
import { acceder, assertPuedeAcceder } from './sesion/acceder.ts';
import type { AccesoDeps } from './sesion/portal.ts';

export interface Entrada {
  /** The page of the portal that sends a browser without session to log in. */
  readonly puerta: DireccionSat;
  /** The identity provider it sends to. */
  readonly hostAcceso: string;
}

/**
 * Opens the door of a portal and logs in where it leads. Gives the page of the portal that follows; rejects like
 * `acceder`, and with RESPUESTA_ILEGIBLE when the browser does not end on the portal's host.
 */
export async function entrar(
  deps: AccesoDeps,
  pageClient: PageClient,
  credencial: Credencial,
  { puerta, hostAcceso }: Entrada,
  signal: AbortSignal,
): Promise<Pagina> {
  assertPuedeAcceder(deps, credencial);
  const first = await pageClient.open(puerta, signal);
  const after = await pasarAcceso(deps, pageClient, first, credencial, hostAcceso, signal);
  const pagina = after.direccion.host === puerta.host ? after : await pageClient.open(puerta, signal);
  if (pagina.direccion.host !== puerta.host) throw ilegible('el acceso no llegó al portal');
  return pagina;
}

/** Logs in when a page asks for it, and gives the page after it; any other page is given back as it is. */
export async function pasarAcceso(
  deps: AccesoDeps,
  pageClient: PageClient,
  pagina: Pagina,
  credencial: Credencial,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const acceso = await toPaginaAcceso(pageClient, pagina, credencial, hostAcceso, signal);
  if (acceso.direccion.host !== hostAcceso || !isPaginaAcceso(acceso.etiquetas)) return acceso;
  return acceder(deps, pageClient, acceso, credencial, hostAcceso, signal);
}

/**
 * The provider's first answer is an empty form that a script sends on; its address says by `id=` which log-in comes,
 * the CIEC's unless it is changed (SAT-CFDI/python-satcfdi, satcfdi/portal: `id=ciec` becomes `id=fiel`).
 */
async function toPaginaAcceso(
  pageClient: PageClient,
  pagina: Pagina,
  credencial: Credencial,
  hostAcceso: string,
  signal: AbortSignal,
): Promise<Pagina> {
  const { direccion, etiquetas } = pagina;
  if (direccion.host !== hostAcceso || isPaginaAcceso(etiquetas)) return pagina;
  const formulario = readFormularios(etiquetas)[0];
  if (formulario?.metodo !== 'POST' || hasCamposVisibles(formulario.etiquetas)) return pagina;
  const destino = pageClient.resolve(formulario.accion, direccion);
  if (destino.host !== hostAcceso) return pagina;
  const path = credencial.tipo === 'efirma' ? toEfirma(destino.path) : destino.path;
  const body = encodeFormulario(readCampos(formulario.etiquetas));
  return pageClient.submit({ host: destino.host, path }, body, signal);
}

function toEfirma(path: string): string {
  return path.replace(/([?&]id=)(?:ptsc-)?ciec(?=&|$)/i, '$1fiel');
}

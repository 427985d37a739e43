import type { PageClient, Pagina } from './page-client.ts';
import { encodeFormulario } from './paginas/cuerpo-formulario.ts';
import { type Formulario, readCampos } from './paginas/formulario.ts';
import { ilegible } from './paginas/ilegible.ts';

/**
 * Sends a form of a page as a browser would, with these fields or as the page filled it in. Throws RESPUESTA_ILEGIBLE
 * for one that is not sent by POST.
 */
export async function enviarFormulario(
  pageClient: PageClient,
  { direccion }: Pagina,
  { accion, metodo, etiquetas }: Formulario,
  signal: AbortSignal,
  campos: ReadonlyMap<string, string> = readCampos(etiquetas),
): Promise<Pagina> {
  if (metodo !== 'POST') throw ilegible('formulario sin POST');
  return pageClient.submit(pageClient.resolve(accion, direccion), encodeFormulario(campos), signal);
}

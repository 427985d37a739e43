import { enviarFormulario } from '../enviar-formulario.ts';
import type { PageClient, Pagina } from '../page-client.ts';
import { type Formulario, hasCamposVisibles, readCampos, readFormularios } from '../paginas/formulario.ts';
import { ilegible } from '../paginas/ilegible.ts';

/**
 * The form that carries a message between the provider and a service (SAML 2.0 bindings, 3.5: HTTP POST), whatever
 * sends it in a browser.
 */
export function findFormularioSaml(pagina: Pagina): Formulario | undefined {
  return readFormularios(pagina.etiquetas).find((formulario) => {
    const campos = readCampos(formulario.etiquetas);
    const lleva = campos.has('SAMLRequest') || campos.has('SAMLResponse');
    return lleva && !hasCamposVisibles(formulario.etiquetas);
  });
}

/** Sends a form that has nothing to fill in, as its script would. Throws RESPUESTA_ILEGIBLE for a form that has. */
export async function sendFormulario(
  pageClient: PageClient,
  pagina: Pagina,
  formulario: Formulario,
  signal: AbortSignal,
): Promise<Pagina> {
  if (hasCamposVisibles(formulario.etiquetas)) throw ilegible('otro formulario');
  return enviarFormulario(pageClient, pagina, formulario, signal);
}

import { ilegible } from '../../texto.ts';
import { type Etiqueta, findElement, readTexto } from './etiquetas.ts';
import { hasVisibleFields, readCampos, readForms } from './formulario.ts';
import { isFormularioEfirma } from './pagina-acceso.ts';

/** What a browser would do with a page by itself: send a form, or open another address. */
type Salto =
  | { readonly metodo: 'POST'; readonly destino: string; readonly campos: ReadonlyMap<string, string> }
  | { readonly metodo: 'GET'; readonly destino: string };

const RFC = /RFC\s+Autenticado:?\s*([A-Z&Ñ]{3,4}\d{6}[A-Z0-9]{3})(?![A-Z0-9])/i;

/** The RFC that a page of the portal names as logged in (`#ctl00_LblRfcAutenticado`); null when it names none. */
export function readLoggedInRfc(etiquetas: readonly Etiqueta[]): string | null {
  const elemento = findElement(etiquetas, /LblRfcAutenticado$/);
  if (elemento === null) return null;
  return RFC.exec(readTexto(elemento))?.[1]?.toUpperCase() ?? null;
}

/**
 * Checks whose page it is: throws RESPUESTA_ILEGIBLE when it names another RFC as logged in, and when it names none
 * although `debe`.
 */
export function assertLoggedInRfc(etiquetas: readonly Etiqueta[], rfc: string, debe: boolean): void {
  const autenticado = readLoggedInRfc(etiquetas);
  if (autenticado === null ? debe : autenticado !== rfc.toUpperCase()) {
    throw ilegible(`el portal ${autenticado === null ? 'no nombra al RFC autenticado' : 'nombra a otro RFC'}`);
  }
}

/**
 * The portal sends a browser whose session is gone to its own log-out (phpcfdi/cfdi-sat-scraper,
 * CiecSessionManager::hasLogin).
 */
export function isSesionCerrada(html: string): boolean {
  return /%2flogout\.aspx%3fsalir%3dy/i.test(html) || /Su sesi(?:ó|&oacute;|&#243;)n se est[aá] cerrando/i.test(html);
}

/**
 * The step that a page takes by itself: the auto-submitted form of WS-Federation (`wa`, `wresult`, `wctx`) or a
 * refresh. A form counts only when it has nothing to fill in and a script submits it; an ASP.NET page (`__VIEWSTATE`),
 * whose own script also speaks of submitting, does not, nor does a JSF page (`javax.faces.ViewState`), nor the log-in
 * form of the e.firma, whose fields a script fills in first.
 */
export function readJump(etiquetas: readonly Etiqueta[]): Salto | null {
  const refresh = etiquetas.find((e) => e.nombre === 'meta' && e.attrs.get('http-equiv')?.toLowerCase() === 'refresh');
  const destino = refresh && /^\s*(?:\d+\s*)?;\s*url\s*=\s*["']?([^"']+)/i.exec(refresh.attrs.get('content') ?? '');
  if (destino?.[1] !== undefined) return { metodo: 'GET', destino: destino[1].trim() };

  const formulario = readForms(etiquetas)[0];
  if (formulario === undefined || formulario.metodo !== 'POST' || !isAutoEnvio(etiquetas)) return null;
  const campos = readCampos(formulario.etiquetas);
  if (isFormularioEfirma(formulario)) return null;
  if (campos.has('__VIEWSTATE') || campos.has('javax.faces.ViewState')) return null;
  if (campos.size === 0 || hasVisibleFields(formulario.etiquetas)) return null;
  return { metodo: 'POST', destino: formulario.accion, campos };
}

function isAutoEnvio(etiquetas: readonly Etiqueta[]): boolean {
  return etiquetas.some((e) =>
    e.nombre === 'script' ? /\.submit\s*\(/.test(e.texto) : /\.submit\s*\(/.test(e.attrs.get('onload') ?? ''),
  );
}

const NOMBRADO =
  /(?:R\.?\s?F\.?\s?C\.?(?:\s+Autenticado)?|Destinatario|Contribuyente|Usuario)\s{0,3}:?\s{0,3}([A-Z&Ñ]{3,4}\d{6}[A-Z0-9]{3})(?![A-Z0-9&Ñ])/giu;

/**
 * Checks whose page it is: throws RESPUESTA_ILEGIBLE when the page names another RFC as its reader (`RFC: …`, `RFC
 * Autenticado: …`, `Destinatario: …`), and when it names none although `debe`.
 */
export function assertRfcNombrado(etiquetas: readonly Etiqueta[], rfc: string, debe: boolean): void {
  const nombrados = [...readTexto(etiquetas).matchAll(NOMBRADO)].map((found) => found[1]?.toUpperCase());
  if (nombrados.some((nombrado) => nombrado !== rfc.toUpperCase())) throw ilegible('el portal nombra a otro RFC');
  if (debe && nombrados.length === 0) throw ilegible('el portal no nombra al RFC autenticado');
}

import { decodeHTML } from 'entities';
import { type Etiqueta, readTexto } from '../etiquetas.ts';
import { readFormularios } from '../formulario.ts';

const ASIGNACION =
  /\b(?:(?:window|top|self|parent|document)\.location(?:\.href)?\s*=|location\.(?:replace|assign)\()\s*(?:"([^"\s]{1,8000})"|'([^'\s]{1,8000})')/;
/** A page with more to read than this is one for people, whatever its scripts do. */
const MAX_TEXTO = 400;

/**
 * Where a page that is nothing but a script sends the browser: how the identity providers go on after a log-in
 * (phpcfdi/opinion-cumplimiento-sat-scraper, src/HtmlParser.php). Null for a page with a form or with something to
 * read.
 */
export function readSaltoScript(etiquetas: readonly Etiqueta[]): string | null {
  if (readFormularios(etiquetas).length > 0 || readTexto(etiquetas).length > MAX_TEXTO) return null;
  for (const { nombre, cierra, texto } of etiquetas) {
    if (nombre !== 'script' || cierra) continue;
    const found = ASIGNACION.exec(texto);
    if (found !== null) return decodeHTML(found[1] ?? found[2] ?? '');
  }
  return null;
}

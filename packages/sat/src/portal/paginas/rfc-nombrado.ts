import { type Etiqueta, readTexto } from './etiquetas.ts';
import { ilegible } from './ilegible.ts';

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

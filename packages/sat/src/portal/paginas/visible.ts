import { type Etiqueta, findElemento, readTexto } from './etiquetas.ts';

/**
 * Whether the page has an element with this id that is not hidden by its own style, attribute or class (Bootstrap's).
 */
export function isVisible(etiquetas: readonly Etiqueta[], id: RegExp): boolean {
  const elemento = etiquetas.find((e) => !e.cierra && id.test(e.atributos.get('id') ?? ''));
  if (elemento === undefined) return false;
  const hidden =
    /display\s*:\s*none/i.test(elemento.atributos.get('style') ?? '') ||
    elemento.atributos.get('hidden') !== undefined ||
    /(?:^|\s)(?:hidden|hide|d-none)(?:\s|$)/i.test(elemento.atributos.get('class') ?? '');
  return !hidden;
}

/** The text of an element that is shown; '' when it is hidden or not there. */
export function readTextoVisible(etiquetas: readonly Etiqueta[], id: RegExp): string {
  return isVisible(etiquetas, id) ? readTexto(findElemento(etiquetas, id) ?? []) : '';
}

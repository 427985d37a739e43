import { type Etiqueta, findElemento, readAtributo, readTexto } from './etiquetas.ts';

/** Whether the page has an element with this id that is not hidden by its own style, attribute or class (Bootstrap's). */
export function isVisible(etiquetas: readonly Etiqueta[], id: RegExp): boolean {
  const elemento = etiquetas.find((e) => !e.cierra && id.test(readAtributo(e, 'id') ?? ''));
  if (elemento === undefined) return false;
  const hidden =
    /display\s*:\s*none/i.test(readAtributo(elemento, 'style') ?? '') ||
    readAtributo(elemento, 'hidden') !== undefined ||
    /(?:^|\s)(?:hidden|hide|d-none)(?:\s|$)/i.test(readAtributo(elemento, 'class') ?? '');
  return !hidden;
}

/** The text of an element that is shown; '' when it is hidden or not there. */
export function readTextoVisible(etiquetas: readonly Etiqueta[], id: RegExp): string {
  return isVisible(etiquetas, id) ? readTexto(findElemento(etiquetas, id) ?? []) : '';
}

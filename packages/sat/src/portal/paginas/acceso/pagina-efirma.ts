import type { Etiqueta } from '../etiquetas.ts';
import { type Formulario, readCampos, readFormularios } from '../formulario.ts';
import { ilegible } from '../ilegible.ts';

/**
 * The log-in page of the e.firma: `#certform` with the challenge in `guid` (phpcfdi/cfdi-sat-scraper,
 * src/Sessions/Fiel).
 */
export interface PaginaEfirma {
  /** Where the form goes; '' for the page's own address. */
  readonly accion: string;
  /** Fields of the form as the page filled them in, `guid` among them. */
  readonly campos: ReadonlyMap<string, string>;
  /** The challenge that the e.firma signs. */
  readonly guid: string;
}

/** No blanks and no `|`, which separates it from RFC and certificate number in the text that is signed. */
const GUID = /^[^|\s\p{Cc}]{1,512}$/u;

/** Whether a form is the one that a script of the e.firma's page signs and submits. */
export function isFormularioEfirma({ id, etiquetas }: Formulario): boolean {
  if (id.toLowerCase() === 'certform') return true;
  const campos = readCampos(etiquetas);
  return campos.has('guid') && campos.has('token');
}

export function isPaginaEfirma(etiquetas: readonly Etiqueta[]): boolean {
  return readFormularios(etiquetas).some(isFormularioEfirma);
}

/**
 * Reads the log-in page of the e.firma; null when the page is some other one. Throws RESPUESTA_ILEGIBLE for one without
 * a challenge.
 */
export function readPaginaEfirma(etiquetas: readonly Etiqueta[]): PaginaEfirma | null {
  const formulario = readFormularios(etiquetas).find(isFormularioEfirma);
  if (formulario === undefined) return null;
  const campos = readCampos(formulario.etiquetas);
  const guid = campos.get('guid') ?? '';
  if (!GUID.test(guid)) throw ilegible('pagina de e.firma sin guid');
  return { accion: formulario.accion, campos, guid };
}

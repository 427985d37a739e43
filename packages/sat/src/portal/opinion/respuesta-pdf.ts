import { SatError, type SentidoOpinion } from '@acuse/core';
import { parseObjeto, toObjeto } from '../../texto/objeto-json.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { readSentido } from './sentido-opinion.ts';

export interface RespuestaPdf {
  readonly pdf: Buffer;
  /**
   * What the service says beside the document (`Validaciones`), null for what it leaves out. Never a fact alone: the
   * document is.
   */
  readonly sentido: SentidoOpinion | null;
  readonly folio: string | null;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Reads the answer of `ObtenerRespuestaCompletaPdf`: `Respuesta.Exito`, `Respuesta.Mensaje`, `ContenidoBase64`
 * (phpcfdi/opinion-cumplimiento-sat-scraper, src/PdfDownloader.php) and, when it has them, `Validaciones.Descripcion`
 * and `.Folio`. Throws SERVICIO_CON_ERROR when the service says that it failed, RESPUESTA_ILEGIBLE for anything that is
 * not such an answer with a whole PDF.
 */
export function parseRespuestaPdf(json: string): RespuestaPdf {
  const datos = parseObjeto(json);
  const respuesta = toObjeto(datos?.['Respuesta']);
  if (datos === null || respuesta === null || typeof respuesta['Exito'] !== 'boolean') {
    throw ilegible('opinion: respuesta sin Exito');
  }
  if (!respuesta['Exito']) throw new SatError('SERVICIO_CON_ERROR', { codigo: 'Exito=false' });
  const validaciones = toObjeto(datos['Validaciones']);
  const descripcion = validaciones?.['Descripcion'];
  const folio = validaciones?.['Folio'];
  return {
    pdf: decodePdf(datos['ContenidoBase64']),
    sentido: typeof descripcion === 'string' ? readSentido(descripcion) : null,
    folio: typeof folio === 'string' && folio.trim() !== '' ? folio.trim().toUpperCase() : null,
  };
}

/** `Buffer.from` skips what is no base64; a document with a hole in it is no document. */
function decodePdf(contenido: unknown): Buffer {
  const base64 = typeof contenido === 'string' ? contenido.replace(/\s+/g, '') : '';
  if (base64.length % 4 !== 0 || !BASE64.test(base64)) throw ilegible('opinion: sin documento');
  const pdf = Buffer.from(base64, 'base64');
  if (pdf.subarray(0, 5).toString('latin1') !== '%PDF-') throw ilegible('opinion: el documento no es un PDF');
  return pdf;
}

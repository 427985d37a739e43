import type { RespuestaConsultarOpinion } from '@acuse/core';
import { toForma } from '../../texto/forma.ts';
import { readFecha, readFechaLarga } from '../paginas/fechas.ts';
import { ilegible } from '../paginas/ilegible.ts';
import { type CadenaOriginal, findCadenas } from './cadena-original.ts';
import { readMotivo } from './motivo-opinion.ts';
import { findSentidos } from './sentido-opinion.ts';

export type OpinionLeida = Omit<RespuestaConsultarOpinion, 'pdf'>;

const RFC =
  /(?<![A-Z0-9&Ñ+/=])[A-Z&Ñ]{3,4}\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[A-Z0-9]{2}[0-9A](?![A-Z0-9&Ñ+/=])/g;
/** The authority's own, which may stand in its letterhead. */
const RFC_DEL_SAT = 'SAT970701NN3';
const FOLIO = /\b\d{2}[A-Z]{1,2}\d{6,8}\b/g;
const FECHA = /(?:fecha(?: y hora)? de (?:emision|expedicion)|revision practicada el dia)\s*:?\s*(\d[^|]{0,40})/;

/**
 * Reads an opinión del cumplimiento from the lines of its text, in the layouts before and after June 2025. Throws
 * RESPUESTA_ILEGIBLE for another document, one that is not `rfc`'s or names a second taxpayer, and one that does not
 * state exactly one sense.
 */
export function readOpinion(lineas: readonly string[], rfc: string): OpinionLeida {
  const texto = lineas.join('\n');
  const plano = toForma(texto);
  if (!/opinion del? cumplimiento/.test(plano)) throw ilegible('opinion: es otro documento');
  const cadena = onlyCadena(texto);
  assertTitular(texto, cadena, rfc.toUpperCase());
  const sentidos = [...findSentidos(lineas, cadena)];
  const [sentido] = sentidos;
  if (sentido === undefined) throw ilegible('opinion: no dice su sentido');
  if (sentidos.length > 1) throw ilegible('opinion: dice más de un sentido');
  if ((sentido === 'POSITIVO' || sentido === 'NEGATIVO') && cadena !== null && cadena.sentido === null) {
    throw ilegible('opinion: la cadena original dice otra cosa');
  }
  return {
    sentido,
    folio: cadena?.folio ?? readFolio(texto),
    fecha: cadena?.fecha ?? readFechaEmision(plano),
    motivo: readMotivo(lineas, sentido),
  };
}

function onlyCadena(texto: string): CadenaOriginal | null {
  const cadenas = findCadenas(texto);
  const [cadena] = cadenas;
  if (cadena === undefined) return null;
  if (cadenas.some((otra) => JSON.stringify(otra) !== JSON.stringify(cadena))) {
    throw ilegible('opinion: más de una cadena original');
  }
  return cadena;
}

/** Every RFC of the document is the taxpayer's. The seal below is base64, where anything may look like one. */
function assertTitular(texto: string, cadena: CadenaOriginal | null, rfc: string): void {
  const sello = texto.search(/sello digital/i);
  const legible = (sello === -1 ? texto : texto.slice(0, sello)).normalize('NFC').toUpperCase();
  const nombrados = new Set([...(legible.match(RFC) ?? []), ...(cadena === null ? [] : [cadena.rfc])]);
  if (rfc !== RFC_DEL_SAT) nombrados.delete(RFC_DEL_SAT);
  if (!nombrados.delete(rfc)) throw ilegible('opinion: no nombra al RFC');
  if (nombrados.size > 0) throw ilegible('opinion: nombra a otro RFC');
}

/** The folio by its shape, `26NL1324942`; null when the document has none or several. */
function readFolio(texto: string): string | null {
  const folios = new Set(texto.toUpperCase().match(FOLIO) ?? []);
  const [folio] = folios;
  return folio !== undefined && folios.size === 1 ? folio : null;
}

function readFechaEmision(plano: string): string | null {
  const valor = FECHA.exec(plano)?.[1] ?? '';
  return readFechaLarga(valor) ?? readFecha(/^[\d/-]+/.exec(valor)?.[0] ?? '');
}

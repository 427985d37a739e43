import type { X509Certificate } from 'node:crypto';
import type { Advertencia } from '@acuse/core';
import { readDer } from './der.ts';

/** What a person reads of each, in Spanish. */
export const ADVERTENCIAS: Readonly<Record<Advertencia, string>> = {
  TEXTO_MAL_FORMADO:
    'El SAT escribió mal un texto dentro de este certificado, como en los que emitió en mayo de 2023. Su servicio web los rechaza con el código 305 y sus portales los aceptan. Guarde también la CIEC, que se usará primero, o renueve la e.firma.',
  AUTORIDAD_AC5:
    'La autoridad del SAT que emitió este certificado (AC5) termina el 3 de mayo de 2027. Desde ese día el SAT podría no aceptarlo. Renueve la e.firma antes.',
};

/** The day, UTC, on which the authority AC5 ends. */
const AC5_TERMINA = '2027-05-03';

/**
 * What may go wrong with a certificate that is taken. `emisor` is the authority that issued it.
 *
 * Malformed texts: e.firmas issued from 3 to 24 May 2023 have a PrintableString with other characters than X.680 (41.4)
 * allows; the web service refuses them with 305, the portals take them (phpcfdi/sat-ws-descarga-masiva 82).
 */
export function advertenciasDe(certificado: X509Certificate, emisor: X509Certificate): readonly Advertencia[] {
  const ends = new Date(emisor.validTo).toISOString().slice(0, 10);
  return [
    ...(hasMalformedText(certificado.raw) ? (['TEXTO_MAL_FORMADO'] as const) : []),
    ...(ends === AC5_TERMINA ? (['AUTORIDAD_AC5'] as const) : []),
  ];
}

const PRINTABLE_STRING = 0x13;
const CONSTRUCTED = 0x20;
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** Whether some PrintableString of a DER encoding has a character that the type does not allow. */
function hasMalformedText(der: Buffer): boolean {
  for (let rest = der; rest.length > 0; ) {
    const element = readDer(rest);
    if (element === null) return false;
    const { tag, contents } = element;
    if (tag === PRINTABLE_STRING && !PRINTABLE.test(contents.toString('latin1'))) return true;
    if ((tag & CONSTRUCTED) !== 0 && hasMalformedText(contents)) return true;
    rest = element.rest;
  }
  return false;
}

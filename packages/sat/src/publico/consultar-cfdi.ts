import { type ConsultarCfdi, type RespuestaConsultarCfdi, SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import { call } from '../soap/call.ts';
import { escapeText, type PasoSoap } from '../soap/sobres.ts';
import { type Elemento, NS_SOAP, onlyChild, resultOf } from '../soap/xml.ts';
import { assertCleanText, ilegible } from '../texto.ts';

const NS = 'http://tempuri.org/';
/** Of the fields of the answer (phpcfdi/sat-estado-cfdi). */
const NS_ACUSE = 'http://schemas.datacontract.org/2004/07/Sat.Cfdi.Negocio.ConsultaCfdi.Servicio';
const CONSULTA: PasoSoap = {
  direccion: { host: 'consultaqr.facturaelectronica.sat.gob.mx', path: '/ConsultaCFDIService.svc' },
  accion: `${NS}IConsultaCFDIService/Consulta`,
};
const MAX_BYTES = 64 * 1024;

/**
 * Asks the SAT's public service for the state of a CFDI (phpcfdi/sat-estado-cfdi, SAT-CFDI/python-satcfdi). Only
 * `CodigoEstatus` decides: `S - …` was found, `N - 602` is not known. 601, which the service has answered wrongly for
 * days and words live as a sentence that ends in "Expresión: 601" (luisiturrios1/python-cfdiclient#23), and every other
 * code reject with SERVICIO_CON_ERROR; an answer without a code, or one that contradicts itself, with
 * RESPUESTA_ILEGIBLE.
 */
export async function consultarCfdi(
  http: SatHttp,
  consulta: ConsultarCfdi,
  signal: AbortSignal,
): Promise<RespuestaConsultarCfdi> {
  const sobre =
    `<s:Envelope xmlns:s="${NS_SOAP}"><s:Body><Consulta xmlns="${NS}">` +
    `<expresionImpresa>${escapeText(expresionDe(consulta))}</expresionImpresa>` +
    '</Consulta></s:Body></s:Envelope>';
  const { contenido } = await call(http, { paso: CONSULTA, sobre, signal }, MAX_BYTES);
  return readAcuse(resultOf(contenido, NS, 'Consulta'));
}

function readAcuse(acuse: Elemento): RespuestaConsultarCfdi {
  const codigo = onlyChild(acuse, NS_ACUSE, 'CodigoEstatus').texto.trim();
  const estado = onlyChild(acuse, NS_ACUSE, 'Estado').texto.trim().toLowerCase();
  if (/^S(?:\s*-|$)/.test(codigo)) {
    if (estado !== 'vigente' && estado !== 'cancelado') throw ilegible('Estado');
    return {
      resultado: 'ENCONTRADO',
      estado: estado === 'vigente' ? 'VIGENTE' : 'CANCELADO',
      esCancelable: readOptional(acuse, 'EsCancelable'),
      estatusCancelacion: readOptional(acuse, 'EstatusCancelacion'),
      validacionEfos: readValidacion(acuse),
    };
  }
  const numero = /^N\s*-\s*(\d{1,4})(?!\d)/.exec(codigo)?.[1] ?? /(?<!\d)601(?!\d)/.exec(codigo)?.[0];
  if (numero === undefined || estado === 'vigente' || estado === 'cancelado') throw ilegible('CodigoEstatus');
  if (numero === '602') return { resultado: 'NO_ENCONTRADO' };
  throw new SatError('SERVICIO_CON_ERROR', { codigo: `N - ${numero}` });
}

/** The text of a field; null when the answer leaves it out or empty. */
function readOptional(acuse: Elemento, nombre: string): string | null {
  if (!acuse.children.some((h) => h.nombre === nombre)) return null;
  const texto = onlyChild(acuse, NS_ACUSE, nombre).texto.trim();
  assertCleanText(texto);
  if (texto.length > 100) throw ilegible(nombre);
  return texto === '' ? null : texto;
}

function readValidacion(acuse: Elemento): string | null {
  const codigo = readOptional(acuse, 'ValidacionEFOS');
  if (codigo !== null && !/^\d{3}$/.test(codigo)) throw ilegible('ValidacionEFOS');
  return codigo;
}

const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z\d]{3}$/i;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const DECIMAL = /^(\d{1,18})(?:\.(\d{1,6}))?$/;

/**
 * The expression that is printed as QR code on a CFDI 3.3 or 4.0, without `fe` (the last characters of the seal), which
 * the service does not ask for. An ampersand of an RFC is written `&amp;` in it (phpcfdi/cfdi-expresiones). Throws
 * PETICION_RECHAZADA for what has no expression.
 */
function expresionDe({ emisorRfc, receptorRfc, uuid, total }: ConsultarCfdi): string {
  if (!RFC.test(emisorRfc) || !RFC.test(receptorRfc)) throw refused('rfc');
  if (!UUID.test(uuid)) throw refused('uuid');
  const [re, rr] = [emisorRfc, receptorRfc].map((rfc) => rfc.toUpperCase().replaceAll('&', '&amp;'));
  return `?re=${re}&rr=${rr}&tt=${totalDe(total)}&id=${uuid}`;
}

/**
 * A total as the SAT compares it: at most 18 integer and 6 decimal digits, no meaningless zeros, at least one decimal
 * (`0.99`, `1.0`). Throws PETICION_RECHAZADA for a number that cannot be written so: negative, not finite, finer than a
 * millionth, or too large to be exact.
 */
export function totalDe(total: number): string {
  const found = Math.abs(total) <= Number.MAX_SAFE_INTEGER ? DECIMAL.exec(String(total)) : null;
  if (found === null) throw refused('total');
  return `${found[1]}.${found[2] ?? '0'}`;
}

function refused(campo: string): SatError {
  return new SatError('PETICION_RECHAZADA', { detalle: `${campo} sin expresión para el SAT` });
}

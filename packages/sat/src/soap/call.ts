import { SatError } from '@acuse/core';
import { readText } from '../http/cuerpo.ts';
import type { SatHttp, SatHttpResponse } from '../http/sat-http.ts';
import { ilegible } from '../texto.ts';
import type { PasoSoap } from './sobres.ts';
import { type Elemento, NS_SOAP, onlyChild, parseXml } from './xml.ts';

interface LlamadaSoap {
  readonly paso: PasoSoap;
  readonly sobre: string;
  /** Absent on authentication. */
  readonly token?: string;
  readonly signal: AbortSignal;
}

export interface RespuestaSoap {
  readonly header: Elemento | undefined;
  /** The one child of the body. */
  readonly contenido: Elemento;
  /** The whole answer as it came. */
  readonly texto: string;
}

/** What a SOAP fault means. `fecha` is the server's clock, when it told it. */
export type ReadFalla = (codigo: string, fecha: Date | undefined) => SatError;

/** Sends a message and reads the answer whole. Rejects with a SatError. */
export async function call(
  http: SatHttp,
  llamada: LlamadaSoap,
  maxBytes: number,
  readFalla: ReadFalla = errorOfFalla,
): Promise<RespuestaSoap> {
  const respuesta = await http.request({ ...peticion(llamada), expect: 'text', maxBytes });
  return readAnswer(respuesta, () => respuesta.body, readFalla);
}

/** Sends a message and gives the body of an HTTP 200 as it arrives; whatever is no HTTP 200 rejects with a SatError. */
export async function callStream(http: SatHttp, llamada: LlamadaSoap): Promise<SatHttpResponse<'stream'>> {
  const respuesta = await http.request({ ...peticion(llamada), expect: 'stream' });
  if (respuesta.status === 200) return respuesta;
  await readAnswer(respuesta, () => readText(respuesta.body, undefined, MAX_FALLA), errorOfFalla);
  throw ilegible(`HTTP ${respuesta.status} sin falla`);
}

const MAX_FALLA = 64 * 1024;

function peticion({ paso, sobre, token, signal }: LlamadaSoap) {
  return {
    ...paso.direccion,
    method: 'POST' as const,
    headers: {
      'content-type': 'text/xml; charset="utf-8"',
      accept: 'text/xml',
      'cache-control': 'no-cache',
      soapaction: paso.accion,
      ...(token === undefined ? {} : { authorization: `WRAP access_token="${token}"` }),
    },
    body: sobre,
    signal,
    // A SOAP 1.1 fault travels with HTTP 500 (SOAP 1.1, section 6.2).
    acceptStatus: [500],
  };
}

async function readAnswer(
  respuesta: Pick<SatHttpResponse, 'status' | 'headers' | 'markFailed'>,
  read: () => string | Promise<string>,
  readFalla: ReadFalla,
): Promise<RespuestaSoap> {
  const { status } = respuesta;
  try {
    if (status !== 200 && status !== 500) throw new SatError('SERVICIO_CON_ERROR', { codigo: `HTTP ${status}` });
    const texto = await read();
    const envelope = parseXml(texto);
    if (envelope.nombre !== 'Envelope' || envelope.ns !== NS_SOAP) throw ilegible('no es un sobre SOAP');
    const contenido = onlyElement(onlyChild(envelope, NS_SOAP, 'Body'));
    if (contenido.nombre === 'Fault' && contenido.ns === NS_SOAP) {
      throw readFalla(faultCode(contenido), serverDate(respuesta.headers['date']));
    }
    if (status === 500) throw ilegible('HTTP 500 sin falla');
    return { header: envelope.children.find((h) => h.nombre === 'Header' && h.ns === NS_SOAP), contenido, texto };
  } catch (error) {
    if (error instanceof SatError && error.clase === 'reintentable') await respuesta.markFailed();
    // A page with HTTP 500 is the front end speaking, whatever it says.
    if (status === 500 && error instanceof SatError && error.motivo === 'RESPUESTA_ILEGIBLE') {
      throw new SatError('SERVICIO_CON_ERROR', { codigo: 'HTTP 500' });
    }
    throw error;
  }
}

function onlyElement(body: Elemento): Elemento {
  const [contenido, otro] = body.children;
  if (contenido === undefined || otro !== undefined) throw ilegible('cuerpo SOAP sin un solo elemento');
  return contenido;
}

/** `a:InvalidSecurity` and the like, with the prefix that all reports of them have; only if it looks like a code. */
function faultCode(fault: Elemento): string {
  const text = fault.children.find((h) => h.nombre === 'faultcode')?.texto.trim() ?? '';
  return /^[\w:.-]{1,64}$/.test(text) ? text : 'Fault';
}

function serverDate(header: string | readonly string[] | undefined): Date | undefined {
  const fecha = new Date(typeof header === 'string' ? header : Number.NaN);
  return Number.isNaN(fecha.getTime()) ? undefined : fecha;
}

/**
 * A fault outside of authentication. `ActionNotSupported` means that the operation is gone, as happened to version 1.4,
 * so asking again cannot help; every other one is an uncontrolled error of the service.
 */
function errorOfFalla(codigo: string): SatError {
  const gone = codigo.endsWith(':ActionNotSupported');
  return new SatError(gone ? 'PETICION_RECHAZADA' : 'SERVICIO_CON_ERROR', { codigo });
}

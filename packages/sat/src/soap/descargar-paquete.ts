import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { DescargarPaquete, RespuestaDescargarPaquete, SatError } from '@acuse/core';
import { endWithSignal, pullStream, toSatError } from '../http/cuerpo.ts';
import { ilegible } from '../texto.ts';
import { callStream } from './call.ts';
import { ACEPTADO, type ContextoSoap, conToken, errorOf, readCodigo, readMessage } from './contexto.ts';
import { NS_DESCARGA, sobreDescarga } from './sobres.ts';
import { attributesOf, createParser, MAX_DEPTH, NS_SOAP, runParser } from './xml.ts';

/**
 * Fetches a package. 5004 is given for a package that the SAT does not know, which asks for the same as 5007: a new
 * request.
 */
export async function descargarPaquete(
  contexto: ContextoSoap,
  { rfc, paquete }: DescargarPaquete,
): Promise<RespuestaDescargarPaquete> {
  const sobre = sobreDescarga(contexto.signer, rfc, paquete);
  const { codigo, mensaje, zip } = await conToken(contexto, (token) => openPaquete(contexto, sobre, token));
  if (codigo === ACEPTADO && zip !== undefined) return { resultado: 'PAQUETE', zip };
  if (['5004', '5007', '5008'].includes(codigo)) return { resultado: 'AGOTADO', codigo, mensaje };
  throw errorOf(codigo);
}

/** Reads until the first byte of the package, or to the end when there is none. */
async function openPaquete(
  { http, servicio, signal, settings }: ContextoSoap,
  sobre: string,
  token: string,
): Promise<RespuestaDescarga & { zip?: Readable }> {
  const { body, markFailed } = await callStream(http, { paso: servicio.descarga, sobre, token, signal });
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const lector = createLectorPaquete(settings.maxPackageBytes);
  const fail = async (error: unknown): Promise<SatError> => {
    body.destroy();
    const mapped = toSatError(error);
    if (mapped.motivo === 'RESPUESTA_ILEGIBLE') await markFailed();
    return mapped;
  };
  try {
    for (;;) {
      const { value, done } = await chunks.next();
      if (done) break;
      const first = lector.write(value);
      const respuesta = lector.respuesta();
      if (first.length === 0 || respuesta?.codigo !== ACEPTADO) continue;
      const zip = toReadable(first, chunks, lector, fail, body);
      endWithSignal(zip, signal);
      return { ...respuesta, zip };
    }
    lector.end();
  } catch (error) {
    throw await fail(error);
  }
  // `end` returned, so the answer was whole and its code is known.
  return lector.respuesta() as RespuestaDescarga;
}

/** The package from its first bytes on. It ends only after the document around it was found whole. */
function toReadable(
  first: Buffer[],
  chunks: AsyncIterator<Buffer>,
  lector: ReturnType<typeof createLectorPaquete>,
  fail: (error: unknown) => Promise<SatError>,
  body: Readable,
): Readable {
  let pending = first;
  return pullStream(
    async () => {
      try {
        while (pending.length === 0) {
          const { value, done } = await chunks.next();
          if (done) {
            lector.end();
            return null;
          }
          pending = lector.write(value);
        }
        const bytes = Buffer.concat(pending);
        pending = [];
        return bytes;
      } catch (error) {
        throw await fail(error);
      }
    },
    () => body.destroy(),
  );
}

const RESPUESTA = 'Envelope/Header/respuesta';
const PAQUETE = 'Envelope/Body/RespuestaDescargaMasivaTercerosSalida/Paquete';
const LT = 0x3c;
const GT = 0x3e;

/** Everything but the base64 text: a few hundred bytes in truth. */
const MAX_STRUCTURE = 256 * 1024;

interface RespuestaDescarga {
  readonly codigo: string;
  readonly mensaje: string;
}

/**
 * Reads the answer of the download as its bytes come in. All methods throw RESPUESTA_ILEGIBLE. The structure goes to a strict XML parser, the text of `Paquete` past it to the base64 decoder, so that memory does
 * not grow with the package and nothing is delivered that a whole-document parser would have refused.
 * The code stands in the SOAP header, which precedes the body (SOAP 1.1, section 4).
 */
export function createLectorPaquete(maxBytes: number) {
  const parser = createParser();
  const decoder = new StringDecoder('utf8');
  const base64 = createBase64Decoder();
  const path: string[] = [];
  let respuesta: RespuestaDescarga | undefined;
  let inText = false;
  let paquetes = 0;
  let structure = 0;
  let size = 0;

  const refuseInside = () => {
    if (path.join('/') === PAQUETE) throw ilegible('Paquete no es solo texto');
  };
  parser.on('doctype', () => {
    throw ilegible('DOCTYPE');
  });
  parser.on('comment', refuseInside);
  parser.on('cdata', refuseInside);
  parser.on('processinginstruction', refuseInside);
  parser.on('opentag', (tag) => {
    refuseInside();
    if (path.length === 0 && (tag.local !== 'Envelope' || tag.uri !== NS_SOAP)) {
      throw ilegible('no es un sobre SOAP');
    }
    if (path.length >= MAX_DEPTH) throw ilegible('demasiada profundidad');
    // Envelope, Header and Body are SOAP's, what we read in them the service's.
    const ns = path.length < 2 ? NS_SOAP : NS_DESCARGA;
    path.push(tag.local);
    const place = path.join('/');
    const isRead = [RESPUESTA, PAQUETE].some((whole) => `${whole}/`.startsWith(`${place}/`));
    if (isRead && tag.uri !== ns) throw ilegible('otro espacio de nombres');
    if (place === RESPUESTA) {
      if (respuesta !== undefined) throw ilegible('respuesta repetida');
      const { CodEstatus, Mensaje } = attributesOf(tag.attributes);
      respuesta = { codigo: readCodigo(CodEstatus, 'CodEstatus'), mensaje: readMessage(Mensaje) };
    }
    if (place === PAQUETE) {
      paquetes += 1;
      if (paquetes > 1) throw ilegible('Paquete repetido');
      inText = true;
    }
  });
  parser.on('closetag', () => {
    if (path.join('/') === PAQUETE) inText = false;
    path.pop();
  });

  function decode(bytes: Buffer): Buffer {
    const decoded = base64.write(bytes);
    size += decoded.length;
    if (size > maxBytes) throw ilegible(`más de ${maxBytes} bytes`);
    if (decoded.length > 0 && respuesta === undefined) throw ilegible('falta respuesta');
    return decoded;
  }

  function feed(bytes: Buffer): void {
    structure += bytes.length;
    if (structure > MAX_STRUCTURE) throw ilegible('demasiado XML');
    runParser(() => parser.write(decoder.write(bytes)));
  }

  return {
    respuesta: () => respuesta,
    /** The package's bytes that this chunk completes; none before `respuesta` is known. */
    write(chunk: Buffer): Buffer[] {
      const out: Buffer[] = [];
      let at = 0;
      while (at < chunk.length) {
        const found = chunk.indexOf(inText ? LT : GT, at);
        if (inText) {
          const end = found === -1 ? chunk.length : found;
          const decoded = decode(chunk.subarray(at, end));
          if (decoded.length > 0) out.push(decoded);
          if (found !== -1) inText = false;
          at = end;
        } else {
          const end = found === -1 ? chunk.length : found + 1;
          feed(chunk.subarray(at, end));
          at = end;
        }
      }
      return out;
    },
    /** To be called after the last byte. Returns only if the document was whole. */
    end() {
      runParser(() => parser.write(decoder.end()).close());
      base64.end();
      if (respuesta === undefined) throw ilegible('falta respuesta');
      if (respuesta.codigo === '5000' && size === 0) throw ilegible('paquete vacío');
      if (respuesta.codigo !== '5000' && size > 0) throw ilegible('paquete con código de error');
    },
  };
}

/**
 * Decodes base64 (RFC 4648, section 4) chunk by chunk, strictly: Node's own decoder skips what it does not know,
 * reads `-`, `_` and the low byte of a wide character, and accepts a text that was cut. XML white space between characters is allowed. Throws
 * RESPUESTA_ILEGIBLE.
 */
export function createBase64Decoder() {
  let rest = '';
  let ended = false;
  return {
    write(bytes: Buffer): Buffer {
      const text = rest + bytes.toString('latin1').replace(/[ \t\r\n]+/g, '');
      if (text === '') return Buffer.alloc(0);
      if (ended) throw ilegible('base64 tras su final');
      const whole = text.slice(0, text.length - (text.length % 4));
      rest = text.slice(whole.length);
      const decoded = Buffer.from(whole, 'base64');
      const padding = whole.endsWith('==') ? 2 : whole.endsWith('=') ? 1 : 0;
      const isSkipped = decoded.length + padding !== 0.75 * whole.length;
      const isAscii = Buffer.byteLength(whole) === whole.length;
      if (isSkipped || !isAscii || whole.includes('-') || whole.includes('_')) throw ilegible('base64 inválido');
      if (whole.endsWith('=')) {
        ended = true;
        const quantum = whole.slice(-4);
        const canonical = Buffer.from(quantum, 'base64').toString('base64');
        if (rest !== '' || canonical !== quantum) throw ilegible('base64 inválido');
      }
      return decoded;
    },
    end() {
      if (rest !== '') throw ilegible('base64 cortado');
    },
  };
}

import { StringDecoder } from 'node:string_decoder';
import { readCodigo, readMensaje } from '../codigos.ts';
import { attributesOf, createParser, MAX_PROFUNDIDAD, NS_SOAP, runParser, unreadable } from '../xml.ts';
import { createDecodificadorBase64 } from './base64.ts';

const RESPUESTA = 'Envelope/Header/respuesta';
const PAQUETE = 'Envelope/Body/RespuestaDescargaMasivaTercerosSalida/Paquete';
const LT = 0x3c;
const GT = 0x3e;

/** Everything but the base64 text: a few hundred bytes in truth. */
const MAX_ESTRUCTURA = 256 * 1024;

export interface RespuestaDescarga {
  readonly codigo: string;
  readonly mensaje: string;
}

/** Reads the answer of the download as its bytes come in. All methods throw RESPUESTA_ILEGIBLE. */
export interface LectorPaquete {
  /** The package's bytes that this chunk completes. Never before {@link LectorPaquete.respuesta} is known. */
  write(chunk: Buffer): Buffer[];
  /** To be called after the last byte. Returns only if the document was whole. */
  end(): void;
  respuesta(): RespuestaDescarga | undefined;
}

/**
 * The structure goes to a strict XML parser, the text of `Paquete` past it to the base64 decoder, so that memory does
 * not grow with the package and nothing is delivered that a whole-document parser would have refused.
 * The code stands in the SOAP header, which precedes the body (SOAP 1.1, section 4).
 */
export function createLectorPaquete(maxBytes: number): LectorPaquete {
  const parser = createParser();
  const decoder = new StringDecoder('utf8');
  const base64 = createDecodificadorBase64();
  const path: string[] = [];
  let respuesta: RespuestaDescarga | undefined;
  let inText = false;
  let paquetes = 0;
  let structure = 0;
  let size = 0;

  const refuseInside = () => {
    if (path.join('/') === PAQUETE) throw unreadable('Paquete no es solo texto');
  };
  parser.on('doctype', () => {
    throw unreadable('DOCTYPE');
  });
  parser.on('comment', refuseInside);
  parser.on('cdata', refuseInside);
  parser.on('processinginstruction', refuseInside);
  parser.on('opentag', (tag) => {
    refuseInside();
    if (path.length === 0 && (tag.local !== 'Envelope' || tag.uri !== NS_SOAP)) {
      throw unreadable('no es un sobre SOAP');
    }
    if (path.length >= MAX_PROFUNDIDAD) throw unreadable('demasiada profundidad');
    path.push(tag.local);
    const place = path.join('/');
    if (place === RESPUESTA) {
      if (respuesta !== undefined) throw unreadable('respuesta repetida');
      const { CodEstatus, Mensaje } = attributesOf(tag.attributes);
      respuesta = { codigo: readCodigo(CodEstatus, 'CodEstatus'), mensaje: readMensaje(Mensaje) };
    }
    if (place === PAQUETE) {
      paquetes += 1;
      if (paquetes > 1) throw unreadable('Paquete repetido');
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
    if (size > maxBytes) throw unreadable(`más de ${maxBytes} bytes`);
    if (decoded.length > 0 && respuesta === undefined) throw unreadable('falta respuesta');
    return decoded;
  }

  function feed(bytes: Buffer): void {
    structure += bytes.length;
    if (structure > MAX_ESTRUCTURA) throw unreadable('demasiado XML');
    runParser(() => parser.write(decoder.write(bytes)));
  }

  return {
    respuesta: () => respuesta,
    write(chunk) {
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
    end() {
      runParser(() => parser.write(decoder.end()).close());
      base64.end();
      if (respuesta === undefined) throw unreadable('falta respuesta');
      if (respuesta.codigo === '5000' && size === 0) throw unreadable('paquete vacío');
      if (respuesta.codigo !== '5000' && size > 0) throw unreadable('paquete con código de error');
    },
  };
}

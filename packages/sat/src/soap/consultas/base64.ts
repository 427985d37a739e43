import { unreadable } from '../xml.ts';

export interface DecodificadorBase64 {
  /** Decodes what is complete so far. Throws RESPUESTA_ILEGIBLE for text that is no base64. */
  write(bytes: Buffer): Buffer;
  /** Throws RESPUESTA_ILEGIBLE when the text ended in the middle. */
  end(): void;
}

/**
 * Decodes base64 (RFC 4648, section 4) chunk by chunk, strictly: Node's own decoder skips what it does not know and
 * accepts a text that was cut. XML white space between characters is allowed.
 */
export function createDecodificadorBase64(): DecodificadorBase64 {
  let rest = '';
  let ended = false;
  return {
    write(bytes) {
      const text = rest + bytes.toString('latin1').replace(/[ \t\r\n]+/g, '');
      if (text === '') return Buffer.alloc(0);
      if (ended) throw unreadable('base64 tras su final');
      const whole = text.slice(0, text.length - (text.length % 4));
      rest = text.slice(whole.length);
      if (!/^[A-Za-z0-9+/]*={0,2}$/.test(whole)) throw unreadable('base64 inválido');
      const decoded = Buffer.from(whole, 'base64');
      if (whole.endsWith('=')) {
        ended = true;
        const quantum = whole.slice(-4);
        const canonical = Buffer.from(quantum, 'base64').toString('base64');
        if (rest !== '' || canonical !== quantum) throw unreadable('base64 inválido');
      }
      return decoded;
    },
    end() {
      if (rest !== '') throw unreadable('base64 cortado');
    },
  };
}

import { NOT_VALID, writeInstant, writePlain, writeUuid } from './csv-bytes.ts';
import { type LineEnd, NEEDS_MORE } from './record-scanner.ts';

const TILDE = 0x7e;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

/** 1 for the bytes that a field and its CSV share: all but the separators, the qualifier and what CSV has to quote. */
const PLAIN = new Uint8Array(256).fill(1);
for (const byte of [TILDE, 0x7c, CR, LF, 0x22, COMMA]) PLAIN[byte] = 0;

const VIGENTE = Buffer.from('VIGENTE');
const CANCELADO = Buffer.from('CANCELADO');

/**
 * Writes the SAT's twelve columns of one record as CSV in a single pass, when they are in their usual order and nothing
 * in them needs more than a copy, which is how nearly all records are. It decides nothing: whatever else it meets, it
 * gives up, and the record is scanned and judged by the general way.
 */
export class PlainRecord {
  /** Offset in the output after the twelve columns. */
  end = 0;
  /** Offset in the output of fecha_emision. */
  fechaEmision = 0;
  /** Offset in the output of efecto_comprobante. */
  efecto = 0;
  isCancelado = false;

  /** Returns the offset after the record, or {@link NEEDS_MORE} when it gave up. */
  write(buffer: Uint8Array, from: number, lineEnd: LineEnd, out: Uint8Array, at: number): number {
    const length = buffer.length;
    let i = from;
    let o = at;
    if (length - i < 120 || out.length - o < 256) return NEEDS_MORE;
    if (buffer[i + 36] !== TILDE || writeUuid(buffer, i, i + 36, out, o) === NOT_VALID) return NEEDS_MORE;
    i += 37;
    o += 36;
    for (let column = 0; column < 9; column++) {
      out[o++] = COMMA;
      if (column === 5 || column === 6) {
        if (i + 19 >= length || out.length - o < 128) return NEEDS_MORE;
        if (column === 5) this.fechaEmision = o;
        if (writeInstant(buffer, i, i + 19, out, o) === NOT_VALID) return NEEDS_MORE;
        i += 19;
        o += 19;
      } else {
        if (column === 8) this.efecto = o;
        const limit = Math.min(length, i + out.length - o - 128);
        for (; i < limit; i++) {
          const byte = buffer[i] as number;
          if (PLAIN[byte] === 0) break;
          out[o++] = byte;
        }
      }
      if (i >= length || buffer[i] !== TILDE) return NEEDS_MORE;
      i++;
    }
    if (i + 2 + 19 + 2 > length || buffer[i + 1] !== TILDE) return NEEDS_MORE;
    const estatus = buffer[i] as number;
    if (estatus !== 0x30 && estatus !== 0x31) return NEEDS_MORE;
    out[o++] = COMMA;
    this.isCancelado = estatus === 0x30;
    const word = this.isCancelado ? CANCELADO : VIGENTE;
    o = writePlain(word, 0, word.length, out, o);
    out[o++] = COMMA;
    i += 2;
    const ender = lineEnd === 'CRLF' ? CR : LF;
    if (buffer[i] !== ender) {
      if (writeInstant(buffer, i, i + 19, out, o) === NOT_VALID) return NEEDS_MORE;
      i += 19;
      o += 19;
      if (buffer[i] !== ender) return NEEDS_MORE;
    }
    this.end = o;
    if (lineEnd === 'LF') return i + 1;
    return buffer[i + 1] === LF ? i + 2 : NEEDS_MORE;
  }
}

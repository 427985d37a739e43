import { PaqueteSatInvalido } from '@acuse/core';
import {
  type InvalidText,
  placeColumns,
  type RecordScanner,
  type RecordSink,
  TERCEROS_COLUMNS,
} from './record-reader.ts';

interface TercerosLimits {
  /** Most records of third parties that one package may have. */
  readonly maxRegistros: number;
  /** Most bytes of their RFCs and names together. */
  readonly maxBytes: number;
}

/**
 * One or more third parties of a CFDI, joined. Strings of one character a byte: half the memory, and copied as they
 * are.
 */
export interface Tercero {
  readonly rfc: string;
  readonly nombre: string;
}

/** A CFDI on account of more third parties than this is taken for a hostile file: joining them is quadratic. */
const MAX_JOINED = 1_000;

/**
 * The third parties of one package, by UUID without regard to letter case. A CFDI can have several, one for each of its
 * concepts: they are joined with `|`, which names and RFCs of a CFDI cannot contain, in the order of the file and each
 * once.
 */
export class Terceros {
  readonly #limits: TercerosLimits;
  readonly #objectKey: string;
  readonly #byUuid = new Map<string, Tercero>();
  #bytes = 0;
  /** Records read. */
  registros = 0;

  constructor(limits: TercerosLimits, objectKey: string) {
    this.#limits = limits;
    this.#objectKey = objectKey;
  }

  get isEmpty(): boolean {
    return this.#byUuid.size === 0;
  }

  /** Takes the records of one file of third parties. */
  sink(invalid: InvalidText): RecordSink {
    let places: Int32Array = new Int32Array(0);
    return {
      header: (names) => {
        places = placeColumns(names, TERCEROS_COLUMNS, invalid).places;
      },
      record: (buffer, fields) => {
        const [uuid, rfc, nombre] = Array.from(places, (index) => copyField(buffer, fields, index));
        if (uuid !== undefined && rfc !== undefined && nombre !== undefined) {
          this.#add(uuid.toUpperCase(), { rfc, nombre });
        }
      },
    };
  }

  /** The third party of the UUID written in upper case at `at`. */
  find(buffer: Buffer, at: number): Tercero | undefined {
    return this.#byUuid.get(buffer.toString('latin1', at, at + 36));
  }

  #add(uuid: string, tercero: Tercero): void {
    this.registros++;
    this.#bytes += tercero.rfc.length + tercero.nombre.length;
    if (this.registros > this.#limits.maxRegistros || this.#bytes > this.#limits.maxBytes) {
      throw this.#tooLarge(`pasa de ${this.#limits.maxRegistros} registros o ${this.#limits.maxBytes} bytes`);
    }
    const earlier = this.#byUuid.get(uuid);
    const joined = earlier === undefined ? tercero : join(earlier, tercero);
    if (joined === null) throw this.#tooLarge(`tiene más de ${MAX_JOINED} terceros para ${uuid}`);
    this.#byUuid.set(uuid, joined);
  }

  #tooLarge(detalle: string): PaqueteSatInvalido {
    return new PaqueteSatInvalido('DEMASIADO_GRANDE', this.#objectKey, `el archivo de terceros ${detalle}`);
  }
}

function copyField(buffer: Buffer, fields: RecordScanner, index: number): string {
  return buffer.toString('latin1', fields.starts[index] as number, fields.ends[index] as number);
}

/**
 * Joined field by field, so that the nth RFC and the nth name belong together; a pair that is there is not repeated.
 */
function join(earlier: Tercero, next: Tercero): Tercero | null {
  const rfcs = earlier.rfc.split('|');
  const nombres = earlier.nombre.split('|');
  if (rfcs.some((rfc, index) => rfc === next.rfc && nombres[index] === next.nombre)) return earlier;
  if (rfcs.length === MAX_JOINED) return null;
  return { rfc: `${earlier.rfc}|${next.rfc}`, nombre: `${earlier.nombre}|${next.nombre}` };
}

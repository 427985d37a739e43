import { PaqueteSatInvalido } from '@acuse/core';
import { createMemoryStore } from '../memoria.ts';
import { DEFAULT_LIMITS, ForeignTexts, openSatPackage, type PaqueteLimits } from '../zip/sat-package.ts';
import { type InvalidText, placeColumns, RecordReader, type RecordSink } from './record-reader.ts';

/** The facts that the metadata of CFDI and of CFDI de retenciones have in common. Texts as the SAT writes them. */
export interface FilaMetadata {
  /** Upper case. */
  readonly uuid: string;
  readonly emisorRfc: string;
  readonly receptorRfc: string;
  /** `yyyy-MM-ddTHH:mm:ss`, wall clock of central Mexico. */
  readonly fechaEmision: string;
  readonly monto: number;
  readonly isVigente: boolean;
}

const COLUMNS = [
  ['uuid'],
  ['rfcemisor'],
  ['rfcreceptor'],
  ['fechaemision'],
  ['monto', 'montototoperacion', 'montototaloperacion'],
  ['estatus'],
] as const;

const UUID = /^[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})$/;
const AMOUNT = /^-?\d{1,18}(?:\.\d{1,6})?$/;
/** Limit of a package read whole. It belongs to a synchronous answer, far smaller than streamed packages. */
const WHOLE_PACKAGE_BYTES = 64 * 1_048_576;

/**
 * Reads every row of a SAT metadata package that is in memory. Throws `PaqueteSatInvalido` for anything that is not
 * one; a row that cannot be understood is never left out.
 */
export async function readMetadata(
  zip: Buffer,
  signal: AbortSignal,
  limits: Partial<PaqueteLimits> = {},
): Promise<readonly FilaMetadata[]> {
  const name = 'paquete';
  const store = createMemoryStore(new Map([[name, zip]]));
  const all = { ...DEFAULT_LIMITS, maxInflatedBytes: 4 * WHOLE_PACKAGE_BYTES, ...limits };
  const satPackage = await openSatPackage(store, name, all, signal);
  const foreign = new ForeignTexts(satPackage);
  const rows: FilaMetadata[] = [];
  for (const text of satPackage.metadata) {
    const invalid: InvalidText = (motivo, detalle) => new PaqueteSatInvalido(motivo, text.name, detalle);
    const reader = new RecordReader(sinkOf(rows, invalid), invalid);
    try {
      for await (const chunk of text.open(signal)) reader.push(chunk as Buffer);
      reader.end();
    } catch (error) {
      foreign.add(text, error);
    }
  }
  return rows;
}

function sinkOf(rows: FilaMetadata[], invalid: InvalidText): RecordSink {
  let places: Int32Array = new Int32Array(0);
  return {
    header(names) {
      places = placeColumns(names, COLUMNS, invalid).places;
    },
    record(buffer, { starts, ends }, numero) {
      const [uuid = '', emisorRfc = '', receptorRfc = '', fecha = '', monto = '', estatus = ''] = Array.from(
        places,
        (place) => buffer.toString('utf8', starts[place], ends[place]),
      );
      const instant = INSTANT.exec(fecha);
      const isReadable =
        UUID.test(uuid.toUpperCase()) && instant !== null && AMOUNT.test(monto) && /^[01]$/.test(estatus);
      if (!isReadable || emisorRfc === '') {
        throw invalid('FILA', `el registro ${numero} tiene un valor que no se entiende`);
      }
      rows.push({
        uuid: uuid.toUpperCase(),
        emisorRfc,
        receptorRfc,
        fechaEmision: `${instant[1]}T${instant[2]}`,
        monto: Number(monto),
        isVigente: estatus === '1',
      });
    },
  };
}

import { type Filtros, PaqueteSatInvalido, type Periodo, type RowObserver, type TipoDescarga } from '@acuse/core';
import { parse } from 'csv-parse/sync';
import { BufferPool } from '../src/buffer-pool.ts';
import { type InvalidText, RecordReader, rfcColumnOf } from '../src/metadata/record-reader.ts';
import { Resumen } from '../src/metadata/resumen.ts';
import { Terceros } from '../src/metadata/terceros.ts';
import { MetadataTransformer, type RowJoin } from '../src/metadata/transform-metadata.ts';

const invalid: InvalidText = (motivo, detalle) => new PaqueteSatInvalido(motivo, 'key', detalle);
export const limits = { maxRegistros: 10_000, maxBytes: 1_000_000 };

/** Runs the transformer over the text cut at these offsets. */
export function run(
  text: string | Buffer,
  cuts: readonly number[] = [],
  options: {
    recortar?: Periodo;
    filtros?: Filtros;
    terceros?: string;
    tipo?: TipoDescarga;
    observers?: readonly RowObserver[];
    join?: RowJoin;
  } = {},
) {
  const terceros = new Terceros(limits, 'key');
  if (options.terceros !== undefined) {
    const reader = new RecordReader(terceros.sink(invalid), invalid);
    for (const chunk of cut(Buffer.from(options.terceros), cuts)) reader.push(chunk);
    reader.end();
  }
  const resumen = new Resumen();
  const { tipo = 'recibidos', observers = [], join = null } = options;
  const seen = { filtros: options.filtros ?? null, resumen, rfcColumn: rfcColumnOf(tipo), observers, join };
  const recortar = options.recortar ?? null;
  const transformer = new MetadataTransformer({ recortar, terceros, invalid, buffers: new BufferPool(), ...seen });
  const out: Buffer[] = [];
  for (const chunk of cut(Buffer.from(text), cuts)) out.push(...transformer.push(chunk));
  out.push(...transformer.end());
  return { csv: Buffer.concat(out), transformer, resumen };
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const offsets = [0, ...cuts.map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b), bytes.length];
  return offsets.slice(1).map((end, index) => bytes.subarray(offsets[index], end));
}

export function rowsOf(csv: Buffer): string[][] {
  return parse(csv, { relax_column_count: false, record_delimiter: '\r\n' }) as string[][];
}

export function motivoOf(work: () => unknown): { motivo: string; message: string } {
  try {
    work();
  } catch (error) {
    if (error instanceof PaqueteSatInvalido) return { motivo: error.motivo, message: error.message };
    throw error;
  }
  throw new Error('nothing was thrown');
}

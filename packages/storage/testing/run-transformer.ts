import { PaqueteSatInvalido, type Periodo, type TipoDescarga } from '@acuse/core';
import { type ContraparteVista, type RfcsListados, RfcsPorHuella } from '@acuse/riesgo';
import { parse } from 'csv-parse/sync';
import { Contrapartes } from '../../riesgo/src/contrapartes.ts';
import { type InvalidText, RecordReader, rfcColumnOf } from '../src/metadata/record-reader.ts';
import { Resumen } from '../src/metadata/resumen.ts';
import { Terceros } from '../src/metadata/terceros.ts';
import { MetadataTransformer } from '../src/metadata/transform-metadata.ts';

const invalid: InvalidText = (motivo, detalle) => new PaqueteSatInvalido(motivo, 'key', detalle);
export const limits = { maxRegistros: 10_000, maxBytes: 1_000_000 };

export interface Run {
  readonly csv: Buffer;
  readonly transformer: MetadataTransformer;
  readonly resumen: Resumen;
  readonly contrapartes: readonly ContraparteVista[] | null;
}

/** A set of these RFCs. */
export function rfcsOf(rfcs: readonly string[]): RfcsListados {
  const set = new RfcsPorHuella(rfcs.length);
  for (const rfc of rfcs) set.add(rfc);
  return set;
}

/** Runs the transformer over the text cut at these offsets. */
export function run(
  text: string | Buffer,
  cuts: readonly number[] = [],
  options: { recortar?: Periodo; terceros?: string; tipo?: TipoDescarga; listados?: readonly string[] } = {},
): Run {
  const terceros = new Terceros(limits, 'key');
  if (options.terceros !== undefined) {
    const reader = new RecordReader(terceros.sink(invalid), invalid);
    for (const chunk of cut(Buffer.from(options.terceros), cuts)) reader.push(chunk);
    reader.end();
  }
  const resumen = new Resumen();
  const { tipo = 'recibidos', listados } = options;
  const contrapartes = listados === undefined ? null : new Contrapartes(tipo, rfcsOf(listados));
  const seen = { resumen, rfcColumn: rfcColumnOf(tipo), observers: contrapartes === null ? [] : [contrapartes] };
  const recortar = options.recortar ?? null;
  const transformer = new MetadataTransformer({ recortar, terceros, invalid, ...seen });
  const out: Buffer[] = [];
  for (const chunk of cut(Buffer.from(text), cuts)) out.push(...transformer.push(chunk));
  out.push(...transformer.end());
  return { csv: Buffer.concat(out), transformer, resumen, contrapartes: contrapartes?.observed ?? null };
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

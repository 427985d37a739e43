import { PaqueteSatInvalido, type Periodo } from '@acuse/core';
import type { PaqueteLimits } from '../limits.ts';
import { type InvalidText, RecordReader } from '../metadata/record-reader.ts';
import type { Resumen } from '../metadata/resumen.ts';
import { Terceros } from '../metadata/terceros.ts';
import { MetadataTransformer } from '../metadata/transform-metadata.ts';
import { ForeignTexts, type SatPackage, type SatText } from '../zip/sat-package.ts';
import type { PaqueteLeido } from './manifest.ts';

/** The rows of `metadata.csv` that one package gives, and into `leido` and `resumen` what was seen while reading. */
export async function* csvRows(
  satPackage: SatPackage,
  recortar: Periodo | null,
  limits: PaqueteLimits,
  leido: PaqueteLeido,
  resumen: Resumen,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const terceros = await readTerceros(satPackage, limits, signal);
  leido.terceros = terceros.registros;
  const foreign = new ForeignTexts(satPackage);
  for (const text of satPackage.metadata) {
    const invalid = invalidIn(satPackage, text);
    const transformer = new MetadataTransformer({ recortar, terceros, invalid, resumen });
    try {
      for await (const chunk of text.open(signal)) yield* transformer.push(chunk as Buffer);
      yield* transformer.end();
    } catch (error) {
      foreign.add(text, error);
      continue;
    }
    leido.registros += transformer.registros;
    leido.fueraDePeriodo += transformer.recortados;
    leido.columnasAdicionales = [...new Set([...leido.columnasAdicionales, ...transformer.columnasExtra])];
  }
  leido.entradasIgnoradas = [...leido.entradasIgnoradas, ...foreign.names];
}

async function readTerceros(satPackage: SatPackage, limits: PaqueteLimits, signal: AbortSignal): Promise<Terceros> {
  const terceros = new Terceros(
    { maxRegistros: limits.maxTerceros, maxBytes: limits.maxTercerosBytes },
    satPackage.objectKey,
  );
  for (const text of satPackage.terceros) {
    const invalid = invalidIn(satPackage, text);
    const reader = new RecordReader(terceros.sink(invalid), invalid);
    for await (const chunk of text.open(signal)) reader.push(chunk as Buffer);
    reader.end();
  }
  return terceros;
}

function invalidIn(satPackage: SatPackage, text: SatText): InvalidText {
  return (motivo, detalle) => new PaqueteSatInvalido(motivo, satPackage.objectKey, `${text.name}: ${detalle}`);
}

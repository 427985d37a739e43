import type { MotivoFaltante, ParteXml, TipoDescarga } from '@acuse/core';
import { COMMA, compareInstant } from '../metadata/csv-bytes.ts';
import type { RowJoin } from '../metadata/transform-metadata.ts';
import type { XmlDelivery } from './deliver-xml.ts';
import { KNOWN } from './xml-index.ts';

/** First reading of the metadata: finds the rows, each UUID once however many rows it has. */
export function findRows(delivery: XmlDelivery): RowJoin {
  const { index } = delivery;
  return {
    row(out, uuid, _fecha, _isCancelado, at) {
      const place = index.placeOf(out, uuid);
      if (!index.has(place, KNOWN.row)) delivery.esperados++;
      index.mark(place, KNOWN.row);
      return at;
    },
    leftOut: (out, uuid) => index.mark(index.placeOf(out, uuid), KNOWN.leftOut),
  };
}

/** Characters of `cfdi/yyyy-MM/`, and of a UUID with `.xml`. */
const [FOLDER_LENGTH, FILE_LENGTH] = [13, 40];

/**
 * Second reading of the metadata: writes the path of the XML of each row as its last field, or gives the UUID a reason
 * why there is none. Several rows of a UUID have the same path; the first gives the reason.
 */
export function joinRows({ index, motivos }: XmlDelivery, tipo: TipoDescarga, partes: readonly ParteXml[]): RowJoin {
  const cuotas = partes
    .filter(({ motivo }) => motivo === 'CUOTA_DEL_DIA')
    .map(({ periodo }) => [Buffer.from(periodo.inicio), Buffer.from(periodo.fin)] as const);

  function motivoOf(out: Buffer, place: number, fecha: number, isCancelado: boolean): MotivoFaltante {
    if (index.has(place, KNOWN.unreadable)) return 'XML_ILEGIBLE';
    if (isCancelado && tipo === 'recibidos') return 'CANCELADO_RECIBIDO';
    const isIn = ([inicio, fin]: readonly [Buffer, Buffer]) =>
      compareInstant(out, fecha, inicio) >= 0 && compareInstant(out, fecha, fin) <= 0;
    return cuotas.some(isIn) ? 'CUOTA_DEL_DIA' : 'NO_ENTREGADO_POR_EL_SAT';
  }

  return {
    row(out, uuid, fecha, isCancelado, from) {
      const place = index.placeOf(out, uuid);
      if (!index.has(place, KNOWN.row)) throw new Error('the metadata has other rows when it is read again');
      out[from] = COMMA;
      if (!index.has(place, KNOWN.delivered)) {
        if (index.motivoOf(place) === null) {
          const motivo = motivoOf(out, place, fecha, isCancelado);
          index.setMotivo(place, motivo);
          motivos.set(motivo, (motivos.get(motivo) ?? 0) + 1);
        }
        return from + 1;
      }
      const at = from + 1 + FOLDER_LENGTH;
      out.write(index.folderAt(place), from + 1, 'latin1');
      out.copyWithin(at, uuid, uuid + FILE_LENGTH - XML.length);
      out.set(XML, at + FILE_LENGTH - XML.length);
      return at + FILE_LENGTH;
    },
    leftOut: () => undefined,
  };
}

const XML = Buffer.from('.xml');

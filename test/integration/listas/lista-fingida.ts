import { randomUUID } from 'node:crypto';
import type { FilaEfos, FilaListado, OpenLista } from '@acuse/listas';

/** `n` RFCs, all different. */
export const rfcs = (n: number, from = 0) =>
  Array.from({ length: n }, (_, i) => `AAA010101${(from + i).toString(36).toUpperCase().padStart(3, '0')}`);

export const CUANTAS = 2_000;
export const TODOS = rfcs(CUANTAS);

/** A version in which every row says the same, so that a mixture of two would show. */
export const filas = (marca: string, n = CUANTAS): FilaEfos[] =>
  TODOS.slice(0, n).map((rfc) => ({
    rfc,
    nombre: marca,
    situacion: 'DEFINITIVO',
    historial: [{ situacion: 'DEFINITIVO', oficio: marca, fechaSat: '2024-03-05', fechaDof: null }],
  }));

/** The same of another list. */
export const filasListado = (marca: string, n = CUANTAS): FilaListado[] =>
  TODOS.slice(0, n).map((rfc) => ({ rfc, nombre: marca, supuesto: 'FIRMES', publicada: '2024-03-05' }));

/** Content and behaviour of a version; defaults are those of a good source. */
export interface FakeList<F = FilaEfos> {
  readonly corte?: string;
  readonly filas?: readonly F[];
  readonly etag?: string | null;
  readonly sha256?: string;
  /** Waits before the rows from this one on. */
  readonly gate?: { readonly at: number; readonly open: Promise<unknown> };
  readonly failure?: unknown;
}

export const abrir = (fakeList: FakeList = {}): OpenLista<FilaEfos> => fakeLoad(fakeList, filas('a'));
export const abrirListado = (fakeList: FakeList<FilaListado> = {}): OpenLista<FilaListado> =>
  fakeLoad(fakeList, filasListado('a'));

function fakeLoad<F>(fakeList: FakeList<F>, others: readonly F[]): OpenLista<F> {
  const { corte = '2026-07-31', filas: rows = others, gate } = fakeList;
  return async () => ({
    fuente: 'https://example.com/lista.csv',
    etag: fakeList.etag ?? null,
    ultimaModificacion: null,
    fechaCorte: corte,
    batches: (async function* () {
      for (let at = 0; at < rows.length; at += 500) {
        if (gate !== undefined && at >= gate.at) await gate.open;
        yield rows.slice(at, at + 500);
      }
      if (fakeList.failure !== undefined) throw fakeList.failure;
    })(),
    sha256: () => fakeList.sha256 ?? randomUUID(),
    close: () => {},
  });
}

/** A source that has nothing newer, and notes what it was asked with. */
export const unchanged =
  (asked: unknown[]): OpenLista<FilaEfos> =>
  async (previa) => {
    asked.push(previa?.etag);
    return null;
  };

import { type AbrirListaEfos, type CargaListas, ListaRechazada, SatError } from '@acuse/core';
import type { Logger } from '@acuse/runtime';

export interface ListasDeps {
  readonly carga: Pick<CargaListas, 'cargar'>;
  readonly abrir: AbrirListaEfos;
  /** Rows that the list has at least. */
  readonly minFilas: number;
  readonly log: Logger;
  /** Called when the list was looked at, whatever came of it. */
  readonly beat: () => Promise<unknown>;
}

/**
 * Brings the list of article 69-B up to date. What keeps it from that is logged and noted beside the list, whose current version goes on
 * serving; the next attempt follows from that note.
 */
export function createListas({ carga, abrir, minFilas, log, beat }: ListasDeps) {
  return async (signal: AbortSignal): Promise<void> => {
    try {
      const resultado = await carga.cargar({ abrir, minFilas }, signal);
      if (resultado.resultado === 'OTRA_EN_CURSO') return;
      const { fechaCorte, filas, sha256 } = resultado.version;
      log.info({ resultado: resultado.resultado, fechaCorte, filas, sha256 }, 'list 69-B is up to date');
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof SatError || error instanceof ListaRechazada;
      log.error(isKnown ? { motivo: error.message } : { err: error }, 'list 69-B was not loaded');
    }
    await beat();
  };
}

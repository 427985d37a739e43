import type { FilaCfdi } from '../../integration/almacen/csv.ts';

/** What a store says of a CFDI. */
export interface Known {
  /** `vigente`, date of cancellation, amount, counterparty and kind, in one text. */
  readonly data: string;
  readonly isVigente: boolean;
  readonly canceladaEn: string | null;
  readonly isAusente: boolean;
}

/** A reading as it was answered by the SAT. */
export interface Answered {
  readonly desde: string;
  readonly hasta: string;
  readonly filas: readonly FilaCfdi[];
}

/** The rule of ADR 32 in other words: so many that are missing are believed at once, and such a share of those known. */
const [FEW, SHARE] = [20, 0.2];

export const dataOf = (recibido: boolean, fila: FilaCfdi): string => {
  const [rfc, nombre] = recibido ? fila.emisor : fila.receptor;
  return JSON.stringify([fila.cancelada ?? null, Number(fila.monto), rfc, nombre, fila.efecto]);
};

/**
 * What a store of one kind should be and tell after each reading, computed row by row from the SAT's answers: what the
 * product computes in one statement.
 */
export function createMirror(recibido: boolean) {
  const known = new Map<string, Known & { readonly day: string }>();
  const before = new Map<string, { hasta: string; isDudosa: boolean }[]>();
  return {
    known: known as ReadonlyMap<string, Known>,
    /** Takes an answer in, and gives the changes that are to be told of it, in any order: `class uuid`. */
    read({ desde, hasta, filas }: Answered): { readonly told: readonly string[]; readonly isDudosa: boolean } {
      const same = before.get(desde) ?? [];
      const wasDudosa = same.findLast((reading) => reading.hasta <= hasta)?.isDudosa ?? false;
      const given = new Map(filas.map((fila) => [fila.uuid, fila]));
      const present = [...known].filter(([, { day, isAusente }]) => day >= desde && day <= hasta && !isAusente);
      const missing = present.filter(([uuid]) => !given.has(uuid));
      // An answer by the portal alone is never confirmed when it is empty.
      const isDudosa =
        missing.length > 0 &&
        (given.size === 0 || (missing.length > FEW && missing.length > SHARE * present.length && !wasDudosa));
      before.set(desde, [...same, { hasta, isDudosa }]);
      const told: string[] = [];
      for (const [uuid, fila] of given) {
        const before = known.get(uuid);
        const canceladaEn = fila.cancelada ?? null;
        const now = { data: dataOf(recibido, fila), isVigente: canceladaEn === null, canceladaEn, isAusente: false };
        known.set(uuid, { ...now, day: fila.emitida.slice(0, 10) });
        if (before === undefined) {
          told.push(`nuevo ${uuid}`);
          continue;
        }
        if (before.isAusente) told.push(`presente ${uuid}`);
        if (before.isVigente !== now.isVigente) told.push(`${now.isVigente ? 'vigente' : 'cancelado'} ${uuid}`);
        else if (before.data !== now.data) told.push(`corregido ${uuid}`);
      }
      if (!isDudosa)
        for (const [uuid, before] of missing) {
          known.set(uuid, { ...before, isAusente: true });
          told.push(`ausente ${uuid}`);
        }
      return { told, isDudosa };
    },
  };
}

import type { Periodo } from '@acuse/core';

/** The parts of a period that lie in one calendar month each, in order. */
export function splitMeses(periodo: Periodo): Periodo[] {
  return splitBy(periodo, (inicio) => {
    const [anio = 0, mes = 0] = inicio.split('-').map(Number);
    return isoOf(Date.UTC(anio, mes, 1) / 1000 - 1);
  });
}

/** The parts of a period that lie in one day each, in order. */
export function splitDias(periodo: Periodo): Periodo[] {
  return splitBy(periodo, (inicio) => `${inicio.slice(0, 10)}T23:59:59`);
}

/** Both halves of a period; null for a single second. */
export function splitMitades({ inicio, fin }: Periodo): [Periodo, Periodo] | null {
  if (inicio === fin) return null;
  const half = Math.floor((secondOf(inicio) + secondOf(fin)) / 2);
  return [
    { inicio, fin: isoOf(half) },
    { inicio: isoOf(half + 1), fin },
  ];
}

export function isUnDia({ inicio, fin }: Periodo): boolean {
  return inicio.slice(0, 10) === fin.slice(0, 10);
}

/** Whether a date lies in a period; of a day without time only that is asked. */
export function isDentro(fecha: string, { inicio, fin }: Periodo): boolean {
  return fecha >= inicio.slice(0, fecha.length) && fecha <= fin.slice(0, fecha.length);
}

function splitBy({ inicio, fin }: Periodo, endOf: (inicio: string) => string): Periodo[] {
  const partes: Periodo[] = [];
  for (let from = inicio; from <= fin; ) {
    const end = endOf(from);
    const to = end < fin ? end : fin;
    partes.push({ inicio: from, fin: to });
    from = isoOf(secondOf(to) + 1);
  }
  return partes;
}

/**
 * The wall clock of central Mexico has had no daylight saving since 2022 and none is wanted here: seconds of the clock,
 * as if it were UTC.
 */
function secondOf(instante: string): number {
  return Date.parse(`${instante}Z`) / 1000;
}

function isoOf(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, 19);
}

import { type Periodo, SatError } from '@acuse/core';
import { compare, ilegible } from '../../texto.ts';

/** What one search of a portal is asked for. */
export interface Pregunta {
  readonly periodo: Periodo;
  readonly estado: 'todos' | 'VIGENTE' | 'CANCELADO';
}

export interface Hallazgo<F> {
  readonly filas: readonly F[];
  /** The portal shows only the first of its rows. */
  readonly topada: boolean;
}

export interface RowToGather {
  readonly uuid: string;
  /** `yyyy-MM-ddTHH:mm:ss`, or the day alone where the portal shows no time. */
  readonly fechaEmision: string;
  readonly total: number;
  readonly estado: 'VIGENTE' | 'CANCELADO';
}

interface Reunion<F> {
  /** Disjoint periods that together are the one asked for. */
  readonly periodos: readonly Periodo[];
  ask(pregunta: Pregunta): Promise<Hallazgo<F>>;
  /** Divides a period whose answer was capped; null when it is a single second. */
  split(periodo: Periodo): readonly Periodo[] | null;
  /** More rows than this are not gathered. */
  readonly maximo: number;
}

/**
 * Gathers every row of a portal that shows only the first of them, by smaller and smaller questions: parts of the
 * period, down to one second, and there by state. Gives the rows by `fechaEmision` and then `uuid`, each UUID once, or
 * null as soon as more than `maximo` were seen.
 *
 * The list is complete or the promise rejects: PETICION_RECHAZADA (LIMITE) when one second and state has more rows than
 * the portal shows; RESPUESTA_ILEGIBLE when a row is not one that was asked for, when a row of a capped answer is
 * missing from the answers of its parts, or when two rows with one UUID differ in date or total. A CFDI whose state
 * changes between two answers counts as the last of them says.
 */
export async function collect<F extends RowToGather>(reunion: Reunion<F>): Promise<readonly F[] | null> {
  const vistas = new Map<string, F>();

  /** The UUIDs that the answers to a question, or to its parts, hold; null to give up. */
  async function gather(pregunta: Pregunta): Promise<ReadonlySet<string> | null> {
    const { filas, topada } = await reunion.ask(pregunta);
    for (const fila of filas) see(fila, pregunta);
    if (vistas.size > reunion.maximo) return null;
    const propias = new Set(filas.map(({ uuid }) => uuid));
    if (!topada) return propias;

    const gathered = new Set<string>();
    for (const parte of partsOf(pregunta)) {
      const suyas = await gather(parte);
      if (suyas === null) return null;
      for (const uuid of suyas) gathered.add(uuid);
    }
    for (const uuid of propias) if (!gathered.has(uuid)) throw ilegible('busqueda: las partes no suman');
    return gathered;
  }

  function see(fila: F, { periodo, estado }: Pregunta): void {
    if (!isWithin(fila.fechaEmision, periodo)) throw ilegible('busqueda: fila de otra fecha');
    if (estado !== 'todos' && fila.estado !== estado) throw ilegible('busqueda: fila de otro estado');
    const before = vistas.get(fila.uuid);
    if (before !== undefined && (before.total !== fila.total || before.fechaEmision !== fila.fechaEmision)) {
      throw ilegible('busqueda: un folio con dos filas distintas');
    }
    vistas.set(fila.uuid, fila);
  }

  function partsOf({ periodo, estado }: Pregunta): readonly Pregunta[] {
    const partes = reunion.split(periodo);
    if (partes !== null) return partes.map((parte) => ({ periodo: parte, estado }));
    if (estado === 'todos') {
      return [
        { periodo, estado: 'VIGENTE' },
        { periodo, estado: 'CANCELADO' },
      ];
    }
    throw new SatError('PETICION_RECHAZADA', {
      codigo: 'LIMITE',
      detalle: 'un segundo con más comprobantes de los que el portal muestra',
    });
  }

  for (const periodo of reunion.periodos) {
    if ((await gather({ periodo, estado: 'todos' })) === null) return null;
  }
  return [...vistas.values()].sort((a, b) => compare(a.fechaEmision, b.fechaEmision) || compare(a.uuid, b.uuid));
}

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
export function splitHalves({ inicio, fin }: Periodo): [Periodo, Periodo] | null {
  if (inicio === fin) return null;
  const half = Math.floor((secondOf(inicio) + secondOf(fin)) / 2);
  return [
    { inicio, fin: isoOf(half) },
    { inicio: isoOf(half + 1), fin },
  ];
}

/** The days of a longer part of a month, the halves of a day; null for a single second. */
export function splitDaysOrHalves(periodo: Periodo): readonly Periodo[] | null {
  return isUnDia(periodo) ? splitHalves(periodo) : splitDias(periodo);
}

export function isUnDia({ inicio, fin }: Periodo): boolean {
  return inicio.slice(0, 10) === fin.slice(0, 10);
}

/** Whether a date lies in a period; of a day without time only that is asked. */
export function isWithin(fecha: string, { inicio, fin }: Periodo): boolean {
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

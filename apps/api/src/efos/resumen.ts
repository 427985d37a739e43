import type { FilaEfos, PasoEfos, SituacionEfos } from '@acuse/core';

type Fila = Pick<FilaEfos, 'situacion' | 'historial'>;

/** The list's own words. */
export const SITUACIONES = ['Presunto', 'Desvirtuado', 'Definitivo', 'Sentencia Favorable'] as const;
type Palabra = (typeof SITUACIONES)[number];

const PALABRAS: Record<SituacionEfos, Palabra> = {
  PRESUNTO: 'Presunto',
  DESVIRTUADO: 'Desvirtuado',
  DEFINITIVO: 'Definitivo',
  SENTENCIA_FAVORABLE: 'Sentencia Favorable',
};

export interface ResumenEfos {
  /** Presumed or definitive in any of its proceedings: the other two situations clear the taxpayer. */
  readonly enEfos: boolean;
  /**
   * What counts of an RFC with several proceedings: definitive, else presumed, else the newest. Null for one that is
   * not listed.
   */
  readonly situacion: Palabra | null;
  /** The stages of all its proceedings, the oldest first, those without a date at the end. */
  readonly historial: {
    situacion: Palabra;
    fecha: string | null;
    oficio: string | null;
    fecha_dof: string | null;
  }[];
}

/** The day a stage was published: on the SAT's page, or in the DOF where the list has no other. */
const fechaDe = ({ fechaSat, fechaDof }: PasoEfos) => fechaSat ?? fechaDof;

/** The stages of a proceeding; its situation is one of them even where the list says nothing more of it. */
function pasosDe({ situacion, historial }: Fila): readonly PasoEfos[] {
  if (historial.some((paso) => paso.situacion === situacion)) return historial;
  return [...historial, { situacion, oficio: null, fechaSat: null, fechaDof: null }];
}

const ultimaFecha = (fila: Fila) =>
  pasosDe(fila)
    .map((paso) => (paso.situacion === fila.situacion ? fechaDe(paso) : null))
    .reduce<string>((last, fecha) => (fecha !== null && fecha > last ? fecha : last), '');

/** One answer from all the proceedings of an RFC. */
export function resumirEfos(filas: readonly Fila[]): ResumenEfos {
  const adversa = (['DEFINITIVO', 'PRESUNTO'] as const).find((situacion) =>
    filas.some((fila) => fila.situacion === situacion),
  );
  const ultima = filas.reduce<Fila | null>(
    (last, fila) => (last === null || ultimaFecha(fila) >= ultimaFecha(last) ? fila : last),
    null,
  );
  const situacion = adversa ?? ultima?.situacion;
  const pasos = filas.flatMap(pasosDe).map((paso) => ({
    situacion: PALABRAS[paso.situacion],
    fecha: fechaDe(paso),
    oficio: paso.oficio,
    fecha_dof: paso.fechaDof,
  }));
  return {
    enEfos: adversa !== undefined,
    situacion: situacion === undefined ? null : PALABRAS[situacion],
    historial: pasos.sort((a, b) => (a.fecha ?? '9').localeCompare(b.fecha ?? '9')),
  };
}

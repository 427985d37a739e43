import { MESES } from '../world/texts.ts';

/** A period of a fiscal year. */
export type Periodo = {
  /** Three digits, the value of its option. */
  clave: string;
  nombre: string;
  /** Its last month, 1 to 12. */
  ultimoMes: number;
  /** Days after its end within which taxpayers of the simulator file. */
  plazoDias: number;
  conceptos: readonly string[];
};

export type Periodicidad = {
  /** The value of its option. */
  clave: string;
  nombre: string;
  /** How the table of results words it. */
  celda: string;
  periodos: readonly Periodo[];
};

/** M with 001 to 012: as a public client of the portal sends them. */
export const MENSUAL: Periodicidad = {
  clave: 'M',
  nombre: 'Mensual',
  celda: '1-Mensual',
  periodos: MESES.map((mes, i) => ({
    clave: String(i + 1).padStart(3, '0'),
    nombre: mes.charAt(0).toUpperCase() + mes.slice(1),
    ultimoMes: i + 1,
    plazoDias: 20,
    conceptos: ['ISR', 'IVA'],
  })),
};

/** The whole year; its option values are ours. */
export const ANUAL: Periodicidad = {
  clave: 'A',
  nombre: 'Del Ejercicio',
  celda: '5-Del Ejercicio',
  periodos: [{ clave: '035', nombre: 'Del Ejercicio', ultimoMes: 12, plazoDias: 110, conceptos: ['ISR'] }],
};

export const PERIODICIDADES: readonly Periodicidad[] = [MENSUAL, ANUAL];

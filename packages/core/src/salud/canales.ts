import type { CanalMedido } from '../ports/autoridad.ts';
import { percentile, sumaDe } from './histograma.ts';

/** Channels with a published state. Lists have none: they are asked for once a day. */
export const CANALES_CON_ESTADO = ['soap', 'portal', 'publico'] as const satisfies readonly CanalMedido[];

export type CanalConEstado = (typeof CANALES_CON_ESTADO)[number];

export const ESTADOS_CANAL = ['NORMAL', 'LENTO', 'CON_FALLAS', 'SIN_DATOS'] as const;
export type EstadoCanal = (typeof ESTADOS_CANAL)[number];

/** What a channel's state goes by; pages and documents tell these very numbers. */
export const UMBRALES = {
  /** Minutes of each sum, and between two looks back. */
  pasoMinutos: 5,
  /** Minutes of the newest requests, at most, that a state rests on: no more of them than `peticiones` need. */
  ventanaMinutos: 30,
  /** Hours that are looked back for the beginning of a bad state. */
  horas: 24,
  /** Requests below which no state is published. */
  peticiones: 20,
  /** Share of them that failed or were not sent, from which on the channel fails. */
  fallas: 0.2,
  /** Milliseconds that one in ten reaches, from which on the channel is slow. */
  lentoMs: 10_000,
} as const;

const PASO_MS = UMBRALES.pasoMinutos * 60_000;
const PASOS_POR_VENTANA = UMBRALES.ventanaMinutos / UMBRALES.pasoMinutos;

/** The requests of one channel in the {@link UMBRALES.pasoMinutos} minutes from `desde`, a multiple of them. */
export interface TramoCanal {
  readonly canal: CanalMedido;
  readonly desde: Date;
  readonly exitos: number;
  readonly rechazos: number;
  readonly fallos: number;
  /** Not sent, because the server was known to be down. */
  readonly evitadas: number;
  readonly cubetas: readonly number[];
}

/** How the SAT answers at a channel. */
export interface SaludCanal {
  readonly canal: CanalConEstado;
  readonly estado: EstadoCanal;
  /** Since when the channel has been bad, at most a day back; null unless it is. */
  readonly desde: Date | null;
  /** Share that failed, 0 to 1, to the hundredth; null without data, as what follows. */
  readonly fallas: number | null;
  /** Whole milliseconds, to two digits. */
  readonly medianaMs: number | null;
  readonly p90Ms: number | null;
}

/** Milliseconds since 1970 from which on sums are needed to tell of `now`. */
export function desdeCuandoSeMira(now: Date): Date {
  return new Date(pasoDe(now.getTime()) - UMBRALES.horas * 3_600_000 - UMBRALES.ventanaMinutos * 60_000);
}

const pasoDe = (ms: number) => Math.floor(ms / PASO_MS) * PASO_MS;

/** The state of one channel at `now` by the sums of the day before it, in any order. */
export function saludDeCanal(canal: CanalConEstado, tramos: readonly TramoCanal[], now: Date): SaludCanal {
  const propios = new Map<number, TramoCanal[]>();
  for (const tramo of tramos) {
    if (tramo.canal !== canal) continue;
    const paso = tramo.desde.getTime();
    propios.set(paso, [...(propios.get(paso) ?? []), tramo]);
  }
  const at = (paso: number) => {
    const recientes: TramoCanal[] = [];
    for (let n = 0; n < PASOS_POR_VENTANA && cuentasDe(recientes).peticiones < UMBRALES.peticiones; n += 1)
      recientes.push(...(propios.get(paso - n * PASO_MS) ?? []));
    return medidaDe(recientes);
  };
  const ultimo = pasoDe(now.getTime());
  const { estado, ...cifras } = at(ultimo);
  if (estado === 'NORMAL' || estado === 'SIN_DATOS') return { canal, estado, desde: null, ...cifras };
  let desde = ultimo;
  for (let paso = ultimo; paso >= ultimo - UMBRALES.horas * 3_600_000; paso -= PASO_MS) {
    const antes = at(paso).estado;
    if (antes === 'NORMAL') break;
    // A half hour without data neither ends a bad state nor prolongs it.
    if (antes !== 'SIN_DATOS') desde = paso;
  }
  return { canal, estado, desde: new Date(desde), ...cifras };
}

/** Requests with a known answer, and how many of them failed or were held back. */
function cuentasDe(tramos: readonly TramoCanal[]) {
  const sum = (campo: 'exitos' | 'rechazos' | 'fallos' | 'evitadas') =>
    tramos.reduce((total, tramo) => total + tramo[campo], 0);
  const malas = Math.max(0, sum('fallos') + sum('evitadas'));
  return { malas, peticiones: malas + Math.max(0, sum('exitos') + sum('rechazos')) };
}

function medidaDe(tramos: readonly TramoCanal[]): Pick<SaludCanal, 'estado' | 'fallas' | 'medianaMs' | 'p90Ms'> {
  const { malas, peticiones } = cuentasDe(tramos);
  if (peticiones < UMBRALES.peticiones) return { estado: 'SIN_DATOS', fallas: null, medianaMs: null, p90Ms: null };
  const parte = malas / peticiones;
  const cubetas = sumaDe(tramos.map((tramo) => tramo.cubetas));
  const p90 = percentile(cubetas, 0.9);
  const isLento = p90 !== null && p90 >= UMBRALES.lentoMs;
  return {
    estado: parte >= UMBRALES.fallas ? 'CON_FALLAS' : isLento ? 'LENTO' : 'NORMAL',
    fallas: Math.round(parte * 100) / 100,
    medianaMs: twoDigits(percentile(cubetas, 0.5)),
    p90Ms: twoDigits(p90),
  };
}

const twoDigits = (ms: number | null) => (ms === null ? null : Math.max(1, Math.round(Number(ms.toPrecision(2)))));

import { toSeconds } from '@acuse/core';
import type { Row, Tipo } from '@acuse/simulador';
import { expect } from 'vitest';
import { notificacionesDe } from '../../../apps/simulador/src/buzon/agr.ts';
import { comunicadosDe } from '../../../apps/simulador/src/buzon/aplicacionesc.ts';
import { createAperturas } from '../../../apps/simulador/src/buzon/llegadas.ts';
import { declaracionesAnterioresOf, declaracionesOf } from '../../../apps/simulador/src/pstcdypisr/declaraciones.ts';
import { type Caller, expectOk, type Servicio } from '../fixtures/servicio.ts';

/**
 * What the simulated authority knows, in the words and the order of the interface: the answers are compared with this.
 */

/** Legal entities and natural persons, with the characters that break encodings and without. */
export const CONTRIBUYENTES = [
  ['persona moral', 'Ñ&A010203AB1'],
  ['persona física', 'ÑU&O850412H73'],
] as const;

const EFECTOS = { I: 'Ingreso', E: 'Egreso', P: 'Pago', N: 'Nómina', T: 'Traslado' } as const;

export interface Dias {
  readonly desde: string;
  readonly hasta: string;
}

/** The rows of whole days. */
export function rowsOf(
  { simulador }: Servicio,
  rfc: string,
  { desde, hasta }: Dias,
  tipo: Tipo = 'recibidos',
  documento: 'cfdi' | 'retenciones' = 'cfdi',
): Row[] {
  const [inicio, fin] = [toSeconds(`${desde}T00:00:00`), toSeconds(`${hasta}T23:59:59`)];
  return [...simulador.world.taxpayers.rows(rfc, tipo, inicio, fin, { documento })];
}

/** A name with its line feeds and runs of blanks as HTML shows them; nothing is null. */
const shown = (nombre: string) => nombre.replace(/\s+/g, ' ').trim() || null;

/** The received CFDI of a period: by moment of issue, then UUID. */
export function facturasOf(servicio: Servicio, rfc: string, dias: Dias) {
  return rowsOf(servicio, rfc, dias)
    .map((row) => ({
      uuid: row.uuid,
      emisor_rfc: row.rfcEmisor,
      total: Number(row.monto),
      fecha: row.fechaEmision.slice(0, 10),
      emisor_nombre: shown(row.nombreEmisor),
      fecha_emision: row.fechaEmision.replace(' ', 'T'),
      tipo_comprobante: EFECTOS[row.efecto],
      estado: row.estatus === 'Vigente' ? 'VIGENTE' : 'CANCELADO',
    }))
    .sort(by(({ fecha_emision, uuid }) => fecha_emision + uuid));
}

/** The retenciones of a year, received and issued: by day, then UUID. */
export function retencionesOf(servicio: Servicio, rfc: string, ejercicio: number) {
  const dias = { desde: `${ejercicio}-01-01`, hasta: `${ejercicio}-12-31` };
  return (['recibidos', 'emitidos'] as const)
    .flatMap((tipo) =>
      rowsOf(servicio, rfc, dias, tipo, 'retenciones').map((row) => ({
        uuid: row.uuid,
        emisor_rfc: row.rfcEmisor,
        receptor_rfc: row.rfcReceptor,
        total: Number(row.monto),
        fecha: row.fechaEmision.slice(0, 10),
        estado: row.estatus === 'Vigente' ? 'VIGENTE' : 'CANCELADO',
        tipo: tipo === 'recibidos' ? 'RECIBIDA' : 'EMITIDA',
      })),
    )
    .sort(by(({ fecha, uuid }) => fecha + uuid));
}

/** Newest first. The page has no id for a message, so there is none here. */
export function comunicadosOf({ simulador }: Servicio, rfc: string, { desde, hasta }: Dias) {
  return comunicadosDe(simulador.world, rfc, createAperturas())
    .map(({ cuando, asunto, isLeido }) => ({ fecha: dayOf(cuando), asunto: shown(asunto), leido: isLeido }))
    .filter(({ fecha }) => desde <= fecha && fecha <= hasta);
}

/** Newest first. */
export function notificacionesOf({ simulador }: Servicio, rfc: string) {
  return notificacionesDe(simulador.world, rfc, createAperturas())
    .map(({ folio, autoridad, acto, aviso }) => ({ id: folio, autoridad, asunto: acto, fecha: dayOf(aviso) }))
    .sort((a, b) => (a.fecha === b.fecha ? (a.id < b.id ? -1 : 1) : a.fecha < b.fecha ? 1 : -1));
}

/** By day of filing, then number. */
export function declaracionesDe({ simulador }: Servicio, rfc: string, ejercicio: number) {
  return [
    ...declaracionesOf(simulador.world, rfc, ejercicio),
    ...declaracionesAnterioresOf(simulador.world, rfc, ejercicio),
  ]
    .map((declaracion) => ({
      id: declaracion.numeroOperacion,
      tipo: declaracion.tipo,
      periodicidad: declaracion.periodicidad.nombre,
      periodo: declaracion.periodo.nombre,
      ejercicio,
      fecha: dayOf(declaracion.presentacion),
      complementaria: declaracion.tipo === 'Complementaria',
      estado: declaracion.isReplaced ? 'No vigente' : 'Vigente',
      tipo_complementaria: declaracion.tipoComplementaria || null,
      linea_captura: declaracion.lineaCaptura || null,
    }))
    .sort(by(({ fecha, id }) => fecha + id));
}

/**
 * Lets no time pass at the simulated authority from now on, so that what it knows when it is asked is what it knew
 * before. Gives what undoes it.
 */
export function stopClock({ simulador }: Servicio, aheadMs = 0): () => void {
  const { clock } = simulador.world;
  const { now } = clock;
  const ahora = now().getTime() + aheadMs;
  clock.now = () => new Date(ahora);
  return () => {
    clock.now = now;
  };
}

/** Today in central Mexico plus some days, `yyyy-MM-dd`. */
export const hoy = (mas = 0) => new Date(Date.now() + mas * 86_400_000 - 6 * 3_600_000).toISOString().slice(0, 10);

/** The calendar day of a wall clock in seconds. */
function dayOf(cuando: number): string {
  return new Date(cuando * 1_000).toISOString().slice(0, 10);
}

function by<T>(key: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

/** What a list answers: as many items as it says. */
export async function itemsOf(caller: Caller, path: string, body: object = {}): Promise<Record<string, unknown>[]> {
  const data = await expectOk(caller.call(path, { rfc: caller.rfc, ...body }));
  const items = data['items'] as Record<string, unknown>[];
  expect(data['total']).toBe(items.length);
  return items;
}

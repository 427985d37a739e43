import { parseRfc } from '@acuse/contract';
import { type CursorMovimiento, type FiltroMovimientos, TIPOS_MOVIMIENTO, type TipoMovimiento } from '@acuse/db';
import { addDias, startOfDia } from '@acuse/page/dia-mexico';

/** The filters of the ledger as they stand in its address: what could not be read is left out and named in `faltas`. */
export type FiltroLibro = {
  readonly desde?: string;
  readonly hasta?: string;
  readonly rfc?: string;
  readonly operacion?: string;
  readonly tipo?: TipoMovimiento;
  /** Readings of subscriptions, by day; without it all but them. */
  readonly origen?: 'lecturas';
  /** Oldest first. */
  readonly orden?: 'antiguas';
};

export interface LecturaFiltro {
  readonly filtro: FiltroLibro;
  readonly faltas: Readonly<Partial<Record<keyof FiltroLibro, string>>>;
}

/** Reads the filters of an address. */
export function readFilter(consulta: URLSearchParams): LecturaFiltro {
  const filtro: { -readonly [K in keyof FiltroLibro]: FiltroLibro[K] } = {};
  const faltas: Partial<Record<keyof FiltroLibro, string>> = {};
  for (const campo of ['desde', 'hasta'] as const) {
    const dia = fieldOf(consulta, campo);
    if (dia === '') continue;
    if (startOfDia(dia)) filtro[campo] = dia;
    else faltas[campo] = 'Escriba un día que exista, como 2026-11-21. Por ahora no se filtra por él.';
  }
  if (filtro.desde && filtro.hasta && filtro.desde > filtro.hasta) {
    faltas.hasta = 'Es anterior al primer día. Por ahora no se filtra por él.';
    delete filtro.hasta;
  }
  const rfc = fieldOf(consulta, 'rfc');
  const leido = rfc === '' ? null : parseRfc(rfc);
  if (leido !== null) filtro.rfc = leido;
  else if (rfc !== '') faltas.rfc = 'No tiene el formato de un RFC. Por ahora no se filtra por él.';
  const operacion = fieldOf(consulta, 'operacion');
  if (/^[a-z-]{1,40}(\/[a-z-]{1,60})?$/.test(operacion)) filtro.operacion = operacion;
  const tipo = TIPOS_MOVIMIENTO.find((conocido) => conocido === fieldOf(consulta, 'tipo'));
  if (tipo) filtro.tipo = tipo;
  if (fieldOf(consulta, 'origen') === 'lecturas') filtro.origen = 'lecturas';
  if (fieldOf(consulta, 'orden') === 'antiguas') filtro.orden = 'antiguas';
  return { filtro, faltas };
}

const fieldOf = (consulta: URLSearchParams, campo: string) => (consulta.get(campo) ?? '').trim();

/** The same filters for the database: days of central Mexico as instants. */
export function toFiltroMovimientos(filtro: FiltroLibro): FiltroMovimientos {
  const { desde, hasta, origen: _, orden: __, ...resto } = filtro;
  const inicio = desde ? startOfDia(desde) : null;
  const fin = hasta ? startOfDia(addDias(hasta, 1)) : null;
  return { ...resto, ...(inicio ? { desde: inicio } : {}), ...(fin ? { hasta: fin } : {}) };
}

/** A place in the ledger as text for an address. */
export function formatCursor({ creadoEn, id }: CursorMovimiento): string {
  return `${creadoEn.getTime()}-${id}`;
}

/** Reads a place in the ledger; null for anything else. */
export function parseCursor(texto: string | null): CursorMovimiento | null {
  const [, ms, id] = /^(\d{1,14})-(\d{1,18})$/.exec(texto ?? '') ?? [];
  return ms && id ? { creadoEn: new Date(Number(ms)), id } : null;
}

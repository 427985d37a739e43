import { ESTADOS_SOLICITUD, type EstadoSolicitud, isFecha, parseRfc } from '@acuse/contract';
import type { TipoDescarga } from '@acuse/core';
import { type Cursor, type FiltroSolicitudes, isUuid } from '@acuse/db';
import { addDias, startOfDia } from '@acuse/page/dia-mexico';

/** Names of the filters in the address, in the order of the form. */
const CAMPOS = [
  'rfc',
  'tipo',
  'estado',
  'periodo_desde',
  'periodo_hasta',
  'creada_desde',
  'creada_hasta',
  'id',
  'orden',
  'origen',
] as const;
type CampoFiltro = (typeof CAMPOS)[number];

export interface FiltroLeido {
  readonly filtro: FiltroSolicitudes;
  readonly cursor: Cursor | null;
  /** Typed values for the form. */
  readonly valores: Readonly<Partial<Record<CampoFiltro, string>>>;
  /** Fault of a field, which then filters nothing. */
  readonly faltas: Readonly<Partial<Record<CampoFiltro, string>>>;
}

const PART_OF_ID = /^[0-9a-f-]{4,36}$/;

const isDia = (text: string) => startOfDia(text) !== null;

const NO_DAY = 'Escriba el día como año-mes-día, por ejemplo 2025-03-31.';

const isTipo = (text: string | undefined): text is TipoDescarga => text === 'emitidos' || text === 'recibidos';
const isEstado = (text: string | undefined): text is EstadoSolicitud =>
  ESTADOS_SOLICITUD.some((estado) => estado === text);

/** Reads the filters of an address. A faulty field filters nothing and shows its fault. */
export function readFilter(query: (name: string) => string | undefined): FiltroLeido {
  const valores: Partial<Record<CampoFiltro, string>> = {};
  const faltas: Partial<Record<CampoFiltro, string>> = {};
  for (const campo of CAMPOS) {
    const text = query(campo)?.trim().slice(0, 60);
    if (text) valores[campo] = text;
  }
  const day = (campo: CampoFiltro, isDay: (text: string) => boolean): string | null => {
    const text = valores[campo];
    if (text === undefined) return null;
    if (isDay(text)) return text;
    faltas[campo] = NO_DAY;
    return null;
  };
  const [from, until] = [day('periodo_desde', isFecha), day('periodo_hasta', isFecha)];
  const [since, last] = [day('creada_desde', isDia), day('creada_hasta', isDia)];
  const [desde, hasta] = [since && startOfDia(since), last && startOfDia(addDias(last, 1))];
  const rfc = parseRfc(valores.rfc);
  const id = valores.id?.toLowerCase();
  if (valores.rfc !== undefined && rfc === null) faltas.rfc = 'Elija uno de sus RFC.';
  if (id !== undefined && !PART_OF_ID.test(id))
    faltas.id = 'Escriba al menos 4 caracteres del identificador: dígitos, letras de la a a la f y guiones.';
  const filtro: FiltroSolicitudes = {
    ...(rfc === null ? {} : { rfc }),
    ...(isTipo(valores.tipo) ? { tipo: valores.tipo } : {}),
    ...(isEstado(valores.estado) ? { estado: valores.estado } : {}),
    ...(from || until ? { periodo: { desde: from ?? '0001-01-01', hasta: until ?? '9999-12-31' } } : {}),
    ...(desde || hasta ? { creada: { ...(desde ? { desde } : {}), ...(hasta ? { hasta } : {}) } } : {}),
    isLectura: valores.origen === 'lecturas',
    ...(id !== undefined && !faltas.id ? { texto: id } : {}),
  };
  return { filtro, cursor: readCursor(query), valores, faltas };
}

function readCursor(query: (name: string) => string | undefined): Cursor | null {
  const [antes, despues] = [query('antes'), query('despues')];
  if (isUuid(antes)) return { antesDe: antes };
  return isUuid(despues) ? { despuesDe: despues } : null;
}

import { isFecha, parseRfc } from '@acuse/contract';
import type { TipoDescarga } from '@acuse/core';
import { isUuid } from '@acuse/db';
import { EFECTO_NAMES } from '@acuse/page/formato';
import type { EstadoConocido, FiltroCfdi, LugarCfdi } from '../db/index.ts';

/** Names of the filters in the address, as the API calls them. */
const CAMPOS = [
  'tipo',
  'desde',
  'hasta',
  'contraparte_rfc',
  'estado',
  'efecto_comprobante',
  'monto_min',
  'monto_max',
  'uuid',
  'orden',
] as const;
type CampoFiltro = (typeof CAMPOS)[number];

export const ESTADOS = [
  ['VIGENTE', 'Vigentes'],
  ['CANCELADO', 'Cancelados'],
  ['AUSENTE', 'Ya no aparecen en el SAT'],
] as const satisfies readonly (readonly [EstadoConocido, string])[];

export const EFECTOS = Object.keys(EFECTO_NAMES) as readonly (keyof typeof EFECTO_NAMES)[];

/** A type of CFDI in an accountant's words: type I is income to its issuer alone. */
export function nameOf(tipo: TipoDescarga, efecto: string): string {
  const names: Readonly<Record<string, string>> = EFECTO_NAMES;
  return { I: tipo === 'recibidos' ? 'Gasto' : 'Ingreso', E: 'Nota de crédito' }[efecto] ?? names[efecto] ?? efecto;
}

export interface FiltroCfdiLeido {
  readonly filtro: FiltroCfdi & { readonly tipos: readonly [TipoDescarga] };
  /** After which CFDI the page begins; null for the first page. */
  readonly despuesDe: LugarCfdi | null;
  /** Typed values, for the form and for other addresses. */
  readonly valores: Readonly<Partial<Record<CampoFiltro, string>>>;
  /** Fault of a field, which then filters nothing. */
  readonly faltas: Readonly<Partial<Record<CampoFiltro, string>>>;
}

/** Reads the filters of an address; of the kinds `tipos` the first is shown unless another one is asked for. */
export function readCfdiFilter(
  query: (name: string) => string | undefined,
  tipos: readonly TipoDescarga[],
): FiltroCfdiLeido {
  const valores: Partial<Record<CampoFiltro, string>> = {};
  const faltas: Partial<Record<CampoFiltro, string>> = {};
  for (const campo of CAMPOS) {
    const text = query(campo)?.trim().slice(0, 60);
    if (text) valores[campo] = text;
  }
  /** Value of a field, or undefined with a fault beside it. */
  function read<T>(campo: CampoFiltro, sense: (text: string) => T | null | undefined, why: string): T | undefined {
    const text = valores[campo];
    if (text === undefined) return undefined;
    const value = sense(text) ?? undefined;
    if (value === undefined) faltas[campo] = `${why} Por ahora no se filtra por él.`;
    return value;
  }
  const day = (campo: CampoFiltro) =>
    read(campo, (text) => (isFecha(text) ? text : null), 'Escriba el día como año-mes-día, por ejemplo 2026-01-31.');
  const amount = (campo: CampoFiltro) => {
    const decimal = (text: string) => text.replaceAll(/[$,\s]/g, '');
    return read(
      campo,
      (text) => /^-?\d{1,12}(\.\d{1,6})?$/.exec(decimal(text))?.[0],
      'Escriba un importe, como 1160.00.',
    );
  };
  const [tipo = tipos[0] ?? 'recibidos'] = tipos.filter((each) => each === valores.tipo);
  const [desde, hasta] = [day('desde'), day('hasta')];
  const isReversed = desde !== undefined && hasta !== undefined && desde > hasta;
  if (isReversed) faltas.hasta = 'Es anterior al primer día. Por ahora no se filtra por él.';
  const filtro = {
    tipos: [tipo] as const,
    desde,
    hasta: isReversed ? undefined : hasta,
    contraparte: read('contraparte_rfc', parseRfc, 'No tiene el formato de un RFC.'),
    estado: ESTADOS.map(([estado]) => estado).find((estado) => estado === valores.estado),
    efecto: EFECTOS.find((efecto) => efecto === valores.efecto_comprobante),
    montoMin: amount('monto_min'),
    montoMax: amount('monto_max'),
    uuid: read(
      'uuid',
      (text) => (isUuid(text.toLowerCase()) ? text : null),
      'Escriba el folio fiscal entero, con sus guiones.',
    ),
  };
  return { filtro, despuesDe: readPlace(query('despues'), tipo), valores: { ...valores, tipo }, faltas };
}

/** A place as text for an address. */
export const formatLugar = ({ emitidaEn, uuid }: LugarCfdi): string => `${emitidaEn}_${uuid}`;

function readPlace(text: string | undefined, tipo: TipoDescarga): LugarCfdi | null {
  const [, dia = '', hora = '', uuid = ''] =
    /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3])(?::[0-5]\d){2})_(.{36})$/.exec(text ?? '') ?? [];
  return isFecha(dia) && isUuid(uuid.toLowerCase()) ? { emitidaEn: `${dia}T${hora}`, uuid, tipo } : null;
}

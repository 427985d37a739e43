import { isFecha } from '@acuse/contract';
import { addDays, calendarDay } from '@acuse/core';
import type { Database, RfcVista } from '@acuse/db';
import { formatCreditos } from '@acuse/page/formato';
import { faultOfLlave } from '@acuse/page/llave-tecleada';
import { createSincronizaciones, type VistaSincronizacion } from '../db/index.ts';
import { countLecturas, DIAS_DEL_MES, FRECUENCIAS, MAX_CONFIRMACIONES, MAX_MESES, primerasLecturas } from '../index.ts';

export const TIPOS = [
  ['ambos', 'Emitidos y recibidos'],
  ['recibidos', 'Recibidos'],
  ['emitidos', 'Emitidos'],
] as const;

export const CONTENIDOS = [
  ['metadata', 'Solo sus datos'],
  ['xml', 'Sus datos y el XML de los nuevos'],
] as const;

/** The settings of a subscription as the form has them. */
export interface Pedido {
  readonly tipo: string;
  readonly desde: string;
  readonly frecuencia: string;
  readonly contenido: string;
  readonly meses: string;
}

/** Typed values, with the defaults of the form for absent ones. */
export function pedidoOf(campos: Readonly<Record<string, string>>): Pedido {
  const text = (name: string, otherwise: string) => (campos[name] ?? '').trim() || otherwise;
  return {
    tipo: text('tipo', 'ambos'),
    desde: text('desde', ''),
    frecuencia: text('frecuencia', 'DIARIA'),
    contenido: text('contenido', 'metadata'),
    meses: text('meses', '12'),
  };
}

export type CampoPedido = keyof Pedido | 'api_key';

/** Fault of the form, of one field or of none. */
export interface FaltaPedido {
  readonly texto: string;
  readonly campo?: CampoPedido;
}

/** What the form shows at first: the settings that a subscription has. */
export function pedidoFrom(vista: VistaSincronizacion | null, now: Date): Pedido {
  if (vista === null) return { ...pedidoOf({}), desde: `${calendarDay(now).slice(0, 4)}-01-01` };
  const { emitidos, recibidos, desde, frecuencia, contenido } = vista;
  return {
    tipo: emitidos && recibidos ? 'ambos' : emitidos ? 'emitidos' : 'recibidos',
    desde,
    frecuencia,
    contenido,
    meses: '12',
  };
}

/** Fault of a form before the API is called, or null. */
export function faultOf(pedido: Pedido, apiKey: string, rfc: RfcVista): FaltaPedido | null {
  const { tipo, desde, frecuencia, contenido, meses } = pedido;
  const fault = (campo: CampoPedido, texto: string) => ({ campo, texto });
  if (!TIPOS.some(([value]) => value === tipo)) return fault('tipo', 'Elija uno de la lista.');
  if (!isFecha(desde)) return fault('desde', 'Escriba el día como año-mes-día, por ejemplo 2026-01-01.');
  if (!FRECUENCIAS.some((each) => each === frecuencia)) return fault('frecuencia', 'Elija una de la lista.');
  if (!CONTENIDOS.some(([value]) => value === contenido)) return fault('contenido', 'Elija uno de la lista.');
  if (!/^\d{1,2}$/.test(meses) || Number(meses) < 1 || Number(meses) > MAX_MESES)
    return fault('meses', `Escriba un número de 1 a ${MAX_MESES}.`);
  const wrong = faultOfLlave(apiKey, rfc);
  return wrong === null ? null : fault('api_key', wrong);
}

/** Readings that the settings of the form ask for, charged at once and in the next 30 days. Null when the form is wrong. */
export async function lecturasOf(
  database: Database,
  { tipo, desde, frecuencia }: Pedido,
  { vista, now }: { readonly vista: VistaSincronizacion | null; readonly now: Date },
): Promise<ReturnType<typeof countLecturas> | null> {
  const hoy = calendarDay(now);
  const cada = FRECUENCIAS.find((each) => each === frecuencia);
  if (!isFecha(desde) || desde > hoy || cada === undefined) return null;
  const tramos = await createSincronizaciones(database).preview(vista?.id ?? null, {
    tipos: (['emitidos', 'recibidos'] as const).filter((each) => tipo === 'ambos' || tipo === each),
    desde,
    frecuencia: cada,
    ...primerasLecturas({ desde, hoy, minuto: vista?.minuto ?? 0 }),
  });
  return countLecturas(tramos, { frecuencia: cada, hoy, hasta: addDays(hoy, DIAS_DEL_MES) });
}

/** What these readings cost, each a credit, and whether the balance is enough for the first ones. */
export function costText(lecturas: ReturnType<typeof countLecturas> | null, saldo: number): string {
  const hay = `Su saldo es de ${formatCreditos(saldo)}`;
  if (lecturas === null) return `Cada lectura cuesta un crédito. ${hay}.`;
  const { primera, despues } = lecturas;
  const shortage =
    saldo < primera
      ? ', y no alcanza para la primera carga: cuando se termine queda en pausa, y al comprar y reanudar sigue donde iba'
      : '';
  return `Cada lectura cuesta un crédito: con estos ajustes, ${formatCreditos(primera)} de inmediato y unos ${formatCreditos(despues)} los 30 días siguientes. Lo que ya se leyó no se cobra otra vez. Si el SAT deja de dar CFDI que daba, confirmarlo cuesta a lo más ${formatCreditos(MAX_CONFIRMACIONES)} por mes y tipo. ${hay}${shortage}.`;
}

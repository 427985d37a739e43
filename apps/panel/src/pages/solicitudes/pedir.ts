import { isFecha, OPERACIONES } from '@acuse/contract';
import type { RfcVista } from '@acuse/db';
import { parseApiKey, wipeApiKey } from '@acuse/vault';
import { z } from 'zod';
import type { ApiPropia } from '../sandbox/llamar-api.ts';

/** Path of the operation that accepts solicitudes. */
const OPERACION = 'tax/descarga-metadata';

/** Credits that a solicitud costs, as the API publishes it. */
export const COSTO = OPERACIONES.find(({ path }) => path === OPERACION)?.costo ?? 0;

export type CampoPedido = 'rfc' | 'tipo' | 'desde' | 'hasta' | 'api_key';

/** A filled form. */
export interface Pedido {
  readonly rfc: string;
  readonly tipo: string;
  readonly desde: string;
  readonly hasta: string;
  readonly apiKey: string;
  /** The same for each time that one form is sent, so that twice sent is once asked. */
  readonly intento: string;
}

export type Pedida =
  | { readonly resultado: 'ACEPTADA'; readonly id: string; readonly isDuplicada: boolean }
  /** Nothing was asked or charged. */
  | { readonly resultado: 'RECHAZADA'; readonly texto: string; readonly campo?: CampoPedido }
  /** Nobody knows whether it was accepted; the same form may be sent again. */
  | { readonly resultado: 'SIN_RESPUESTA' };

const aceptada = z.object({ data: z.object({ solicitud_id: z.uuid(), duplicada: z.boolean().optional() }) });
const rechazada = z.object({
  cfdi_texto: z.string(),
  data: z.object({ campo: z.string().optional(), motivo: z.string().optional() }).optional(),
});

/** What is wrong with a form before anybody is asked; null when nothing is. */
export function checkPedido(pedido: Pedido, vista: RfcVista | null): { texto: string; campo: CampoPedido } | null {
  if (vista === null) return { campo: 'rfc', texto: 'Elija uno de sus RFC.' };
  if (pedido.tipo !== 'emitidos' && pedido.tipo !== 'recibidos')
    return { campo: 'tipo', texto: 'Elija emitidos o recibidos.' };
  for (const campo of ['desde', 'hasta'] as const)
    if (!isFecha(pedido[campo])) return { campo, texto: 'Escriba el día como año-mes-día, por ejemplo 2025-03-31.' };
  if (pedido.desde > pedido.hasta) return { campo: 'desde', texto: 'El primer día no puede ser posterior al último.' };
  return checkLlave(pedido.apiKey, vista);
}

/**
 * The key has to be the active one of this RFC, which is of the account: nobody asks through this form with anybody
 * else's.
 */
function checkLlave(text: string, vista: RfcVista): { texto: string; campo: 'api_key' } | null {
  const fault = (texto: string) => ({ campo: 'api_key' as const, texto });
  if (vista.llave === null) return fault('Este RFC todavía no tiene API key. Genérela primero en la página del RFC.');
  const key = parseApiKey(text);
  if (key === null) return fault('No es una API key completa. Péguela entera, como se mostró al generarla.');
  wipeApiKey(key);
  if (key.keyId === vista.llave.id) return null;
  return fault(`No es la API key vigente de este RFC, que termina en ${vista.llave.ultimos4}.`);
}

/**
 * Asks through the API of this installation, so that a solicitud of the panel is accepted, checked and charged as any
 * other.
 */
export async function askApi(api: ApiPropia, pedido: Pedido, ip: string): Promise<Pedida> {
  const { rfc, tipo, desde, hasta, apiKey, intento } = pedido;
  const answer = await api.call({
    nombre: OPERACION,
    cuerpo: { rfc, tipo, desde, hasta },
    apiKey,
    ip,
    idempotencyKey: intento,
  });
  if (answer.tipo === 'sin-respuesta') return { resultado: 'SIN_RESPUESTA' };
  const body = readJson(answer.texto);
  if (answer.status === 200) {
    const read = aceptada.safeParse(body);
    if (!read.success) return { resultado: 'SIN_RESPUESTA' };
    const { solicitud_id: id, duplicada = false } = read.data.data;
    return { resultado: 'ACEPTADA', id, isDuplicada: duplicada };
  }
  const read = rechazada.safeParse(body);
  if (!read.success || answer.status >= 500) return { resultado: 'SIN_RESPUESTA' };
  const { cfdi_texto: texto, data } = read.data;
  const campo = fieldOf(data?.campo);
  const why = data?.motivo === undefined ? texto : `${texto} ${data.motivo}`;
  return { resultado: 'RECHAZADA', texto: why, ...(campo ? { campo } : {}) };
}

function fieldOf(campo: string | undefined): CampoPedido | null {
  return campo === 'rfc' || campo === 'tipo' || campo === 'desde' || campo === 'hasta' ? campo : null;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

import { mix, word } from './mix.ts';

const GIROS = ['COMERCIALIZADORA', 'TRANSPORTES', 'SERVICIOS', 'CONSTRUCTORA', 'DISTRIBUIDORA', 'ALIMENTOS'];
const SITIOS = ['DEL BAJÍO', 'DE OCCIDENTE', 'PENÍNSULA', 'DEL NORTE', 'LA CAÑADA', 'DEL GOLFO', 'SIERRA ALTA'];
const NOMBRES = ['MARÍA', 'JOSÉ', 'LUCÍA', 'RAÚL', 'ITZEL', 'HUGO', 'BEGOÑA', 'TOMÁS'];
const APELLIDOS = ['MUÑOZ', 'PEÑA', 'CORTÉS', 'IBARRA', 'LUNA', 'ROJAS', 'ZÚÑIGA', 'OCHOA', 'VEGA'];

/** Name of a legal person (without the capital regime, as CFDI 4.0 writes it) or of a natural one. */
export function generateName(key: Uint32Array, n: number, isMoral: boolean): string {
  const pick = (slot: number, list: readonly string[]) => list[mix(word(key, slot), n * 8 + slot) % list.length] ?? '';
  return isMoral
    ? `${pick(0, GIROS)} ${pick(1, APELLIDOS)} ${pick(2, SITIOS)}`
    : `${pick(3, NOMBRES)} ${pick(4, APELLIDOS)} ${pick(5, APELLIDOS)}`;
}

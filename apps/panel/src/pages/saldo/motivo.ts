import { CATALOGO, type NombreError } from '@acuse/contract';
import type { MovimientoVista } from '@acuse/db';
import { explain } from '../solicitudes/textos/motivos.ts';

/** What the API gives an empty list back with that nothing confirmed. */
const LISTA_VACIA = 'VACIA_SIN_CONFIRMAR';
const SIN_CONFIRMAR = 'El SAT contestó que no hay nada y nadie más lo pudo confirmar, así que no se cobra.';

/**
 * Why a movement was made, as people read it; null where its kind says enough. A refund keeps the code of its
 * solicitud's end, or the operation and the error of its call.
 */
export function motivoDe({
  tipo,
  operacion,
  solicitudId,
  detalle,
}: Pick<MovimientoVista, 'tipo' | 'operacion' | 'solicitudId' | 'detalle'>): string | null {
  if (tipo === 'cargo' || detalle === null) return null;
  if (detalle === LISTA_VACIA && solicitudId === null) return SIN_CONFIRMAR;
  if (solicitudId !== null && isCode(detalle)) return explain(detalle).causa;
  const error = detalle.startsWith(`${operacion}: `) ? detalle.slice(`${operacion}: `.length) : detalle;
  return Object.hasOwn(CATALOGO, error) ? firstSentence(CATALOGO[error as NombreError].texto) : detalle;
}

const isCode = (text: string) => /^[A-Z_]+$/.test(text);

/** The rest of a text of the API says what its caller should do next. */
const firstSentence = (text: string) => /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;

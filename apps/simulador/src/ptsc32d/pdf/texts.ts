import type { SentidoOpinion } from '../../world/magia.ts';
import { MESES } from '../../world/texts.ts';

/** Title of the document, in every layout. */
export const TITULO = 'Opinión del cumplimiento de obligaciones fiscales';

/** What the body says for each sense. Own words around the phrases that readers of the document look for. */
export const CUERPO: Readonly<Record<SentidoOpinion, string>> = {
  POSITIVO:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, se encuentra al corriente en los puntos que revisa la opinión del cumplimiento. Este documento no acredita que los impuestos declarados se hayan enterado correctamente.',
  NEGATIVO:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, no se encuentra al corriente en los puntos que revisa la opinión del cumplimiento. Enseguida se detalla por qué.',
  EN_SUSPENSION:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, su registro en el RFC está en suspensión de actividades.',
  INSCRITO_SIN_OBLIGACIONES:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, está inscrito en el RFC y no tiene obligaciones fiscales asignadas.',
  NO_INSCRITO:
    'Se le informa que, de acuerdo con los controles electrónicos institucionales y al momento de esta revisión, la clave consultada no está inscrita en el RFC.',
};

/** Notes at the foot: they name the other senses too, whichever this one is. */
export function notasOf(year: number): readonly string[] {
  return [
    `1.- La opinión se emite en uno de estos sentidos. POSITIVO: quien está inscrito y al corriente en lo que enumera la regla 2.1.36. de la Resolución Miscelánea Fiscal para ${year}. NEGATIVO: quien no está al corriente en alguno de esos puntos. EN SUSPENSIÓN DE ACTIVIDADES: quien presentó el aviso correspondiente. INSCRITO SIN OBLIGACIONES: quien está inscrito y no tiene obligaciones.`,
    '2.- La opinión en sentido POSITIVO vale treinta días naturales contados desde su emisión. En los demás sentidos no ampara el cumplimiento.',
    '3.- Si no está de acuerdo con una opinión en sentido NEGATIVO puede presentar una aclaración; la respuesta no cambia el documento ya emitido, tiene que pedir otro.',
    'Artículos 17-D y 32-D del Código Fiscal de la Federación; reglas 2.1.27., 2.1.28., 2.1.36. y 2.1.37. de la Resolución Miscelánea Fiscal.',
  ];
}

/** `22 de septiembre de 2026`, of a wall time. */
export function longDate(date: Date): string {
  return `${two(date.getUTCDate())} de ${MESES[date.getUTCMonth()]} de ${date.getUTCFullYear()}`;
}

/** `22-09-2026`, of a wall time. */
export function shortDate(date: Date): string {
  return `${two(date.getUTCDate())}-${two(date.getUTCMonth() + 1)}-${date.getUTCFullYear()}`;
}

/** `12:52`, of a wall time. */
export function hourOf(date: Date): string {
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

import type { FaultRule } from '../world/faults.ts';

/** CodEstatus with its Mensaje (SAT manual of the bulk service, version 1.5). */
const MENSAJES = {
  300: 'Usuario No Válido',
  301: 'XML Mal Formado',
  302: 'Sello Mal Formado',
  303: 'Sello no corresponde con RfcSolicitante',
  304: 'Certificado Revocado o Caduco',
  305: 'Certificado Inválido',
  404: 'Error no Controlado',
  5000: 'Solicitud Aceptada',
  5001: 'Tercero no autorizado',
  5002: 'Se han agotado las solicitudes de por vida',
  5003: 'Tope máximo',
  5004: 'No se encontró la información',
  5005: 'Solicitud duplicada',
  5006: 'Error interno en el proceso',
  5007: 'No existe el paquete solicitado',
  5008: 'Máximo de descargas permitidas',
  5011: 'Límite de descargas por folio por día',
  5012: 'No se permite la descarga de XML que se encuentren cancelados',
} as const;

type Code = keyof typeof MENSAJES;

/** What a call answers: the code and its text, which for 301 carries a reason after a colon. */
export type Outcome = { code: number; mensaje: string };

/** The outcome of a code. */
export function outcome(code: Code): Outcome {
  return { code, mensaje: MENSAJES[code] };
}

/**
 * A request that is refused for what it asks, in the SAT's words (petergtam/DescargaMasivaSATKit, tests;
 * SAT-CFDI/python-satcfdi issue 43).
 */
export function malformed(reason: string): Outcome {
  return { code: 301, mensaje: `${MENSAJES[301]}:La solicitud de descarga no es válida. ${reason}` };
}

/** What a `code` fault makes an operation answer; without a code it is the SAT's 404, its uncontrolled error. */
export function injectedOutcome({ code = 404, mensaje }: Pick<FaultRule, 'code' | 'mensaje'>): Outcome {
  const known: Record<number, string> = MENSAJES;
  return { code, mensaje: mensaje ?? known[code] ?? 'Error no Controlado' };
}

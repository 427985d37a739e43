import { setTimeout as sleep } from 'node:timers/promises';
import { type MotivoSatError, SatError } from '@acuse/core';
import type { SatHttp } from '../http/sat-http.ts';
import { ilegible } from '../texto.ts';
import type { Signer } from './efirma.ts';
import type { ServicioSoap } from './sobres.ts';
import type { Tokens } from './tokens.ts';

/** Settings of the SOAP channel. */
export const SAT_SOAP_DEFAULTS = {
  /** Largest answer of authenticate, request and verify, bytes. */
  maxAnswerBytes: 1024 * 1024,
  /** Largest package, bytes of the decoded ZIP. A million rows of metadata are about a tenth of it. */
  maxPackageBytes: 1024 * 1024 * 1024,
  /** How long before its end a token is renewed. */
  tokenMarginMs: 30_000,
  /** How long after the SAT's refusal of an e.firma it is asked the second time, milliseconds. */
  refusalPauseMs: 3_000,
};

/** What every consulta of the SOAP channel works with. */
export interface ContextoSoap {
  readonly http: SatHttp;
  /** Where the consulta is asked: the service of its `documento`. */
  readonly servicio: ServicioSoap;
  /** Tokens of that service. */
  readonly tokens: Tokens;
  readonly signer: Signer;
  readonly signal: AbortSignal;
  readonly settings: Readonly<typeof SAT_SOAP_DEFAULTS>;
  /** Shared by all calls: the SAT refused the XML of issued CFDI of every state, so that only valid ones are asked. */
  readonly estados: { areRefused: boolean };
  readonly onAnswer: ((texto: string) => void) | undefined;
}

/**
 * Makes a call with a token and, if the SAT refuses the token (300) or the certificate (303 to 305), once more with a
 * fresh one. A call refused so was not carried out: repeating it spends nothing. The certificate's refusal is repeated
 * after a pause, and believed the second time only: a valid e.firma was refused with 305 while the portal took it
 * (phpcfdi/sat-ws-descarga-masiva#82).
 */
export async function conToken<T extends { readonly codigo: string }>(
  { tokens, signer, signal, settings }: ContextoSoap,
  call: (token: string) => Promise<T>,
): Promise<T> {
  const token = await tokens.get(signer, signal);
  const first = await call(token);
  const isRefusal = ERRORES[first.codigo] === 'EFIRMA_RECHAZADA';
  if (first.codigo !== TOKEN_INVALIDO && !isRefusal) return first;
  tokens.discard(signer, token);
  if (isRefusal)
    await sleep(settings.refusalPauseMs, undefined, { signal }).catch(() => {
      throw new SatError('CANCELADA');
    });
  const fresh = await tokens.get(signer, signal);
  const second = await call(fresh);
  if (second.codigo !== TOKEN_INVALIDO) return second;
  tokens.discard(signer, fresh);
  throw errorOf(TOKEN_INVALIDO);
}

/** `CodEstatus` of a call that was accepted. */
export const ACEPTADO = '5000';
/** The token is missing, past its time, or of another service. */
const TOKEN_INVALIDO = '300';

/**
 * Codes of a call that mean the same for every operation (the SAT's manual of the service and the enumeration of
 * AndresRamos/ARSoftware.Cfdi.DescargaMasiva).
 *
 * 300 comes here only after a token made a moment ago was refused too, which says nothing about the e.firma. 302 is a
 * seal that the SAT could not read, so our fault and not the e.firma's; 303 to 305 speak of the certificate itself.
 */
const ERRORES: Readonly<Record<string, MotivoSatError>> = {
  '300': 'SERVICIO_CON_ERROR',
  '301': 'PETICION_RECHAZADA',
  '302': 'PETICION_RECHAZADA',
  '303': 'EFIRMA_RECHAZADA',
  '304': 'EFIRMA_RECHAZADA',
  '305': 'EFIRMA_RECHAZADA',
  '404': 'SERVICIO_CON_ERROR',
  '5006': 'SERVICIO_CON_ERROR',
  '5011': 'SERVICIO_CON_ERROR',
};

/** The error behind a code that does not answer the question. An undocumented code is RESPUESTA_ILEGIBLE. */
export function errorOf(codigo: string): SatError {
  const motivo = ERRORES[codigo];
  return motivo === undefined ? ilegible('código desconocido', codigo) : new SatError(motivo, { codigo });
}

/** A code as the SAT writes it: digits. Throws RESPUESTA_ILEGIBLE for anything else, absence included. */
export function readCodigo(text: string | undefined, nombre: string): string {
  if (text === undefined || !/^\d{1,5}$/.test(text)) throw ilegible(`${nombre} no es un código`);
  return text;
}

/** `Mensaje` of the SAT, fit to be stored and shown: no control characters, at most 500 characters. */
export function readMessage(text: string | undefined): string {
  return (text ?? '')
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, 500);
}

/** An id that the SAT gave. Anything that does not look like one is refused, since ids become keys of our storage. */
export function readId(text: string | undefined, nombre: string): string {
  if (text === undefined || !/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text)) throw ilegible(`${nombre} no es un id`);
  return text;
}

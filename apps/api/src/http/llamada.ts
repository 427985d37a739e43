import { CATALOGO, CfdiError, CODIGO_EXITO, sobreDeError, TEXTO_EXITO } from '@acuse/contract';
import type { AccessSnapshot, Credencial } from '@acuse/core';
import type { FinishedCall, Operation } from '@acuse/operation';
import type { ApiKey } from '@acuse/vault';
import type { Autoridad } from '../deps.ts';
import type { BodySource } from './body.ts';
import type { Elegible } from './credenciales.ts';

/** What the steps of the pipeline learn about one call, in the order in which they learn it. */
export interface Llamada {
  readonly requestId: string;
  readonly operation: Operation;
  readonly headers: Headers;
  readonly source: BodySource;
  /** Address of the caller, behind trusted proxies. */
  readonly ip: string;
  readonly now: Date;
  /** Headers for the answer, whatever it is. */
  readonly answerHeaders: Record<string, string>;
  apiKey: ApiKey | null;
  access: AccessSnapshot | null;
  /** What it asks instead of the SAT, free of charge; null for the authority of the settings. */
  pruebas: Autoridad | null;
  /** True while `access` comes from this process and may be outdated. */
  accessIsCached: boolean;
  /** False once a cached pass has led to a refusal. */
  mayUseCache: boolean;
  rateChecked: boolean;
  /** The one reading of the body: it cannot be read again when the steps run again. */
  bodyRead: Promise<Body> | null;
  body: Body | null;
  /** The stored credentials that may serve the operation, in its order. */
  elegibles: readonly Elegible[];
  idempotency: Idempotency | null;
  /** True from the moment in which credits may have been debited for `opId`. */
  charged: boolean;
  /** True from the moment in which the charge may be settled, whatever was heard of it. */
  settling: boolean;
  opId: string;
  saldo: number;
  /** Opened credentials, to be wiped. */
  readonly opened: Credencial[];
}

/** The body once read: what its schema made of it, and its secret fields. */
export interface Body {
  readonly value: Record<string, unknown>;
  readonly secretos: Readonly<Record<string, Buffer>>;
}

/** A repeated request that this call is the first, or the resuming, attempt of. */
interface Idempotency {
  readonly clave: string;
  /** An earlier attempt, whose outcome is unknown, had the same `opId`. */
  readonly isResumed: boolean;
}

/** An answer that ends the pipeline. */
export interface Contestacion {
  readonly status: number;
  readonly cuerpo: string;
  readonly headers?: Record<string, string>;
  /** Why the charge is given back although this is a success: the code for the ledger. */
  readonly devuelve?: string;
}

/** The pass of a call that is past the bearer step. */
export function accessOf(llamada: Llamada): { access: AccessSnapshot; apiKey: ApiKey } {
  const { access, apiKey } = llamada;
  if (access === null || apiKey === null) throw new Error('a step ran before the bearer step');
  return { access, apiKey };
}

/** The body of a call that is past the body step. */
export function bodyOf(llamada: Llamada): Body {
  if (llamada.body === null) throw new Error('a step ran before the body step');
  return llamada.body;
}

export const IDEMPOTENCY_KEY = 'Idempotency-Key';
export const CLAVE = /^[\x21-\x7e]{1,255}$/;

/** The `cfdi_codigo` begins every body. */
const CODIGO = /^\{"cfdi_codigo":(\d+)/;

/** An answered call for its observers; null without a known key. */
export function finishedCall(llamada: Llamada, { status, cuerpo }: Contestacion, ms: number): FinishedCall | null {
  const { access, now, opId, operation, requestId, headers } = llamada;
  if (access === null) return null;
  const clave = headers.get(IDEMPOTENCY_KEY);
  return {
    contribuyenteId: access.contribuyenteId,
    at: now,
    opId,
    operacion: operation.path,
    status,
    codigo: Number(CODIGO.exec(cuerpo)?.[1] ?? CODIGO_EXITO),
    ms,
    requestId,
    idempotencyKey: clave !== null && CLAVE.test(clave) ? clave : null,
  };
}

/** Nothing here may be sniffed or framed. */
export const CLOSED_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** On every answer, errors included. */
const FIXED_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...CLOSED_HEADERS } as const;

/** The envelope of a success (specification, Response envelope). */
export function contestacionDeExito(operation: Operation, data: unknown, saldo: number): Contestacion {
  const { envelope } = operation;
  // JSON omits undefined fields.
  const cuerpo = JSON.stringify({
    cfdi_codigo: CODIGO_EXITO,
    cfdi_texto: TEXTO_EXITO,
    cfdi_descripcion: envelope?.descripcion,
    data,
    saldo: envelope ? saldo : undefined,
  });
  return { status: 200, cuerpo };
}

/** The envelope of an error, with the header fields that belong to its status. */
export function contestacionDeError(error: CfdiError): Contestacion {
  const { http } = CATALOGO[error.nombre];
  const { reintentar_en } = error.datos;
  return {
    status: http,
    cuerpo: JSON.stringify(sobreDeError(error)),
    headers: {
      ...(http === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}),
      ...(http === 405 ? { Allow: 'POST' } : {}),
      ...(reintentar_en === undefined ? {} : { 'Retry-After': String(reintentar_en) }),
    },
  };
}

/** Maps an error outside the catalogue to ERROR_INTERNO, which tells the caller no details. */
export function asCfdiError(error: unknown): CfdiError {
  return error instanceof CfdiError ? error : new CfdiError('ERROR_INTERNO', {}, { cause: error });
}

/** A finished answer as a Response. */
export function toResponse(
  { status, cuerpo, headers }: Omit<Contestacion, 'cuerpo'> & { readonly cuerpo: string | Uint8Array<ArrayBuffer> },
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return new Response(cuerpo, {
    status,
    headers: { ...FIXED_HEADERS, ...more, ...headers, 'X-Request-Id': requestId },
  });
}

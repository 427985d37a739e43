import { CATALOGO, CfdiError, CODIGO_EXITO, sobreDeError, TEXTO_EXITO } from '@acuse/contract';
import type { Contestacion } from './llamada.ts';
import type { Operation } from './operation.ts';

/** On every answer, errors included: nothing here may be cached, sniffed or framed. */
const FIXED_HEADERS = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/** The envelope of a success (specification, Response envelope). */
export function contestacionDeExito(operation: Operation, data: unknown, saldo: number): Contestacion {
  const { envelope } = operation;
  // What is undefined is left out.
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

/** What is not a meaning of the catalogue is our fault and says nothing more to the caller. */
export function asCfdiError(error: unknown): CfdiError {
  return error instanceof CfdiError ? error : new CfdiError('ERROR_INTERNO', {}, { cause: error });
}

/** A finished answer as a Response. */
export function toResponse(
  { status, cuerpo, headers }: Contestacion,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  return new Response(cuerpo, {
    status,
    headers: { ...FIXED_HEADERS, ...more, ...headers, 'X-Request-Id': requestId },
  });
}

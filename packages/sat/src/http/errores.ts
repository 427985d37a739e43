import { SatError } from '@acuse/core';

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const MALFORMED = new Set([
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  'UND_ERR_HEADERS_OVERFLOW',
  // A parser error without a code of its own.
  'HTTPParserError',
]);

/**
 * Turns an error of the HTTP client into a SatError that names its code only. The original is not attached as `cause`:
 * a parser error of undici holds a piece of the answer.
 */
export function toSatError(error: unknown): SatError {
  if (error instanceof SatError) return error;
  const codigo = codeOf(error);
  if (TIMEOUTS.has(codigo)) return new SatError('TIEMPO_AGOTADO', { detalle: codigo });
  if (MALFORMED.has(codigo) || codigo.startsWith('HPE_')) {
    return new SatError('RESPUESTA_ILEGIBLE', { detalle: codigo });
  }
  return new SatError('NO_RESPONDE', { detalle: codigo });
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code === 'string') return code.slice(0, 64);
  return error instanceof Error ? error.name : 'desconocido';
}

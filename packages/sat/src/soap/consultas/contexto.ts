import { setTimeout as sleep } from 'node:timers/promises';
import { SatError } from '@acuse/core';
import type { SatHttp } from '../../http/sat-http.ts';
import { CERTIFICADO_RECHAZADO, errorOf, TOKEN_INVALIDO } from '../codigos.ts';
import type { Firmante } from '../efirma.ts';
import type { ServicioSoap } from '../servicio.ts';
import type { SatSoapSettings } from '../settings.ts';
import type { Tokens } from '../tokens.ts';

/** What every consulta of the SOAP channel works with. */
export interface ContextoSoap {
  readonly http: SatHttp;
  /** Where the consulta is asked: the service of its `documento`. */
  readonly servicio: ServicioSoap;
  /** Tokens of that service. */
  readonly tokens: Tokens;
  readonly firmante: Firmante;
  readonly signal: AbortSignal;
  readonly settings: Required<SatSoapSettings>;
}

/**
 * Makes a call with a token and, if the SAT refuses the token (300) or the certificate (303 to 305), once more with a
 * fresh one. A call refused so was not carried out: repeating it spends nothing. The certificate's refusal is repeated
 * after a pause, and believed the second time only: a valid e.firma was refused with 305 while the portal took it
 * (phpcfdi/sat-ws-descarga-masiva#82).
 */
export async function conToken<T extends { readonly codigo: string }>(
  { tokens, firmante, signal, settings }: ContextoSoap,
  call: (token: string) => Promise<T>,
): Promise<T> {
  const token = await tokens.get(firmante, signal);
  const first = await call(token);
  const isRefusal = CERTIFICADO_RECHAZADO.has(first.codigo);
  if (first.codigo !== TOKEN_INVALIDO && !isRefusal) return first;
  tokens.discard(firmante, token);
  if (isRefusal)
    await sleep(settings.refusalPauseMs, undefined, { signal }).catch(() => {
      throw new SatError('CANCELADA');
    });
  const fresh = await tokens.get(firmante, signal);
  const second = await call(fresh);
  if (second.codigo !== TOKEN_INVALIDO) return second;
  tokens.discard(firmante, fresh);
  throw errorOf(TOKEN_INVALIDO);
}

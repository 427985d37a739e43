import type { SatHttp } from '../../http/sat-http.ts';
import { errorOf, TOKEN_INVALIDO } from '../codigos.ts';
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
 * Makes a call with a token and, if the SAT refuses the token (300), once more with a fresh one. A call refused with 300 was not
 * carried out, so repeating it spends nothing.
 */
export async function conToken<T extends { readonly codigo: string }>(
  { tokens, firmante, signal }: ContextoSoap,
  call: (token: string) => Promise<T>,
): Promise<T> {
  const token = await tokens.get(firmante, signal);
  const first = await call(token);
  if (first.codigo !== TOKEN_INVALIDO) return first;
  tokens.discard(firmante, token);
  const fresh = await tokens.get(firmante, signal);
  const second = await call(fresh);
  if (second.codigo !== TOKEN_INVALIDO) return second;
  tokens.discard(firmante, fresh);
  throw errorOf(TOKEN_INVALIDO);
}

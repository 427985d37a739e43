import { CfdiError } from '@acuse/contract';
import { parseApiKey } from '@acuse/vault';
import type { ApiDeps } from '../../api-deps.ts';
import type { Llamada } from '../llamada.ts';
import type { AccessCache } from '../state/access-cache.ts';
import type { Usos } from '../state/usos.ts';

/**
 * `Bearer SP token`; the scheme in any letter case (RFC 9110 section 11.1), exactly one space, nothing after the token.
 */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Reads the API key and the pass behind it. Two Authorization headers arrive joined by a comma and fit the grammar no
 * more than a bare key does.
 */
export async function bearer(
  llamada: Llamada,
  { accessCache, hasher, usos }: { accessCache: AccessCache; usos: Pick<Usos, 'rehash'> } & Pick<ApiDeps, 'hasher'>,
): Promise<undefined> {
  const token = BEARER.exec(llamada.headers.get('authorization') ?? '')?.[1];
  llamada.apiKey ??= token === undefined ? null : parseApiKey(token);
  const { apiKey } = llamada;
  if (apiKey === null) throw new CfdiError('API_KEY_INVALIDA');

  const found = await accessCache.get(apiKey.keyId, llamada.mayUseCache);
  llamada.accessIsCached = found.isCached;
  // The hash is computed for an unknown id as well, so that the time tells nothing.
  const isKey = hasher.verifyApiKey(apiKey, found.access?.apiKey ?? null);
  if (found.access === null || !isKey) throw new CfdiError('API_KEY_INVALIDA');
  if (found.access.apiKey.estado !== 'ACTIVA') throw new CfdiError('API_KEY_REVOCADA');
  if (found.access.isSuspendida) throw new CfdiError('CUENTA_SUSPENDIDA');
  const { hash } = found.access.apiKey;
  if (hasher.isStale(found.access.apiKey)) usos.rehash(apiKey.keyId, hash, hasher.hashApiKey(apiKey));
  llamada.access = found.access;
  llamada.saldo = found.access.saldo;
}

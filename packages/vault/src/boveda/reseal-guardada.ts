import { type AccessSnapshot, type CredencialGuardada, type TipoCredencial, wipeCredencial } from '@acuse/core';
import type { ApiKey } from '../api-key/api-key.ts';
import { sealCredencial } from '../envelope/credencial-envelope.ts';
import type { Keyring } from '../envelope/keyring.ts';
import { contextoDe, openGuardada } from './stored-credencial.ts';

/**
 * Opens a stored credential with the API key that it was stored under and seals it for the same row under another: what
 * replaces a key needs both. An expiry and a shred key stay as they are. Throws `CredencialIlegible` when it does not
 * open.
 */
export function resealGuardada(
  tipo: TipoCredencial,
  guardada: Pick<CredencialGuardada, 'id' | 'apiKeyId' | 'expiraEn' | 'sobre' | 'shred'>,
  keys: { readonly from: ApiKey; readonly to: ApiKey },
  access: Pick<AccessSnapshot, 'cuentaId' | 'rfc'>,
  keyring: Keyring,
): { readonly id: string; readonly kid: string; readonly sobre: Buffer } {
  const credencial = openGuardada(tipo, guardada, { access, apiKey: keys.from }, keyring);
  try {
    const { id, expiraEn, shred: shredKey } = guardada;
    const contexto = contextoDe(access, { id, apiKeyId: keys.to.keyId, expiraEn }, tipo);
    const sobre = sealCredencial(credencial, contexto, { keyring, secret: keys.to.secret, shredKey });
    return { id, kid: keyring.current, sobre };
  } finally {
    wipeCredencial(credencial);
  }
}

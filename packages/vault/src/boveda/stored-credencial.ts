import type { AccessSnapshot, Credencial, CredencialGuardada, TipoCredencial } from '@acuse/core';
import { type ContextoCredencial, openCredencial } from '../envelope/credencial-envelope.ts';
import type { Keyring } from '../envelope/keyring.ts';
import type { Dueno } from './dueno.ts';

/** What a row of the table `credencial` is bound to. */
export function contextoDe(
  access: Pick<AccessSnapshot, 'cuentaId' | 'rfc'>,
  fila: { readonly id: string; readonly apiKeyId: string; readonly expiraEn: Date | null },
  tipo: TipoCredencial,
): ContextoCredencial {
  return {
    tabla: 'credencial',
    id: fila.id,
    cuenta: access.cuentaId,
    rfc: access.rfc,
    tipo,
    keyId: fila.apiKeyId,
    expiraEn: fila.expiraEn,
  };
}

/**
 * Opens a stored credential with the key that it was stored under. Throws `CredencialIlegible` for one that does not
 * open, because a byte of it changed or its shred key is gone. The caller wipes what it gets.
 */
export function openGuardada(
  tipo: TipoCredencial,
  guardada: Pick<CredencialGuardada, 'id' | 'apiKeyId' | 'expiraEn' | 'sobre' | 'shred'>,
  { access, apiKey }: Pick<Dueno, 'apiKey'> & { readonly access: Pick<AccessSnapshot, 'cuentaId' | 'rfc'> },
  keyring: Keyring,
): Credencial {
  return openCredencial(guardada.sobre, contextoDe(access, guardada, tipo), {
    keyring,
    secret: apiKey.secret,
    shredKey: guardada.shred,
  });
}

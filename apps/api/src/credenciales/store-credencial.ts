import { CfdiError } from '@acuse/contract';
import type { Credencial, NuevaGuardada, TipoGuardada } from '@acuse/core';
import { sealCredencial } from '@acuse/vault';
import type { ContextoBase } from '../http/operation.ts';
import { contextoDe } from './stored-credencial.ts';

/** What the row says beside the sealed bytes. */
type Detalles = Pick<NuevaGuardada, 'shred' | 'noSerie' | 'titular' | 'vigenteHasta' | 'expiraEn'>;

/**
 * Seals a credential under the caller's key and the keyring, and stores it in place of the earlier one of its kind. A certificate is
 * stored like an e.firma whose key is empty, so that every row has one format. Sessions with the SAT that the earlier one opened are ended,
 * and its refusals forgotten. Throws `API_KEY_REVOCADA` when the key died meanwhile.
 */
export async function storeCredencial(
  credencial: Credencial,
  tipo: TipoGuardada,
  detalles: Detalles,
  { deps, pase, apiKey, ip }: Pick<ContextoBase, 'deps' | 'pase' | 'apiKey' | 'ip'>,
): Promise<void> {
  const fila = { id: deps.newId(), apiKeyId: apiKey.keyId, expiraEn: detalles.expiraEn ?? null };
  const sobre = sealCredencial(credencial, contextoDe(pase, fila, credencial.tipo), {
    keyring: deps.keyring,
    secret: apiKey.secret,
    shredKey: detalles.shred ?? null,
  });
  const nueva: NuevaGuardada = {
    ...detalles,
    id: fila.id,
    contribuyenteId: pase.contribuyenteId,
    apiKeyId: fila.apiKeyId,
    tipo,
    kid: deps.keyring.current,
    sobre,
  };
  if (!(await deps.boveda.store(nueva, ip))) throw new CfdiError('API_KEY_REVOCADA');
  await deps.sesiones.forget(pase.rfc);
}

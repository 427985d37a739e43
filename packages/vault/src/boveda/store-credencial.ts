import type { Boveda, Credencial, NuevaGuardada, SesionesPortal, TipoGuardada } from '@acuse/core';
import { sealCredencial } from '../envelope/credencial-envelope.ts';
import type { Keyring } from '../envelope/keyring.ts';
import type { Dueno } from './dueno.ts';
import { contextoDe } from './stored-credencial.ts';

/** What the row says beside the sealed bytes. */
export type DetallesGuardada = Pick<NuevaGuardada, 'shred' | 'noSerie' | 'titular' | 'vigenteHasta' | 'expiraEn'>;

export interface StoreDeps {
  readonly boveda: Boveda;
  readonly sesiones: Pick<SesionesPortal, 'forget'>;
  readonly keyring: Keyring;
  /** UUIDv7. */
  readonly newId: () => string;
}

/**
 * Seals a credential under its owner's API key and the keyring, and stores it in place of the earlier one of its kind.
 * A certificate is stored like an e.firma whose key is empty, so that every row has one format. Sessions with the SAT
 * that the earlier one opened are ended, and its refusals forgotten. False when the API key died meanwhile: then
 * nothing was stored.
 */
export async function storeCredencial(
  credencial: Credencial,
  tipo: TipoGuardada,
  detalles: DetallesGuardada,
  { access, apiKey, ip, actor }: Dueno,
  deps: StoreDeps,
): Promise<boolean> {
  const fila = { id: deps.newId(), apiKeyId: apiKey.keyId, expiraEn: detalles.expiraEn ?? null };
  const sobre = sealCredencial(credencial, contextoDe(access, fila, credencial.tipo), {
    keyring: deps.keyring,
    secret: apiKey.secret,
    shredKey: detalles.shred ?? null,
  });
  const nueva: NuevaGuardada = {
    ...detalles,
    id: fila.id,
    contribuyenteId: access.contribuyenteId,
    apiKeyId: fila.apiKeyId,
    tipo,
    kid: deps.keyring.current,
    sobre,
    ...(actor === undefined ? {} : { actor }),
  };
  if (!(await deps.boveda.store(nueva, ip))) return false;
  await deps.sesiones.forget(access.rfc);
  return true;
}

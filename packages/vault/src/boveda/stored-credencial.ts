import {
  type AccessSnapshot,
  type Boveda,
  type Credencial,
  type CredencialGuardada,
  type CredencialSellada,
  type NuevaGuardada,
  type SesionesPortal,
  type TipoCredencial,
  type TipoGuardada,
  wipeCredencial,
} from '@acuse/core';
import type { ApiKey } from '../api-key/api-key.ts';
import { type ContextoCredencial, openCredencial, sealCredencial } from '../envelope/credencial-envelope.ts';
import type { Keyring } from '../envelope/keyring.ts';
import type { Sealer } from '../sealing/sealed-credencial.ts';

/** Whose credential it is, and the API key, already verified, that it is encrypted under. */
export interface Dueno {
  readonly access: Pick<AccessSnapshot, 'contribuyenteId' | 'cuentaId' | 'rfc'>;
  readonly apiKey: Pick<ApiKey, 'keyId' | 'secret'>;
  /** From where it was asked, for the audit log. */
  readonly ip: string;
  /** Who asked; the API key itself unless said. */
  readonly actor?: string;
}

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

/** What the row says beside the sealed bytes. */
type DetallesGuardada = Pick<
  NuevaGuardada,
  'shred' | 'noSerie' | 'titular' | 'vigenteHasta' | 'advertencias' | 'expiraEn'
>;

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

/**
 * Seals an opened credential to the workers for one solicitud. The copy dies with the solicitud's deadline, and the one
 * of an e.firma with the hour of its key (`keyEnds`) at the latest.
 */
export function sealForSolicitud(
  credencial: Credencial,
  solicitud: { readonly solicitudId: string; readonly deadlineAt: Date },
  cuenta: string,
  keyEnds: Date | null,
  sealer: Sealer,
): CredencialSellada {
  const { solicitudId, deadlineAt } = solicitud;
  const { tipo, rfc } = credencial;
  const endsEarlier = tipo === 'efirma' && keyEnds !== null && keyEnds < deadlineAt;
  const expiraEn = endsEarlier ? keyEnds : deadlineAt;
  const sobre = sealer.seal(credencial, { solicitudId, cuenta, rfc, tipo, expiraEn });
  return { tipo, kid: sealer.kid, sobre, expiraEn };
}

import type { Credencial, CredencialSellada } from '@acuse/core';
import type { Sealer } from '../sealing/sealer.ts';

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

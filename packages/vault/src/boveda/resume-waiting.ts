import type { AccessSnapshot, Boveda, CredencialEfirma } from '@acuse/core';
import type { Sealer } from '../sealing/sealer.ts';
import { sealForSolicitud } from './sealed-copy.ts';

export interface ResumeDeps {
  readonly boveda: Boveda;
  readonly sealer: Sealer;
  /** Tells the relay that there is something in the outbox. */
  readonly wake: () => void;
}

/**
 * Hands a newly stored e.firma key to the open solicitudes of its taxpayer that need one, so that they go on by
 * themselves.
 */
export async function resumeWaiting(
  credencial: CredencialEfirma,
  expiraEn: Date,
  access: Pick<AccessSnapshot, 'contribuyenteId' | 'cuentaId'>,
  { boveda, sealer, wake }: ResumeDeps,
): Promise<void> {
  const waiting = await boveda.waitingForEfirma(access.contribuyenteId);
  for (const solicitud of waiting) {
    const { kid, sobre, expiraEn: ends } = sealForSolicitud(credencial, solicitud, access.cuentaId, expiraEn, sealer);
    await boveda.resume({ solicitudId: solicitud.solicitudId, kid, sobre, expiraEn: ends });
  }
  if (waiting.length > 0) wake();
}

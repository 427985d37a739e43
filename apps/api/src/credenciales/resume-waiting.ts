import type { CredencialEfirma } from '@acuse/core';
import type { ContextoBase } from '../http/operation.ts';
import { sealForSolicitud } from './sealed-copy.ts';

/** Hands a newly stored e.firma key to the open solicitudes of its taxpayer that need one, so that they go on by themselves. */
export async function resumeWaiting(
  credencial: CredencialEfirma,
  expiraEn: Date,
  { deps, pase }: Pick<ContextoBase, 'deps' | 'pase'>,
): Promise<void> {
  const waiting = await deps.boveda.waitingForEfirma(pase.contribuyenteId);
  for (const solicitud of waiting) {
    const {
      kid,
      sobre,
      expiraEn: ends,
    } = sealForSolicitud(credencial, solicitud, pase.cuentaId, expiraEn, deps.sealer);
    await deps.boveda.resume({ solicitudId: solicitud.solicitudId, kid, sobre, expiraEn: ends });
  }
  if (waiting.length > 0) deps.wake();
}

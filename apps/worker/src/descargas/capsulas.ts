import { type Capsulas, type ClaimedSolicitud, wipeCredencial } from '@acuse/core';
import { createCapsulas, type Database } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import { makeCapsula } from '@acuse/sat';
import { CredencialIlegible, type Opener, readCertificado, type Sealer } from '@acuse/vault';

/** How long what was signed beforehand may be used: as long as the SAT says that a request may take. */
const LIFE_MS = 72 * 3_600_000;

/** Capsulas over the database, sealed by the workers to themselves. */
export function openCapsulas(deps: {
  readonly database: Database;
  readonly opener: Opener;
  readonly sealer: Sealer;
  readonly log: Logger;
}): Capsulas {
  const { opener, sealer, log } = deps;
  const kept = createCapsulas(deps.database);

  async function open(claimed: ClaimedSolicitud) {
    const row = await kept.read(claimed);
    if (!row) return null;
    const { id: solicitudId, cuentaId: cuenta, rfc } = claimed;
    try {
      return opener.openCapsula(row.sobre, { solicitudId, cuenta, rfc, expiraEn: row.expiraEn });
    } catch (error) {
      if (!(error instanceof CredencialIlegible)) throw error;
      log.warn({ solicitud_id: solicitudId }, 'capsule_unreadable');
      return null;
    }
  }

  return {
    open,
    async keep(claimed, credencial, folios, signal) {
      const { id: solicitudId, cuentaId: cuenta, rfc, now, deadlineAt } = claimed;
      const { noSerie, vigenteHasta } = readCertificado(credencial.cer);
      const ends = [now.getTime() + LIFE_MS, deadlineAt.getTime(), vigenteHasta.getTime()];
      const expiraEn = new Date(Math.min(...ends));
      const previa = claimed.capsula && (await open(claimed));
      try {
        const capsula = await makeCapsula(credencial, { folios, desde: now, hasta: expiraEn }, previa, signal);
        try {
          const sobre = sealer.sealCapsula(capsula, { solicitudId, cuenta, rfc, expiraEn });
          await kept.keep(claimed, { kid: sealer.kid, sobre, folios, expiraEn }, noSerie);
        } finally {
          wipeCredencial(capsula);
        }
      } finally {
        if (previa) wipeCredencial(previa);
      }
    },
  };
}

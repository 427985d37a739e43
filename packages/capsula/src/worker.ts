import {
  AT_SAT,
  type ClaimedSolicitud,
  type Credencial,
  type CredentialSource,
  type Parte,
  type Presigned,
  type SatError,
  wipeCredencial,
} from '@acuse/core';
import type { Database } from '@acuse/db';
import type { Logger } from '@acuse/runtime';
import { presign } from '@acuse/sat';
import { CredencialIlegible, type Opener, readCertificado, type Sealer } from '@acuse/vault';
import { createCapsulas } from './db.ts';

const HOUR_MS = 3_600_000;
/** Life of a capsula: as long as the SAT says that a request may take. */
const LIFE_MS = 72 * HOUR_MS;
/**
 * Life that a new capsula has left when the key that made it expires: one with less was made with a key that was stored
 * before, and is renewed.
 */
const RENEW_MS = LIFE_MS - HOUR_MS;
/** Failures in a row after which doubts of the SAT count as a refusal: in a bad hour its services doubt good messages. */
const MAX_DOUBTS = 5;

/** Capsulas as they are kept. */
export interface Capsulas {
  /**
   * Signs beforehand what `folios` need and keeps it, sealed, in the place of the capsula before; keeps nothing when the
   * claim or the key of the caller has ended, or when another e.firma was stored meanwhile.
   */
  keep(
    claimed: ClaimedSolicitud,
    credencial: Credencial & { tipo: 'efirma' },
    folios: readonly string[],
    signal: AbortSignal,
  ): Promise<void>;
  /** Null when it is gone, expired, or does not open. The caller wipes it. */
  open(claimed: ClaimedSolicitud): Promise<Presigned | null>;
}

/** Source of the signatures that an e.firma made beforehand for the requests of a solicitud. */
export function capsulaSource(capsulas: Capsulas): CredentialSource {
  const isAtSat = ({ canal, estado, folio }: Parte) => canal === 'soap' && AT_SAT.has(estado) && folio !== null;
  return {
    offers: ({ presigned }, parte) => isAtSat(parte) && presigned?.folios.includes(parte.folio ?? '') === true,
    open: (claimed) => capsulas.open(claimed),
    isRefusal({ motivo, clase, codigo }: SatError, { fallos }: Parte) {
      if (clase === 'credencial' || motivo === 'PETICION_RECHAZADA') return true;
      return codigo?.endsWith(':InvalidSecurity') === true && fallos >= MAX_DOUBTS;
    },
    wants({ mayPresign, presigned, deadlineAt, now }, { canal, folio }) {
      if (!mayPresign || canal !== 'soap' || folio === null) return false;
      if (presigned?.folios.includes(folio) !== true) return true;
      return presigned.expiraEn < deadlineAt && presigned.expiraEn.getTime() - now.getTime() < RENEW_MS;
    },
    async prepare(claimed, credencial, folio, signal) {
      if (credencial.tipo !== 'efirma') return;
      const folios = claimed.partes.flatMap((each) => (isAtSat(each) && each.folio !== null ? [each.folio] : []));
      await capsulas.keep(claimed, credencial, [...new Set([folio, ...folios])], signal);
    },
  };
}

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
      return opener.openPresigned(row.sobre, { solicitudId, cuenta, rfc, expiraEn: row.expiraEn });
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
      const previa = claimed.presigned && (await open(claimed));
      try {
        const capsula = await presign(credencial, { folios, desde: now, hasta: expiraEn }, previa, signal);
        try {
          const sobre = sealer.sealPresigned(capsula, { solicitudId, cuenta, rfc, expiraEn });
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

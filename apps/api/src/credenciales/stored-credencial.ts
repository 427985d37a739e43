import { CfdiError } from '@acuse/contract';
import type { Credencial, CredencialGuardada, Pase, TipoCredencial } from '@acuse/core';
import {
  type ApiKey,
  CredencialIlegible,
  type Keyring,
  MOTIVO_ILEGIBLE,
  openGuardada as open,
} from '@acuse/vault';
import type { Operation } from '../http/operation.ts';

/** The stored row that will serve, or `null` when the operation needs none. */
export type Elegida = { readonly tipo: TipoCredencial; readonly guardada: CredencialGuardada } | null;

const isLive = (fecha: Date | null, now: Date) => fecha === null || fecha > now;

/** Why the e.firma cannot be used, or its row. */
function efirmaOf(pase: Pase, now: Date): CredencialGuardada | string {
  const { efirmaCer: cer, efirmaKey: key } = pase;
  if (cer === null) return 'No hay un certificado (.cer) registrado.';
  if (!isLive(cer.vigenteHasta, now)) return 'El certificado registrado ya venció.';
  if (cer.rechazadaEn !== null || key?.rechazadaEn) return 'El SAT rechazó la e.firma guardada.';
  if (key === null || !isLive(key.expiraEn, now))
    return 'La llave privada (.key) no está guardada o ya se borró.';
  return key;
}

/**
 * Chooses the stored credential for an operation: a live e.firma before a CIEC, since it needs no captcha at the SAT. Throws 4002, 4003 or
 * 4004 as a `CfdiError` when there is none that may be used; 4003 says why one is needed.
 */
export function chooseCredencial(
  { accepts, needs }: Pick<Operation, 'accepts' | 'needs'>,
  pase: Pase,
  now: Date,
): Elegida {
  if (accepts === 'api-key' || (accepts === 'ciec-o-efirma-o-id-cif' && pase.idCif !== null)) return null;
  if (accepts !== 'ciec') {
    const efirma = efirmaOf(pase, now);
    if (typeof efirma !== 'string') return { tipo: 'efirma', guardada: efirma };
    if (accepts === 'efirma') throw new CfdiError('EFIRMA_NO_DISPONIBLE', { motivo: efirma });
  }
  if (pase.ciec === null)
    throw new CfdiError('CIEC_NO_GUARDADA', needs === undefined ? {} : { motivo: needs });
  if (pase.ciec.rechazadaEn !== null) throw new CfdiError('CIEC_RECHAZADA');
  return { tipo: 'ciec', guardada: pase.ciec };
}

/**
 * Opens a stored credential with the caller's key. One that does not open, because a byte of it changed or its shred key is gone, counts as
 * not stored: the caller is told to store it again.
 */
export function openGuardada(
  { tipo, guardada }: NonNullable<Elegida>,
  pase: Pase,
  apiKey: ApiKey,
  keyring: Keyring,
): Credencial {
  try {
    return open(tipo, guardada, { pase, apiKey }, keyring);
  } catch (cause) {
    if (!(cause instanceof CredencialIlegible)) throw cause;
    const motivo = MOTIVO_ILEGIBLE;
    throw new CfdiError(tipo === 'ciec' ? 'CIEC_NO_GUARDADA' : 'EFIRMA_NO_DISPONIBLE', { motivo }, { cause });
  }
}

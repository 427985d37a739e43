import { CfdiError } from '@acuse/contract';
import type { AccessSnapshot, CanalSat, Credencial, CredencialGuardada, TipoCredencial } from '@acuse/core';
import type { Operation } from '@acuse/operation';
import {
  type ApiKey,
  CredencialIlegible,
  type Keyring,
  MOTIVO_ILEGIBLE,
  needsShredKey,
  openGuardada as open,
} from '@acuse/vault';

/** A stored row that may serve, and the channel at which the SAT is asked with it. */
export interface Elegible {
  readonly tipo: TipoCredencial;
  readonly canal: CanalSat;
  readonly guardada: CredencialGuardada;
}

const isLive = (fecha: Date | null, now: Date) => fecha === null || fecha > now;

/** Why a stored e.firma does not serve. */
interface Falta {
  readonly nombre: 'EFIRMA_NO_DISPONIBLE' | 'EFIRMA_RECHAZADA';
  readonly motivo: string;
}

const SOLO_CIEC = 'Esta operación necesita la CIEC; la e.firma no sirve en su lugar.';
const TAMBIEN_CIEC = 'Esta operación también se hace con la CIEC: guárdela con rfc-guardar.';

const RECHAZO: Readonly<Record<CanalSat, string>> = {
  soap: 'El servicio web del SAT rechazó la e.firma guardada.',
  portal: 'Los portales del SAT rechazaron la e.firma guardada.',
};

/**
 * The stored key of the e.firma. Null when a crash of the database lost its shred key: nothing can open it any more.
 */
export function llaveOf({ efirmaKey: key }: AccessSnapshot): CredencialGuardada | null {
  return key === null || (key.shred === null && needsShredKey(key.sobre)) ? null : key;
}

/** The key of the e.firma, or why it cannot be used at a channel. */
function efirmaOf(access: AccessSnapshot, canal: CanalSat, now: Date): CredencialGuardada | Falta {
  const { efirmaCer: cer } = access;
  const key = llaveOf(access);
  const missing = (motivo: string): Falta => ({ nombre: 'EFIRMA_NO_DISPONIBLE', motivo });
  if (cer === null) return missing('No hay un certificado (.cer) registrado.');
  if (!isLive(cer.vigenteHasta, now)) return missing('El certificado registrado ya venció.');
  if (cer.rechazadaEn[canal] !== null) return { nombre: 'EFIRMA_RECHAZADA', motivo: RECHAZO[canal] };
  if (key === null || !isLive(key.expiraEn, now))
    return missing('La llave privada (.key) no está guardada o ya se borró.');
  return key;
}

/** Whether the SAT may be asked with a credential at a channel. */
export interface EstadoCamino {
  readonly credencial: TipoCredencial;
  readonly canal: CanalSat;
  /** Why not and what to do, in Spanish; null when it serves. */
  readonly falta: string | null;
  /** When it stops to serve by itself; null when it does not, or does not serve. */
  readonly expiraEn: Date | null;
  readonly rechazadaEn: Date | null;
}

const FIRMA = 'Registre el certificado con firma-registrar y guarde la llave con firma-guardar.';
const earlier = (a: Date | null, b: Date | null) => (a !== null && (b === null || a < b) ? a : b);

/** Whether the e.firma serves at a channel. */
export function estadoEfirma(access: AccessSnapshot, canal: CanalSat, now: Date): EstadoCamino {
  const found = efirmaOf(access, canal, now);
  const falta = 'nombre' in found ? `${found.motivo} ${FIRMA}` : null;
  const expiraEn = 'nombre' in found ? null : earlier(found.expiraEn, access.efirmaCer?.vigenteHasta ?? null);
  return { credencial: 'efirma', canal, falta, expiraEn, rechazadaEn: access.efirmaCer?.rechazadaEn[canal] ?? null };
}

/** Whether the CIEC serves: the portals take it, the web service does not. */
export function estadoCiec({ ciec }: AccessSnapshot): EstadoCamino {
  const rechazadaEn = ciec?.rechazadaEn.portal ?? null;
  const motivo =
    ciec === null ? 'No hay una CIEC guardada.' : rechazadaEn && 'Los portales del SAT rechazaron la CIEC guardada.';
  const falta = motivo && `${motivo} Guárdela con rfc-guardar.`;
  return { credencial: 'ciec', canal: 'portal', falta, expiraEn: null, rechazadaEn };
}

/**
 * The stored credentials that an operation may be asked with, in the order of its label. A CIEC goes first where the
 * label is the CIEC or the web service is known to refuse such a certificate; else the e.firma, which needs no captcha.
 * Empty when the operation needs none. Throws 4002, 4003 or 4004 as a `CfdiError` when none can serve: a credential
 * that the SAT refused takes precedence over a missing one, and 4003 says why one is needed.
 */
export function eligibleCredenciales(
  operation: Pick<Operation, 'accepts' | 'credential' | 'prefers' | 'needs' | 'asks'>,
  access: AccessSnapshot,
  now: Date,
): readonly Elegible[] {
  const { accepts, credential, needs, asks } = operation;
  if (accepts === 'api-key' || (accepts === 'ciec-o-efirma-o-id-cif' && access.idCif !== null)) return [];
  const canal = asks.includes('solicitar-metadata') ? 'soap' : 'portal';
  const efirma = efirmaOf(access, canal, now);
  const falta = 'nombre' in efirma ? efirma : null;
  if (accepts === 'efirma' && falta !== null) throw new CfdiError(falta.nombre, { motivo: falta.motivo });
  const conEfirma: Elegible[] = 'nombre' in efirma ? [] : [{ tipo: 'efirma', canal, guardada: efirma }];
  if (accepts === 'efirma') return conEfirma;

  const { ciec } = access;
  if (ciec === null && falta?.nombre === 'EFIRMA_RECHAZADA' && accepts !== 'ciec')
    throw new CfdiError(falta.nombre, { motivo: `${falta.motivo} ${needs ?? TAMBIEN_CIEC}` });
  if (ciec === null && (accepts === 'ciec' || falta !== null)) {
    const porEfirma = access.efirmaCer === null ? undefined : falta?.motivo;
    const motivos = accepts === 'ciec' ? [needs ?? SOLO_CIEC] : [needs, porEfirma];
    const motivo = motivos.filter((each) => typeof each === 'string').join(' ');
    throw new CfdiError('CIEC_NO_GUARDADA', motivo === '' ? {} : { motivo });
  }
  const conCiec: Elegible[] =
    ciec === null || ciec.rechazadaEn.portal !== null ? [] : [{ tipo: 'ciec', canal: 'portal', guardada: ciec }];
  const isDoubtful = canal === 'soap' && access.efirmaCer?.advertencias.includes('TEXTO_MAL_FORMADO') === true;
  const prefers = isDoubtful ? 'ciec' : (operation.prefers ?? (credential === 'ciec' ? 'ciec' : 'efirma'));
  const elegibles = prefers === 'ciec' ? [...conCiec, ...conEfirma] : [...conEfirma, ...conCiec];
  if (elegibles.length === 0) throw new CfdiError('CIEC_RECHAZADA');
  return elegibles;
}

/**
 * Opens a stored credential with the caller's key. One that does not open, because a byte of it changed or its shred
 * key is gone, counts as not stored: the error asks the caller to store it again.
 */
export function openGuardada(
  { tipo, guardada }: Pick<Elegible, 'tipo' | 'guardada'>,
  access: AccessSnapshot,
  apiKey: ApiKey,
  keyring: Keyring,
): Credencial {
  try {
    return open(tipo, guardada, { access, apiKey }, keyring);
  } catch (cause) {
    if (!(cause instanceof CredencialIlegible)) throw cause;
    const motivo = MOTIVO_ILEGIBLE;
    throw new CfdiError(tipo === 'ciec' ? 'CIEC_NO_GUARDADA' : 'EFIRMA_NO_DISPONIBLE', { motivo }, { cause });
  }
}

/**
 * What a store of the vault answers when the caller's key died before its credential was written: nothing was stored.
 */
export function requireStored<T>(stored: T | null | false): T {
  if (stored === null || stored === false) throw new CfdiError('API_KEY_REVOCADA');
  return stored;
}

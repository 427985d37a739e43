import { randomFillSync } from 'node:crypto';
import type { AccessSnapshot, Boveda, CredencialEfirma } from '@acuse/core';
import { CredencialIlegible } from '../credencial-bytes.ts';
import { secretBytes } from '../crypto/secret-bytes.ts';
import { type Certificado, type CertificadoRevisado, readCertificado } from '../efirma/certificado.ts';
import { keyMatches, LlaveInvalida, openLlave } from '../efirma/llave.ts';
import {
  MOTIVO_CER_VENCIDO,
  MOTIVO_ILEGIBLE,
  MOTIVO_NO_ES_PAR,
  MOTIVO_SIN_CER,
  MOTIVOS_LLAVE,
} from '../efirma/motivos.ts';
import type { Keyring } from '../envelope/keyring.ts';
import type { Sealer } from '../sealing/sealed-credencial.ts';
import { type Dueno, openGuardada, type StoreDeps, sealForSolicitud, storeCredencial } from './stored-credencial.ts';

/**
 * Why the private key of an e.firma cannot be stored: the e.firma that it needs is not there, or the key itself is
 * wrong.
 */
export class LlaveRechazada extends Error {
  readonly clase: 'EFIRMA_NO_DISPONIBLE' | 'LLAVE_INVALIDA';
  /** The wrong field; null when the fault is in the credential stored before. */
  readonly campo: 'key' | 'password' | null;
  /** What a person reads, in Spanish. */
  readonly motivo: string;

  constructor(
    clase: LlaveRechazada['clase'],
    campo: LlaveRechazada['campo'],
    motivo: string,
    options: ErrorOptions = {},
  ) {
    super(motivo, options);
    this.name = 'LlaveRechazada';
    this.clase = clase;
    this.campo = campo;
    this.motivo = motivo;
  }
}

interface ResumeDeps {
  readonly boveda: Boveda;
  readonly sealer: Sealer;
  /** Wakes the relay, since the outbox has a new row. */
  readonly wake: () => void;
}

/**
 * Hands a newly stored e.firma key to the open solicitudes of its taxpayer that need one, so that they go on by
 * themselves.
 */
async function resumeWaiting(
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

const SHRED_BYTES = 32;

/** Life of a stored key (specification, Limits). */
const KEY_TTL_MS = 3_600_000;

interface EfirmaSettings {
  /** Whether the key is also encrypted under a key of a table that no backup has. */
  readonly efirmaShred: boolean;
}

/** Stores a checked certificate. False when the API key died meanwhile. */
export function storeCertificado(certificado: CertificadoRevisado, dueno: Dueno, deps: StoreDeps): Promise<boolean> {
  const { der: cer, noSerie, nombre: titular, vigenteHasta, advertencias } = certificado;
  const credencial = { tipo: 'efirma', rfc: dueno.access.rfc, cer, key: Buffer.alloc(0) } as const;
  return storeCredencial(credencial, 'efirma_cer', { noSerie, titular, vigenteHasta, advertencias }, dueno, deps);
}

/**
 * The certificate stored under the owner's API key. Throws {@link LlaveRechazada} (`EFIRMA_NO_DISPONIBLE`) when there
 * is none, it does not open or is over at `ahora`, the database's clock.
 */
export function storedCertificado(
  access: Pick<AccessSnapshot, 'cuentaId' | 'rfc' | 'efirmaCer'>,
  apiKey: Dueno['apiKey'],
  ahora: Date,
  keyring: Keyring,
): Certificado {
  if (access.efirmaCer === null) throw new LlaveRechazada('EFIRMA_NO_DISPONIBLE', null, MOTIVO_SIN_CER);
  const certificado = openStored(access, access.efirmaCer, apiKey, keyring);
  if (certificado.vigenteHasta <= ahora) throw new LlaveRechazada('EFIRMA_NO_DISPONIBLE', null, MOTIVO_CER_VENCIDO);
  return certificado;
}

function openStored(
  access: Pick<AccessSnapshot, 'cuentaId' | 'rfc'>,
  guardada: NonNullable<AccessSnapshot['efirmaCer']>,
  apiKey: Dueno['apiKey'],
  keyring: Keyring,
): Certificado {
  try {
    const opened = openGuardada('efirma', guardada, { access, apiKey }, keyring);
    if (opened.tipo !== 'efirma') throw new CredencialIlegible();
    return readCertificado(opened.cer);
  } catch (cause) {
    if (!(cause instanceof CredencialIlegible)) throw cause;
    throw new LlaveRechazada('EFIRMA_NO_DISPONIBLE', null, MOTIVO_ILEGIBLE, { cause });
  }
}

/**
 * Opens a .key with its password and demands that it is the certificate's pair. Returns it as DER without password, in
 * a buffer that the caller zeroes. Throws {@link LlaveRechazada} (`LLAVE_INVALIDA`).
 */
export function openLlaveDe(certificado: Certificado, key: Buffer, password: Buffer): Buffer {
  let opened: Buffer;
  try {
    opened = openLlave(key, password);
  } catch (cause) {
    if (!(cause instanceof LlaveInvalida)) throw cause;
    const campo = cause.motivo === 'PASSWORD_INCORRECTA' ? 'password' : 'key';
    throw new LlaveRechazada('LLAVE_INVALIDA', campo, MOTIVOS_LLAVE[cause.motivo], { cause });
  }
  if (keyMatches(certificado, opened)) return opened;
  opened.fill(0);
  throw new LlaveRechazada('LLAVE_INVALIDA', 'key', MOTIVO_NO_ES_PAR);
}

/**
 * Stores an opened key beside its certificate, for its hour and never longer than the certificate, and sets the
 * solicitudes going that waited for it. Returns when it ends, or null when the API key died meanwhile. Does not zero
 * the key.
 */
export async function storeLlave(
  certificado: Certificado,
  key: Buffer,
  ahora: Date,
  dueno: Dueno,
  deps: StoreDeps & ResumeDeps & { readonly settings: EfirmaSettings },
): Promise<Date | null> {
  const { noSerie, vigenteHasta, der: cer } = certificado;
  const expiraEn = new Date(Math.min(ahora.getTime() + KEY_TTL_MS, vigenteHasta.getTime()));
  const credencial: CredencialEfirma = { tipo: 'efirma', rfc: dueno.access.rfc, cer, key };
  const shred = deps.settings.efirmaShred ? { shred: randomFillSync(secretBytes(SHRED_BYTES)) } : {};
  const detalles = { noSerie, vigenteHasta, expiraEn, ...shred };
  if (!(await storeCredencial(credencial, 'efirma_key', detalles, dueno, deps))) return null;
  await resumeWaiting(credencial, expiraEn, dueno.access, deps);
  return expiraEn;
}

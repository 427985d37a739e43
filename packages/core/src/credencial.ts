/**
 * Which stored credential a query is made with. The names are those of the wire and of `credencial.tipo` in the
 * database.
 */
export type TipoCredencial = 'ciec' | 'efirma';

/**
 * An opened credential. The buffers hold plaintext: the caller that opened them zeroes them with {@link wipeCredencial}
 * as soon as the query is done, and never turns them into strings.
 */
export type Credencial = CredencialCiec | CredencialEfirma;

export interface CredencialCiec {
  readonly tipo: 'ciec';
  readonly rfc: string;
  /** The password of the SAT's portals, UTF-8. */
  readonly ciec: Buffer;
}

export interface CredencialEfirma {
  readonly tipo: 'efirma';
  readonly rfc: string;
  /** X.509 certificate, DER. Not secret. */
  readonly cer: Buffer;
  /** Private key, PKCS#8 DER, already without its password. */
  readonly key: Buffer;
}

/**
 * Signatures that an e.firma made beforehand for one solicitud, and nothing to sign with: they let it be looked at and
 * fetched at the SAT after the hour of the key, and nothing else be asked for. Zeroed as a credential is.
 */
export interface Presigned {
  readonly tipo: 'presigned';
  readonly rfc: string;
  /** X.509 certificate of the key that signed, DER. Not secret. */
  readonly cer: Buffer;
  /** Signatures by the text: the first 16 bytes of its SHA-256, hexadecimal. */
  readonly firmas: ReadonlyMap<string, Buffer>;
}

/** There is no presigned signature for this message: only the key can make one. */
export class SinFirma extends Error {
  constructor() {
    super('No presigned signature for this message');
    this.name = 'SinFirma';
  }
}

/** Days after which an API key should be changed (specification, Authentication 6). */
export const DIAS_ROTACION = 90;

/** Overwrites the secret bytes of a credential with zeros. */
export function wipeCredencial(credencial: Credencial | Presigned): void {
  if (credencial.tipo === 'ciec') credencial.ciec.fill(0);
  else if (credencial.tipo === 'presigned') for (const firma of credencial.firmas.values()) firma.fill(0);
  else credencial.key.fill(0);
}

/**
 * The way a bulk download travels: the SOAP web service (signed with the e.firma) or the taxpayer portal (CIEC).
 * A folio or a package id of one channel means nothing to the other.
 */
export type CanalSat = 'soap' | 'portal';

/** The channel that a credential leads to, for a bulk download. */
export function canalDe(credencial: Pick<Credencial | Presigned, 'tipo'>): CanalSat {
  return credencial.tipo === 'ciec' ? 'portal' : 'soap';
}

/**
 * Why a private key is refused:
 * - `NO_ES_LLAVE`: not a PKCS#8 private key, DER or PEM, encrypted or not;
 * - `DEMASIADO_GRANDE`: more than 16 KiB;
 * - `CIFRADO_NO_SOPORTADO`: encrypted by a scheme that OpenSSL 3 no longer opens (DES, RC2, MD5), by one we refuse (scrypt), or
 *   with so many rounds that opening it would stall the service;
 * - `PASSWORD_INCORRECTA`: it does not open;
 * - `NO_ES_RSA`: it opens, and is a key of another kind.
 */
export type MotivoLlave =
  | 'NO_ES_LLAVE'
  | 'DEMASIADO_GRANDE'
  | 'CIFRADO_NO_SOPORTADO'
  | 'PASSWORD_INCORRECTA'
  | 'NO_ES_RSA';

/**
 * A private key that cannot be used. Carries the reason only: no cause, since OpenSSL's errors may quote their input.
 */
export class LlaveInvalida extends Error {
  readonly motivo: MotivoLlave;

  constructor(motivo: MotivoLlave) {
    super(motivo);
    this.name = 'LlaveInvalida';
    this.motivo = motivo;
  }
}

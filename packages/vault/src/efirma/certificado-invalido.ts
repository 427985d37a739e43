/**
 * Why a certificate is refused:
 * - `NO_ES_CERTIFICADO`: not an X.509 certificate, DER or PEM;
 * - `DEMASIADO_GRANDE`: more than 16 KiB;
 * - `NO_ES_DEL_SAT`: an X.509 certificate without the SAT's serial number or RFC;
 * - `ES_CSD`: a certificate for stamping CFDI instead of an e.firma;
 * - `NO_ES_EFIRMA`: neither of the two;
 * - `RFC_DISTINTO`: of another taxpayer;
 * - `LLAVE_DEBIL`: not RSA of at least 2048 bits;
 * - `AUN_NO_VIGENTE`, `VENCIDO`: outside of its period;
 * - `EMISOR_DESCONOCIDO`: no authority of the trust bundle signed it. The bundle may be too old: the operator can extend it;
 * - `EMISOR_NO_VIGENTE`: the authority was outside of its own period when it signed.
 */
export type MotivoCertificado =
  | 'NO_ES_CERTIFICADO'
  | 'DEMASIADO_GRANDE'
  | 'NO_ES_DEL_SAT'
  | 'ES_CSD'
  | 'NO_ES_EFIRMA'
  | 'RFC_DISTINTO'
  | 'LLAVE_DEBIL'
  | 'AUN_NO_VIGENTE'
  | 'VENCIDO'
  | 'EMISOR_DESCONOCIDO'
  | 'EMISOR_NO_VIGENTE';

/** A certificate that cannot be used as an e.firma. Carries the reason only. */
export class CertificadoInvalido extends Error {
  readonly motivo: MotivoCertificado;

  constructor(motivo: MotivoCertificado) {
    super(motivo);
    this.name = 'CertificadoInvalido';
    this.motivo = motivo;
  }
}

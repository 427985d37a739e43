/** Settings of the SOAP channel; the defaults are {@link SAT_SOAP_DEFAULTS}. */
export interface SatSoapSettings {
  /** Largest answer of authenticate, request and verify, bytes. */
  readonly maxAnswerBytes?: number;
  /** Largest package, bytes of the decoded ZIP. A million rows of metadata are about a tenth of the default. */
  readonly maxPackageBytes?: number;
  /** How long before its end a token is renewed. */
  readonly tokenMarginMs?: number;
  /** How long after the SAT's refusal of an e.firma it is asked the second time, milliseconds. */
  readonly refusalPauseMs?: number;
}

export const SAT_SOAP_DEFAULTS: Required<SatSoapSettings> = {
  maxAnswerBytes: 1024 * 1024,
  maxPackageBytes: 1024 * 1024 * 1024,
  tokenMarginMs: 30_000,
  refusalPauseMs: 3_000,
};

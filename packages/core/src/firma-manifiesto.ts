/** Raised when a field of `firma.json` changes its meaning or goes away. */
const VERSION = 1;
const ALGORITMO = 'Ed25519';
/** No other text that the key signs begins with it. */
const DOMAIN = 'acuse/firma-de-manifiesto/v1';

/** Facts that a signature vouches for. */
export interface SignedFacts {
  /** SHA-256 of `manifest.json`, lower-case hex. */
  readonly manifestSha256: string;
  /** All bytes of the ZIP before the local header of `firma.json`. */
  readonly prefijo: { readonly bytes: number; readonly sha256: string };
}

/** Signs with the key in force of the installation. */
export interface ManifestSigner {
  readonly kid: string;
  /** Ed25519 (RFC 8032) over the UTF-8 of a text: 64 bytes. */
  sign(text: string): Buffer;
}

/** The text that an Ed25519 key signs: one fact a line, each line ended by LF. */
export function signedText(kid: string, { manifestSha256, prefijo }: SignedFacts): string {
  return [DOMAIN, ALGORITMO, kid, manifestSha256, prefijo.bytes, prefijo.sha256].map((line) => `${line}\n`).join('');
}

/** Content of `firma.json`: without `firma`, the same facts unsigned. Same arguments, same bytes. */
export function renderFirma(hechos: SignedFacts, firma?: { readonly kid: string; readonly bytes: Buffer }): Buffer {
  const documento = {
    version: VERSION,
    algoritmo: ALGORITMO,
    ...(firma === undefined ? {} : { kid: firma.kid }),
    manifest_sha256: hechos.manifestSha256,
    prefijo: hechos.prefijo,
    ...(firma === undefined ? {} : { firma: firma.bytes.toString('base64') }),
  };
  return Buffer.from(`${JSON.stringify(documento, null, 2)}\n`);
}

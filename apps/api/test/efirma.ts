import { createTrustBundle, type TrustBundle } from '@acuse/vault';
import {
  type Authority,
  type CertificateOptions,
  createAuthority,
  createCertificate,
  encryptLlave,
  newRsaPair,
  type Pair,
  rsaPair,
} from '../../../packages/vault/test/authority.ts';

export const PASSWORD = 'contraseña-Ñ&';

let made: { authority: Authority; trust: TrustBundle } | undefined;

/** The one authority of a test run, and the bundle that trusts it. */
export function autoridad(): { readonly authority: Authority; readonly trust: TrustBundle } {
  if (made === undefined) {
    // It outlives the turn of the shared pairs: another authority must never come to have its pair.
    const authority = createAuthority({ pair: newRsaPair(), from: '2019-01-01T00:00:00Z', to: '2031-01-01T00:00:00Z' });
    made = { authority, trust: createTrustBundle([authority.pem]) };
  }
  return made;
}

export interface EfirmaDePrueba {
  readonly pair: Pair;
  readonly cer: Buffer;
  readonly key: Buffer;
  readonly noSerie: string;
  readonly vigenteHasta: Date;
}

let serial = 0;
/** Making a pair takes long: certificates share one unless a test asks for another. */
let shared: Pair | undefined;

/** An e.firma of a taxpayer, valid in November 2026 unless told otherwise. */
export function efirmaDe(rfc: string, options: Partial<CertificateOptions> = {}): EfirmaDePrueba {
  serial += 1;
  const noSerie = `3000100000050000${String(serial).padStart(4, '0')}`;
  shared ??= rsaPair();
  const pair = options.pair ?? shared;
  const to = options.to ?? '2028-06-01T00:00:00Z';
  const cer = createCertificate({
    authority: autoridad().authority,
    id: rfc,
    curp: 'XIQB891116MCHZRL72',
    nombre: 'ACUSE DE PRUEBA',
    from: '2024-06-01T00:00:00Z',
    ...options,
    pair,
    to,
    noSerie,
  });
  return { pair, cer, key: encryptLlave(pair, PASSWORD), noSerie, vigenteHasta: new Date(to) };
}

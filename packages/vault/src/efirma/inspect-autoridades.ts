import { issued, parseSubject, readAutoridades } from './certificado.ts';

/** One certificate of the files that name the authorities. */
export interface AutoridadVista {
  /** Its common name, or its whole subject when it has none. */
  readonly nombre: string;
  readonly vigenteDesde: Date;
  readonly vigenteHasta: Date;
  /** May issue certificates; the SAT publishes its OCSP responders, which may not, beside its authorities. */
  readonly isAuthority: boolean;
  /** Signed by itself, or by another one of the files. */
  readonly isChained: boolean;
}

/** What the PEM texts of the authorities hold, in their order. Throws RangeError when a block cannot be read. */
export function inspectAutoridades(pems: readonly string[]): readonly AutoridadVista[] {
  const all = readAutoridades(pems);
  const authorities = all.filter(({ ca }) => ca);
  return all.map((x509) => ({
    nombre: parseSubject(x509.subject ?? '').get('CN')?.[0] ?? x509.subject ?? '',
    vigenteDesde: new Date(x509.validFrom),
    vigenteHasta: new Date(x509.validTo),
    isAuthority: x509.ca,
    isChained: authorities.some((authority) => issued(authority, x509)),
  }));
}

/** The day from which article 49 Bis of the CFF is in force. */
export const VIGENCIA_49BIS = '2026-01-01';
/** Characters of a note. */
export const MAX_NOTA_49BIS = 500;

/** The day of a publication, `yyyy-MM-dd`, and whose it is. */
export interface Publicacion49Bis {
  /** Of the issuer; null while it is not known. */
  readonly proveedor: string | null;
  readonly publicadoEn: string;
}

/**
 * What speaks against entering a publication: PROPIO, its issuer is the taxpayer himself, and the term runs for whoever
 * received CFDI of another (`rfc` null: the operator enters it, for everybody); ANTES, the article was not in force;
 * DESPUES, that day has not come. Null when nothing does.
 */
export function fault49Bis(
  { proveedor, publicadoEn }: Publicacion49Bis,
  { rfc, hoy }: { readonly rfc: string | null; readonly hoy: string },
): 'PROPIO' | 'ANTES' | 'DESPUES' | null {
  if (proveedor !== null && proveedor === rfc) return 'PROPIO';
  if (publicadoEn < VIGENCIA_49BIS) return 'ANTES';
  return publicadoEn > hoy ? 'DESPUES' : null;
}

/** Lower case, without accents, runs of white space as one blank: how texts of the authority are compared. */
export function toForma(texto: string): string {
  return texto.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

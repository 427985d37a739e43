/** Lower case, without accents, runs of white space as one blank: how texts of the authority are compared. */
export function toForma(texto: string): string {
  return texto.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** The same of a heading or label, without the blanks, colons and asterisks at its end. */
export function toRotulo(texto: string): string {
  // Looks at each run of such characters from its first one only: otherwise a long run inside of a text takes the
  // square of its length.
  return toForma(texto).replace(/(?<![\s:*])[\s:*]+$/, '');
}

/** The months as charts and timelines write them, January first. */
const MESES = ['ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sep', 'oct', 'nov', 'dic'];

/** A month (`01` to `12`) in three letters; what is none stays as it is. */
export function mesCorto(month: string): string {
  return MESES[Number(month) - 1] ?? month;
}
